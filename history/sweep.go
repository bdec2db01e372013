package history

// SweepCoverage is how much of a systematic plan one arm has covered.
type SweepCoverage struct {
	Arm string `json:"arm"`
	Sweep
	Started int `json:"started"` // cases whose rollout ran
	Met     int `json:"met"`     // cases that met every fault of theirs
	// Singles counts the placements that were met, alone or in a pair, and PairsMet
	// the pairs of them.
	Singles  int `json:"singles"`
	PairsMet int `json:"pairs_met"`
	// Missing are the cases that could occur and did not, by the reason.
	Missing []Excluded `json:"missing,omitempty"`
}
