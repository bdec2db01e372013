package servertest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"mcpstorm/history"
)

// Effects keeps the effects of a server, for use from any goroutine. The zero
// value is ready.
type Effects struct {
	// Fail says which effects cannot be recorded; nil: none. It is called for one
	// effect at a time.
	Fail func(history.Effect) error

	mu   sync.Mutex
	all  []history.Effect
	more chan struct{} // closed at the next effect; nil while nobody waits
}

// Effect implements refserver.EffectSink.
func (s *Effects) Effect(e history.Effect) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Fail != nil {
		if err := s.Fail(e); err != nil {
			return err
		}
	}
	s.all = append(s.all, e)
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
	return nil
}

// List gives all effects up to now.
func (s *Effects) List() []history.Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// Await waits until there are n effects of this kind.
func (s *Effects) Await(t testing.TB, kind history.EffectKind, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		more := s.next()
		if s.Count(kind) >= n {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			t.Fatalf("%d effects of kind %s, want %d", s.Count(kind), kind, n)
		}
	}
}

// next is closed at the next effect.
func (s *Effects) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.more == nil {
		s.more = make(chan struct{})
	}
	return s.more
}

// Count is how many effects there are of this kind.
func (s *Effects) Count(kind history.EffectKind) int {
	n := 0
	for _, e := range s.List() {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// Brief is the effects without numbers, times and digests.
func (s *Effects) Brief() []string {
	var out []string
	for _, e := range s.List() {
		line := fmt.Sprintf("%s %s", e.Kind, e.Key)
		if e.Sequence > 0 {
			line += fmt.Sprintf(" #%d", e.Sequence)
		}
		if e.Replayed {
			line += " replayed"
		}
		out = append(out, line)
	}
	return out
}
