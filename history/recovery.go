package history

// Recovery is how long one server of an arm took to serve again once the arm's
// faults had stopped: at its heal phase or, without one, at the last fault that was
// delivered.
type Recovery struct {
	Arm    string `json:"arm"`
	Server string `json:"server"`
	// Served is the time from when it was first asked afterwards until it first
	// answered, in nanoseconds.
	Served int64 `json:"served_ns"`
	// Rollouts were running when the faults stopped, and the last of them ended
	// Ended nanoseconds later; both are of the whole arm.
	Rollouts int   `json:"rollouts"`
	Ended    int64 `json:"ended_ns"`
}
