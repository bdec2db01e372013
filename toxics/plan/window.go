package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// startSteps are the start churn of a rollout: the connect and the first call.
var startSteps = []string{"s01", "s02"}

// Window is when the marks of a rule are armed. A mark does not depend on it: an
// exchange that is marked outside the window keeps its mark and meets no fault.
// The zero value is always open.
type Window struct {
	// From and To are times since the arm began: armed from From on, and not any
	// more at To. Both are zero when no clock matters.
	From, To time.Duration
	// Start arms only the start of each rollout: steps s01 and s02 with what a
	// client adds to them, whenever that is.
	Start bool
}

// Armed reports whether a mark on a step is armed at a time since the arm began.
// A negative time is one before that.
func (w Window) Armed(elapsed time.Duration, step string) bool {
	switch {
	case w.Start:
		own, _, _ := strings.Cut(step, ".")
		return slices.Contains(startSteps, own)
	case w.To > 0:
		return w.From <= elapsed && elapsed < w.To
	}
	return true
}

// String names the window: "from 5s to 25s", "the start of a rollout (s01, s02)"
// or "always".
func (w Window) String() string {
	switch {
	case w.Start:
		return fmt.Sprintf("the start of a rollout (%s)", strings.Join(startSteps, ", "))
	case w.To > 0:
		return fmt.Sprintf("from %v to %v", w.From, w.To)
	}
	return "always"
}

// record is the window as plan.ndjson holds it: nothing when it is always open.
func (w Window) record() []string {
	switch {
	case w.Start:
		return []string{"start"}
	case w.To > 0:
		return []string{w.From.String(), w.To.String()}
	}
	return nil
}
