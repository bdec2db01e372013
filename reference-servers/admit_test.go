package refserver_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// slow is a server whose requests wait until they are let go.
type slow struct {
	entered, release chan struct{}
}

func (s *slow) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.entered <- struct{}{}
	<-s.release
	w.WriteHeader(http.StatusAccepted)
}

func (s *slow) Close(context.Context) error { return nil }

func (s *slow) Counts() map[string]int64 { return map[string]int64{"places": 3} }

func TestAdmit(t *testing.T) {
	const most = 3
	behind := &slow{entered: make(chan struct{}), release: make(chan struct{})}
	kind := refserver.Kind{Name: "slow", Eras: []string{wire.EraSessions}, New: func(refserver.Config) (refserver.Server, error) { return behind, nil }}
	server, err := kind.Open(refserver.Config{Admit: most})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(method, "/r/t000001.1/mcp", nil))
		return w
	}
	codes := make(chan int)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wait := func(ch <-chan struct{}) {
		select {
		case <-ch:
		case <-ctx.Done():
			t.Fatal("a request was not taken")
		}
	}
	for range most {
		go func() { codes <- ask(http.MethodPost).Code }()
		wait(behind.entered)
	}
	if w := ask(http.MethodPost); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one too many got %d", w.Code)
	}
	go func() { codes <- ask(http.MethodGet).Code }() // takes no place
	wait(behind.entered)
	for range most + 1 {
		behind.release <- struct{}{}
		if code := <-codes; code != http.StatusAccepted {
			t.Errorf("one that was taken got %d", code)
		}
	}
	go func() { codes <- ask(http.MethodPost).Code }() // a place is free again
	wait(behind.entered)
	behind.release <- struct{}{}
	if code := <-codes; code != http.StatusAccepted {
		t.Errorf("after the others, one got %d", code)
	}
	if counts, ok := server.(interface{ Counts() map[string]int64 }); !ok || counts.Counts()["places"] != 3 {
		t.Error("what the server counts of itself is lost")
	}
	if _, err := kind.Open(refserver.Config{Admit: -1}); !errors.Is(err, refserver.ErrConfig) {
		t.Errorf("admit -1: %v", err)
	}
}
