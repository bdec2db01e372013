package run_test

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/run"
)

// steppedClock is the machine's clock whose wall time is set back by an hour once it
// has been read so many times. Like the kernel's, its monotonic reading goes on.
type steppedClock struct {
	clock.System
	reads, after int64
}

// Now implements clock.Clock.
func (c *steppedClock) Now() time.Time {
	now := c.System.Now()
	if atomic.AddInt64(&c.reads, 1) > c.after {
		setBack(&now, time.Hour)
	}
	return now
}

// setBack changes the wall reading of a time and leaves the monotonic one as it is,
// which package time offers no way to do: the first word holds 33 bits of seconds
// above 30 bits of nanoseconds.
func setBack(t *time.Time, d time.Duration) {
	*(*uint64)(unsafe.Pointer(t)) -= uint64(d/time.Second) << 30
}

func TestSetBack(t *testing.T) {
	now := clock.System{}.Now()
	back := now
	setBack(&back, time.Hour)
	if wall, passed := now.Round(0).Sub(back.Round(0)), now.Sub(back); wall != time.Hour || passed != 0 {
		t.Fatalf("the wall clock was set back by %v, and %v passed meanwhile", wall, passed)
	}
}

// TestAttackedByAClock: every duration comes from the monotonic base.
func TestAttackedByAClock(t *testing.T) {
	stepped := &steppedClock{after: 400}
	o := storm(t, turnsScript, run.Options{Seed: 1, Clock: stepped})
	if o.Exit != run.ExitPass {
		t.Errorf("exit %d: %s %v", o.Exit, o.Verdict.Reason, o.Troubles)
	}
	if stepped.reads < 2*stepped.after {
		t.Fatalf("the clock was read only %d times: it was not set back in the middle", stepped.reads)
	}
	const most = history.Instant(10 * time.Minute)
	order := func(what string, start, end history.Instant) {
		if start < 0 || end < start || end > most {
			t.Errorf("%s lasted from %d to %d", what, start, end)
		}
	}
	for _, op := range o.History.Ops {
		order(op.Op, op.Start, op.End)
	}
	for _, a := range o.History.Attempts {
		order("an exchange of "+a.Op, a.Start, a.End)
	}
	for _, r := range o.History.Rollouts {
		order(r.Rollout, r.Start, r.End)
	}
	for _, w := range o.History.Wire {
		order("an exchange at the server", w.Start, w.End)
	}
	for _, f := range o.History.Faults {
		order("a fault", 0, f.At)
	}
	for _, e := range o.History.Effects {
		order("an effect", 0, e.At)
	}
	for _, g := range o.Generators {
		if g.Wall <= 0 || g.Wall > 10*time.Minute {
			t.Errorf("arm %s took %v", g.Arm, g.Wall)
		}
	}
}
