package wiki_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
	"mcpstorm/reference-servers/wiki"
)

// crowd lets many rollouts search at once, twice each, and gives how many of the
// answers carried another call's nonce.
func crowd(t *testing.T, s *servertest.Server, rollouts int) (foreign int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range rollouts {
		wg.Go(func() {
			rollout := wire.TaskID(0, int64(i)) + ".1"
			for n, call := range []string{`"query":"harbour"`, `"query":"old mill"`} {
				nonce := fmt.Sprintf("n%d.%d", i, n)
				r, err := s.Call(t.Context(), rollout, "search_pages", fmt.Sprintf(`{%s,"op":"s%d","nonce":%q}`, call, n, nonce))
				if err != nil {
					t.Errorf("%s: %v", rollout, err)
					return
				}
				p := servertest.Payload[result](t, r)
				mu.Lock()
				if p.Nonce != nonce {
					foreign++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return foreign
}

func TestRolloutsAtOnce(t *testing.T) {
	const rollouts = 256 // four times as many as the client has connections
	s := start(t, refserver.Config{})
	if foreign := crowd(t, s, rollouts); foreign > 0 {
		t.Errorf("%d answers with another call's nonce", foreign)
	}
	for i, e := range s.List() {
		if e.N != int64(i+1) {
			t.Fatalf("line %d has number %d", i+1, e.N)
		}
	}
	if n := s.Count(history.EffectCommit); n != 2*rollouts {
		t.Errorf("%d commits", n)
	}
}

func TestFM33IsCaughtByTheCrowd(t *testing.T) {
	s := start(t, refserver.Config{Bugs: []string{"FM-33"}, ToolLatency: 20 * time.Millisecond})
	if foreign := crowd(t, s, 128); foreign == 0 {
		t.Error("nothing bled at 128")
	}
}

// BenchmarkFirstSearch is the first call of a rollout.
func BenchmarkFirstSearch(b *testing.B) {
	s := start(b, refserver.Config{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		servertest.Read[result](b, s, wire.TaskID(0, int64(i))+".1", "search_pages", `{"query":"old harbour"}`)
	}
}

// BenchmarkSearch is any further one.
func BenchmarkSearch(b *testing.B) {
	s := start(b, refserver.Config{})
	b.ReportAllocs()
	for b.Loop() {
		ask(b, s, "search_pages", `{"query":"old harbour"}`)
	}
}

// BenchmarkOpen draws the corpus.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		server, err := wiki.Kind().Open(refserver.Config{})
		if err != nil {
			b.Fatal(err)
		}
		if err := server.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
