package plan

import (
	"fmt"
	"time"
)

// End is when the last fault of some rules is over: every window has closed, every
// burst and stall has been, and every hold of a length has ended. A listed fault
// comes once, and without a window counts for nothing here. It is an error wrapping
// ErrRule if another rule has no end.
func End(rules []Rule) (time.Duration, error) {
	var last time.Duration
	for _, r := range rules {
		end, ok := r.During.Ends()
		if r.comesOnce() {
			end, ok = r.BurstAt, true
		}
		if ok {
			end += r.For
		} else if r.Op == "" {
			return 0, fmt.Errorf("%w %s: it has no end: give it during: [FROM, TO], or say heal: {at: …}", ErrRule, r.ID)
		}
		last = max(last, end)
	}
	return last, nil
}

// EndBy closes every window at a time, so that no rule is armed from then on. It is
// an error wrapping ErrRule if a rule cannot end, or would only begin later.
func EndBy(rules []Rule, at time.Duration) ([]Rule, error) {
	var out []Rule
	for _, r := range rules {
		begins := r.During.From
		if r.comesOnce() {
			begins = r.BurstAt
		}
		switch {
		case r.Toxic != "":
			return nil, fmt.Errorf("%w %s: a toxic acts as long as the arm lasts, and the heal begins at %v", ErrRule, r.ID, at)
		case (r.Cut == CutAccept || r.timedKill()) && begins+r.For > at:
			return nil, fmt.Errorf("%w %s: it ends at %v, and the heal begins at %v", ErrRule, r.ID, begins+r.For, at)
		case begins > at, begins == at && r.Cut != CutBurst && !r.timedKill():
			return nil, fmt.Errorf("%w %s: it begins at %v, and the heal at %v", ErrRule, r.ID, begins, at)
		case !r.comesOnce():
			r.During = r.During.until(at)
		}
		out = append(out, r)
	}
	return out, nil
}

// comesOnce reports whether the rule has a moment and no window.
func (r Rule) comesOnce() bool { return r.Cut == CutBurst || r.Cut == CutAccept || r.timedKill() }

// until is the window closed at a time, if it is still open then. A ramp stops on
// its way.
func (w Window) until(at time.Duration) Window {
	if w.To > 0 && w.To <= at {
		return w
	}
	if w.Ramp {
		w.High = w.share(at)
	}
	w.To = at
	return w
}
