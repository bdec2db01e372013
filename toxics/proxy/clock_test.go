package proxy_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mcpstorm/internal/clock"
	"mcpstorm/toxics/proxy"
)

// hand is a clock that stands still until a test moves it on. Its wall clock and
// its pauses below a second are the system's: sockets need them.
type hand struct {
	clock.System
	mu      sync.Mutex
	turn    *sync.Cond
	elapsed time.Duration
	waiting int
	begun   int // long pauses so far
}

func newHand() *hand {
	h := &hand{}
	h.turn = sync.NewCond(&h.mu)
	return h
}

// Since implements clock.Clock.
func (h *hand) Since(time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.elapsed
}

// Sleep implements clock.Clock.
func (h *hand) Sleep(ctx context.Context, d time.Duration) error {
	if d < time.Second {
		return h.System.Sleep(ctx, d)
	}
	defer context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.turn.Broadcast()
	})()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting++
	h.begun++
	defer func() { h.waiting-- }()
	for until := h.elapsed + d; h.elapsed < until; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		h.turn.Wait()
	}
	return nil
}

// pass moves the clock on.
func (h *hand) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.elapsed += d
	h.turn.Broadcast()
}

// awaitSleeper waits until somebody waits for the clock.
func (h *hand) awaitSleeper(t testing.TB) {
	t.Helper()
	waitUntil(t, "a burst waits for its time", func() bool { return h.sleepers() == 1 })
}

func (h *hand) sleepers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waiting
}

// options are those of a proxy that goes by this clock.
func (h *hand) options() proxy.Options {
	return proxy.Options{Clock: h, Base: clock.NewBase(h)}
}

// awaitPause waits until so many long pauses have begun in all.
func (h *hand) awaitPause(t testing.TB, n int) {
	t.Helper()
	waitUntil(t, "a pause begins", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.begun >= n
	})
}
