package wiki

import (
	"context"
	"net/http"
)

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Config.HasBug(blocking) {
		s.awaitLoop()
	}
	s.Core.ServeHTTP(w, r)
}

// awaitLoop waits until no call takes its time, as a request waits for the event
// loop of a server whose tools block it.
func (s *server) awaitLoop() {
	s.loop.Lock()
	defer s.loop.Unlock()
}

// takeTime is the time that a call takes, for which nobody else has to wait.
func (s *server) takeTime(ctx context.Context) error {
	if s.Config.HasBug(blocking) {
		s.loop.Lock()
		defer s.loop.Unlock()
	}
	return s.Pause(ctx, s.Config.ToolLatency)
}

// enter notes the result of the call that came last.
func (s *server) enter(r result) {
	if s.Config.HasBug(bleeding) {
		s.last.Store(&r)
	}
}

// current is the result of the call that is being answered. A server whose
// sessions bleed takes the call that came last for it, by whomever it was made;
// alone, it is right.
func (s *server) current(r result) result {
	if last := s.last.Load(); last != nil {
		return *last
	}
	return r
}
