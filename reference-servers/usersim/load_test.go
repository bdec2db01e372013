package usersim_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/usersim"
)

// Every turn of every conversation is called twice at once, and is taken once.
func TestConversationsAtOnce(t *testing.T) {
	const conversations, turns = 256, 2 // four times as many as the client has connections
	s := start(t, refserver.Config{})
	var wg sync.WaitGroup
	for i := range conversations * 2 {
		wg.Go(func() {
			rollout := wire.TaskID(0, int64(i/2)) + ".1"
			for seq := range turns {
				r, err := s.call(t.Context(), rollout, fmt.Sprintf(`{"message":"m","seq":%d}`, seq))
				if err != nil || r.IsError {
					t.Errorf("%s: %+v (%v)", rollout, r, err)
				}
			}
		})
	}
	wg.Wait()
	nonces := map[string]bool{}
	commits := map[string]int{}
	for i, e := range s.List() {
		if e.N != int64(i+1) {
			t.Fatalf("line %d has number %d", i+1, e.N)
		}
		if e.Kind == history.EffectCommit {
			commits[e.Rollout+" "+e.Key]++
			nonces[e.Nonce] = true
		}
	}
	for op, n := range commits {
		if n != 1 {
			t.Errorf("%s: %d commits", op, n)
		}
	}
	if len(commits) != conversations*turns || len(nonces) != conversations*turns {
		t.Errorf("%d turns, %d nonces", len(commits), len(nonces))
	}
	if n := s.Count(history.EffectAnswer); n != conversations*turns*2 {
		t.Errorf("%d answers", n)
	}
}

// BenchmarkFirstTurn builds a conversation and takes its opening.
func BenchmarkFirstTurn(b *testing.B) {
	s := start(b, refserver.Config{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.respond(b, wire.TaskID(0, int64(i))+".1", `{"message":"","seq":0}`)
	}
}

// BenchmarkTurn takes further turns of one conversation.
func BenchmarkTurn(b *testing.B) {
	s := start(b, refserver.Config{})
	b.ReportAllocs()
	for seq := 0; b.Loop(); seq++ {
		s.respond(b, "t000001.1", fmt.Sprintf(`{"message":"","seq":%d}`, seq))
	}
}

// BenchmarkOpen opens and closes a server without a request.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		server, err := usersim.Kind().Open(refserver.Config{})
		if err != nil {
			b.Fatal(err)
		}
		if err := server.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
