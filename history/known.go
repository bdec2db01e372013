package history

import "time"

// KnownFailure is one entry of known-failures.yaml: a failure that is known, and does
// not fail a run. Each of Script, Arm, Policy and Bug narrows what it is about; an
// empty one does not.
type KnownFailure struct {
	Invariant string `json:"invariant"`
	// Script is a path, or any end of one, such as scenarios/user-turns.js.
	Script string `json:"script,omitempty"`
	Arm    string `json:"arm,omitempty"`
	Policy string `json:"policy,omitempty"` // of any server of the arm
	Bug    string `json:"bug,omitempty"`    // one that is planted in the arm
	// Reason says why it is known and not mended yet. It must not be empty.
	Reason string `json:"reason"`
	// Until is the last day on which it is excused, as 2006-01-02 in UTC; empty: any.
	Until string `json:"until,omitempty"`
}

// Expired reports whether a run that began then comes after the entry's last day. An
// entry whose day cannot be read has expired.
func (k KnownFailure) Expired(run time.Time) bool {
	if k.Until == "" {
		return false
	}
	last, err := time.Parse(time.DateOnly, k.Until)
	return err != nil || !run.UTC().Before(last.AddDate(0, 0, 1))
}

// KnownState is what became of an entry in one run.
type KnownState string

// The states of an entry.
const (
	KnownFails   KnownState = "fails as known"
	KnownStale   KnownState = "stale"         // it holds now, and fails the run
	KnownExpired KnownState = "expired"       // its last day has passed: it excuses nothing
	KnownUntold  KnownState = "not evaluated" // this run cannot tell
)

// KnownResult is an entry that was about a run, and what became of it.
type KnownResult struct {
	KnownFailure
	State KnownState `json:"state"`
}
