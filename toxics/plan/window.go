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
	// client adds to them, whenever that is before To, if To is set.
	Start bool
	// Ramp says that the share goes from Low to High in a straight line between
	// From and To. Either may be the greater.
	Ramp      bool
	Low, High float64
}

// Armed reports whether a mark on a step is armed at a time since the arm began.
// A negative time is one before that. The draw is the mark's own, Decision.Draw:
// a ramp arms the marks that its share has reached by then.
func (w Window) Armed(elapsed time.Duration, step string, draw float64) bool {
	if w.Start {
		own, _, _ := strings.Cut(step, ".")
		if !slices.Contains(startSteps, own) {
			return false
		}
		return w.To == 0 || elapsed < w.To
	}
	if w.To == 0 {
		return true
	}
	open := w.From <= elapsed && elapsed < w.To
	return open && (!w.Ramp || draw < w.share(elapsed))
}

// share is what a ramp has reached at a time within the window.
func (w Window) share(elapsed time.Duration) float64 {
	done := float64(elapsed-w.From) / float64(w.To-w.From)
	return w.Low + (w.High-w.Low)*done
}

// Ends reports when the window closes for good, or false when it never does.
func (w Window) Ends() (time.Duration, bool) { return w.To, w.To > 0 }

// String names the window: "from 5s to 25s", "the start of a rollout (s01, s02)"
// or "always".
func (w Window) String() string {
	text := "always"
	switch {
	case w.Start:
		text = fmt.Sprintf("the start of a rollout (%s)", strings.Join(startSteps, ", "))
		if w.To > 0 {
			text += fmt.Sprintf(" until %v", w.To)
		}
	case w.To > 0:
		text = fmt.Sprintf("from %v to %v", w.From, w.To)
	}
	if w.Ramp {
		text += fmt.Sprintf(", share %v to %v", w.Low, w.High)
	}
	return text
}

// record is the window as plan.ndjson holds it: nothing when it is always open.
func (w Window) record() []string {
	switch {
	case w.Start && w.To > 0:
		return []string{"start", w.To.String()}
	case w.Start:
		return []string{"start"}
	case w.To > 0:
		return []string{w.From.String(), w.To.String()}
	}
	return nil
}

// shares are the two ends of a ramp, or nothing.
func (w Window) shares() []float64 {
	if !w.Ramp {
		return nil
	}
	return []float64{w.Low, w.High}
}
