package ledger_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

const original = `{"op":"o","text":"x","nonce":"n"}`

func TestSettleBeforeTheOriginal(t *testing.T) {
	for _, tool := range []struct{ name, arguments string }{
		{"append", original}, {"put", `{"op":"o","key":"k","value":"v"}`},
	} {
		t.Run(tool.name, func(t *testing.T) {
			b := start(t, refserver.Config{})
			if s := b.settle(t, "o"); s.State != "voided" || len(s.Results) != 0 {
				t.Errorf("%+v", s)
			}
			for range 2 {
				if text := b.fails(t, tool.name, tool.arguments); text != "Error executing tool "+tool.name+`: op "o": voided by settle` {
					t.Errorf("the late original: %s", text)
				}
			}
			if s := b.settle(t, "o"); s.State != "voided" {
				t.Errorf("settled again: %+v", s)
			}
			want := []string{
				"begin settle:o", "commit settle:o", "answer settle:o", "refuse arg:o", "refuse arg:o",
				"begin settle:o", "commit settle:o", "answer settle:o",
			}
			if diff := cmp.Diff(want, b.Brief()); diff != "" {
				t.Error(diff)
			}
			if reason := b.List()[3].Reason; reason != `op "o": voided by settle` {
				t.Errorf("reason %q", reason)
			}
			b.change(t, "append", `{"op":"p","text":"x"}`) // another operation is not concerned
		})
	}
}

// during starts the original, settles it while it is under way, and lets it end.
func during(t *testing.T, cfg refserver.Config) (b book, s settled, late answer) {
	held := servertest.NewHeldClock()
	cfg.Clock, cfg.ToolLatency = held, time.Second
	b = start(t, cfg)
	sent := b.send(rollout, "append", original)
	held.Wait(t)
	s = b.settle(t, "o")
	held.Release()
	return b, s, <-sent
}

func TestSettleDuringTheOriginal(t *testing.T) {
	b, s, late := during(t, refserver.Config{})
	if s.State != "voided" {
		t.Errorf("%+v", s)
	}
	if late.err != nil || !late.IsError || late.Text() != `Error executing tool append: op "o": voided by settle` {
		t.Errorf("the original: %+v", late)
	}
	if texts := b.texts(t, rollout); len(texts) != 0 {
		t.Errorf("entries %q", texts)
	}
	want := []string{"begin arg:o", "begin settle:o", "commit settle:o", "answer settle:o", "abort arg:o"}
	if diff := cmp.Diff(want, b.Brief()[:5]); diff != "" {
		t.Error(diff)
	}
	if reason := b.List()[4].Reason; reason != `op "o": voided by settle` {
		t.Errorf("reason %q", reason)
	}
}

func TestSettleAfterTheOriginal(t *testing.T) {
	b := start(t, refserver.Config{})
	first := b.change(t, "append", original)
	for range 2 {
		s := b.settle(t, "o")
		if diff := cmp.Diff(settled{Op: "o", State: "done", Results: []changed{first}}, s); diff != "" {
			t.Error(diff)
		}
	}
	// What is settled stays so: not even the tool that appends each time does it again.
	if text := b.fails(t, "append", original); text != `Error executing tool append: op "o": settled as done` {
		t.Errorf("a repeat: %s", text)
	}
	if texts := b.texts(t, rollout); len(texts) != 1 {
		t.Errorf("entries %q", texts)
	}
}

func TestLookupPromisesNothing(t *testing.T) {
	held := servertest.NewHeldClock()
	b := start(t, refserver.Config{Clock: held})
	sent := b.send(rollout, "append", original)
	held.Wait(t)
	ask := func() bool {
		return servertest.Read[lookup](t, b.Server, rollout, "lookup", `{"op":"o"}`).Found
	}
	if ask() {
		t.Error("found before the commit")
	}
	held.Release()
	if late := <-sent; late.err != nil || late.IsError {
		t.Errorf("the original after a lookup: %+v", late)
	}
	if !ask() {
		t.Error("not found after the commit")
	}
}

// race sends two originals and two settles of each operation at once, and gives
// the state that each settle told, by operation.
func race(t *testing.T, b book, ops int) map[string][]string {
	var wg sync.WaitGroup
	var mu sync.Mutex
	states := map[string][]string{}
	for i := range ops {
		op := fmt.Sprintf("%s/s%02d", wire.TaskID(0, int64(i%8)), i)
		rollout := wire.TaskID(0, int64(i%8)) + ".1"
		for range 2 {
			wg.Go(func() {
				if _, err := b.Call(t.Context(), rollout, "append", `{"op":"`+op+`","text":"x"}`); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				result, err := b.Call(t.Context(), rollout, "settle", `{"op":"`+op+`"}`)
				if err != nil || result.IsError {
					t.Errorf("settle %s: %+v (%v)", op, result, err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				states[op] = append(states[op], servertest.Payload[settled](t, result).State)
			})
		}
	}
	wg.Wait()
	return states
}

// lateCommits are the operations that were committed after they had been settled.
func lateCommits(effects []history.Effect) (late []string) {
	settled := map[string]bool{}
	for _, e := range effects {
		op, about := strings.CutPrefix(e.Key, "settle:")
		if e.Kind != history.EffectCommit {
			continue
		}
		if about {
			settled[op] = true
		} else if op := strings.TrimPrefix(e.Key, "arg:"); settled[op] {
			late = append(late, op)
		}
	}
	return late
}

func TestSettlesAndOriginalsAtOnce(t *testing.T) {
	const ops = 100
	b := start(t, refserver.Config{ToolLatency: 2 * time.Millisecond})
	states := race(t, b, ops)
	if late := lateCommits(b.List()); len(late) > 0 {
		t.Errorf("committed after a settle: %q", late)
	}
	commits := map[string]int{}
	for _, e := range b.List() {
		if op, ok := strings.CutPrefix(e.Key, "arg:"); ok && e.Kind == history.EffectCommit {
			commits[op]++
		}
	}
	count := map[string]int{}
	for op, told := range states {
		if len(told) != 2 || told[0] != told[1] || (told[0] == "done") != (commits[op] > 0) {
			t.Errorf("%s: settled as %q, %d commits", op, told, commits[op])
		}
		count[told[0]]++
	}
	if len(states) != ops {
		t.Errorf("%d operations were settled", len(states))
	}
	t.Logf("%d done, %d voided", count["done"], count["voided"])
}
