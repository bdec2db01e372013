// Package clock is where time comes from. Everything that needs the time, a
// pause or a timer is handed a Clock, so that a test can hand it another; only
// this package calls time.Now and time.Sleep.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits. All methods may be called from any goroutine.
type Clock interface {
	// Now is the wall-clock time with a monotonic reading.
	Now() time.Time
	// Since is the time that has passed since t.
	Since(t time.Time) time.Duration
	// Sleep waits for d, or until ctx ends, and returns ctx's cause in that
	// case. A pause of zero or less returns at once.
	Sleep(ctx context.Context, d time.Duration) error
}

// System is the machine's own clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// Since implements Clock.
func (System) Since(t time.Time) time.Duration { return time.Since(t) }

// Sleep implements Clock.
func (System) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Base measures from one fixed moment: the monotonic base of a run.
type Base struct {
	clock Clock
	start time.Time
}

// NewBase fixes the base at the clock's present.
func NewBase(c Clock) *Base { return &Base{clock: c, start: c.Now()} }

// Wall is the wall-clock time of the base.
func (b *Base) Wall() time.Time { return b.start }

// Nanos is how many nanoseconds have passed since the base.
func (b *Base) Nanos() int64 { return int64(b.clock.Since(b.start)) }
