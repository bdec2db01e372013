package refserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"mcpstorm/internal/wire"
)

// Rollouts serves every rollout at its own path, /r/<rollout>/mcp, and each by
// an endpoint of its own that is built on the first request. Sessions of one
// path are therefore unknown on another: a session id from elsewhere gets 404,
// where one shared handler would answer it from the conversation that it was
// issued in. Other paths get 404.
type Rollouts struct {
	build func(rollout string) *Endpoint
	limit int

	mu      sync.Mutex
	open    map[string]func() *Endpoint // each builds once
	closed  bool
	running sync.WaitGroup // requests being served
}

// NewRollouts makes a handler for at most limit rollouts. It calls build at
// most once for each rollout, and for several at once.
func NewRollouts(limit int, build func(rollout string) *Endpoint) *Rollouts {
	return &Rollouts{build: build, limit: limit, open: make(map[string]func() *Endpoint)}
}

// ServeHTTP implements http.Handler. One rollout too many, and any request
// after Close, gets 503 with the error's text.
func (m *Rollouts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rollout, ok := wire.RolloutFromPath(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	endpoint, err := m.enter(rollout)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer m.running.Done()
	endpoint().ServeHTTP(w, r)
}

// enter finds or admits a rollout and counts one request in.
func (m *Rollouts) enter(rollout string) (func() *Endpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	endpoint, ok := m.open[rollout]
	if !ok {
		if len(m.open) >= m.limit {
			return nil, fmt.Errorf("%w: %q would be number %d of at most %d", ErrTooMany, rollout, len(m.open)+1, m.limit)
		}
		endpoint = sync.OnceValue(func() *Endpoint { return m.build(rollout) })
		m.open[rollout] = endpoint
	}
	m.running.Add(1)
	return endpoint, nil
}

// Len is how many rollouts have been seen.
func (m *Rollouts) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

// Close refuses further requests, ends every session, and waits until no
// request is being served or ctx ends. The tools must not wait for ever.
func (m *Rollouts) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		err := m.closeSessions()
		m.running.Wait()
		// A request that was under way may have opened one more session.
		done <- errors.Join(err, m.closeSessions())
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("refserver: closing: %w", context.Cause(ctx))
	}
}

// closeSessions needs no lock: once closed, the map does not change.
func (m *Rollouts) closeSessions() error {
	var errs []error
	for _, endpoint := range m.open {
		errs = append(errs, endpoint().Close())
	}
	return errors.Join(errs...)
}
