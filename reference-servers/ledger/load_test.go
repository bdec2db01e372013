package ledger_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

// crowd lets many rollouts append twice at once, and gives how many of the
// answers carried another call's nonce.
func crowd(t *testing.T, b book, rollouts int) (foreign int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range rollouts * 2 {
		wg.Go(func() {
			task := wire.TaskID(0, int64(i/2))
			nonce := fmt.Sprintf("n%d", i)
			result, err := b.Call(t.Context(), task+".1", "append", fmt.Sprintf(`{"op":"%s/s%02d","text":"x","nonce":%q}`, task, i, nonce))
			if err != nil || result.IsError {
				t.Errorf("%s: %+v (%v)", task, result, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if servertest.Payload[changed](t, result).Nonce != nonce {
				foreign++
			}
		})
	}
	wg.Wait()
	return foreign
}

func TestRolloutsAtOnce(t *testing.T) {
	const rollouts = 256 // four times as many as the client has connections
	b := start(t, refserver.Config{})
	if foreign := crowd(t, b, rollouts); foreign > 0 {
		t.Errorf("%d answers with another call's nonce", foreign)
	}
	commits := map[string][]int64{}
	nonces := map[string]bool{}
	for i, e := range b.List() {
		if e.N != int64(i+1) {
			t.Fatalf("line %d has number %d", i+1, e.N)
		}
		if e.Kind == history.EffectCommit {
			commits[e.Rollout] = append(commits[e.Rollout], e.Sequence)
			nonces[e.Nonce] = true
		}
	}
	for rollout, sequence := range commits {
		if len(sequence) != 2 || sequence[0] != 1 || sequence[1] != 2 {
			t.Errorf("%s: commits %v", rollout, sequence)
		}
	}
	if len(commits) != rollouts || len(nonces) != 2*rollouts {
		t.Errorf("%d rollouts, %d nonces", len(commits), len(nonces))
	}
}

func TestFM33IsCaughtByTheCrowd(t *testing.T) {
	b := start(t, refserver.Config{Bugs: []string{"FM-33"}, ToolLatency: 20 * time.Millisecond})
	if foreign := crowd(t, b, 128); foreign == 0 {
		t.Error("nothing bled at 128")
	}
}

// BenchmarkFirstAppend opens a book and appends to it.
func BenchmarkFirstAppend(b *testing.B) {
	s := start(b, refserver.Config{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		servertest.Read[changed](b, s.Server, wire.TaskID(0, int64(i))+".1", "append", `{"op":"o","text":"x"}`)
	}
}

// BenchmarkAppend appends to one book.
func BenchmarkAppend(b *testing.B) {
	s := start(b, refserver.Config{})
	b.ReportAllocs()
	for b.Loop() {
		s.change(b, "append", `{"op":"o","text":"x"}`)
	}
}
