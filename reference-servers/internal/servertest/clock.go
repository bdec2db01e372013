package servertest

import (
	"context"
	"testing"
	"time"

	"mcpstorm/internal/clock"
)

// HeldClock tells of each pause that begins, and ends all of them at once. Its
// time is the machine's.
type HeldClock struct {
	clock.System
	began   chan struct{}
	release chan struct{}
}

// NewHeldClock makes a clock that holds every pause; at most 1024 may begin that
// the test does not wait for.
func NewHeldClock() *HeldClock {
	return &HeldClock{began: make(chan struct{}, 1024), release: make(chan struct{})}
}

// Sleep implements clock.Clock. How long the pause should be does not matter.
func (c *HeldClock) Sleep(ctx context.Context, _ time.Duration) error {
	c.began <- struct{}{}
	select {
	case <-c.release:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Wait waits for one more pause to begin.
func (c *HeldClock) Wait(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	select {
	case <-c.began:
	case <-ctx.Done():
		t.Fatal("no pause begins")
	}
}

// Began reports, without waiting, whether one more pause has begun.
func (c *HeldClock) Began() bool {
	select {
	case <-c.began:
		return true
	default:
		return false
	}
}

// Release ends every pause, those to come too. It is called once.
func (c *HeldClock) Release() { close(c.release) }
