package main

import (
	"bytes"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// said is what the command says; it may be read while more is written.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// What a signal is told to do is what it does: before the last rollout has ended it stops
// the run, and after that the run is judged all the same.
func TestASignalIsToldWhatItDoes(t *testing.T) {
	for _, tt := range []struct {
		name     string
		recorded bool
		want     string
	}{
		{"while it runs", false, "mcpstorm: stopping; the history so far is kept (again to stop at once)\n"},
		{"while it is judged", true, "mcpstorm: the run has ended and its history is kept; judging it goes on (again to stop at once)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			screen := &said{}
			stop, recorded, release := signalsTo(screen)
			defer release()
			if tt.recorded {
				recorded()
			}
			if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			until(t, "the signal is told", func() bool { return strings.HasSuffix(screen.String(), "\n") })
			<-stop.Done()
			if got := screen.String(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
