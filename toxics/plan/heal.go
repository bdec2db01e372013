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
		end, ok := r.ends()
		if !ok && r.Op == "" {
			return 0, fmt.Errorf("%w %s: it has no end: give it during: [FROM, TO], or say heal: {at: …}", ErrRule, r.ID)
		}
		last = max(last, end)
	}
	return last, nil
}

// EndBy gives an end to every rule that has none of its own: its window closes at a
// time, or so long before it that what it holds has ended by then. It is an error
// wrapping ErrRule if that leaves it no time, or if a rule's own end is later.
func EndBy(rules []Rule, at time.Duration) ([]Rule, error) {
	var out []Rule
	for _, r := range rules {
		end, ok := r.ends()
		switch {
		case ok && end > at:
			return nil, fmt.Errorf("%w %s: %s, and the heal begins at %v", ErrRule, r.ID, r.lasts(end), at)
		case !ok && at <= r.For:
			return nil, fmt.Errorf("%w %s: what it begins lasts %v, and the heal begins at %v", ErrRule, r.ID, r.For, at)
		case !ok:
			r.During.To = at - r.For
		}
		out = append(out, r)
	}
	return out, nil
}

// ends is when the last fault of a rule is over, or false when the rule itself says
// no such time.
func (r Rule) ends() (time.Duration, bool) {
	if r.comesOnce() {
		return r.BurstAt + r.For, true
	}
	if end, ok := r.During.Ends(); ok {
		return end + r.For, true
	}
	return 0, false
}

// lasts says until when a rule lasts, and why.
func (r Rule) lasts(end time.Duration) string {
	switch {
	case r.comesOnce():
		return fmt.Sprintf("it lasts until %v", end)
	case r.For > 0:
		return fmt.Sprintf("its window ends at %v, and what begins in it lasts %v longer, until %v", r.During.To, r.For, end)
	}
	return fmt.Sprintf("its window lasts until %v", end)
}

// comesOnce reports whether the rule has a moment and no window.
func (r Rule) comesOnce() bool { return r.Cut == CutBurst || r.Cut == CutAccept || r.timedKill() }
