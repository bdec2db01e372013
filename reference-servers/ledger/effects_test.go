package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

func TestEffectsOfEachTool(t *testing.T) {
	b := start(t, refserver.Config{Name: "tools", Arm: "main"})
	calls := []struct {
		tool, arguments, key string
		sequence             int64
	}{
		{"append", `{"op":"o1","text":"x"}`, "arg:o1", 1},
		{"get", `{"op":"o2"}`, "arg:o2", 0},
		{"put", `{"op":"o3","key":"k","value":"v"}`, "arg:o3", 2},
		{"lookup", `{"op":"o1"}`, "lookup:o1", 0},
		{"settle", `{"op":"o1"}`, "settle:o1", 0},
		{"append", `{"op":"o4","text":"y"}`, "arg:o4", 3},
	}
	nonces := map[string]bool{}
	for i, call := range calls {
		result, err := b.Call(t.Context(), rollout, call.tool, call.arguments)
		if err != nil || result.IsError {
			t.Fatalf("%s: %+v (%v)", call.tool, result, err)
		}
		effects := b.List()[3*i:]
		commit := history.Effect{
			Arm: "main", Server: "tools", Rollout: rollout, Key: call.key, Tool: call.tool, Kind: history.EffectCommit,
			N: int64(3*i + 2), Sequence: call.sequence, Nonce: effects[1].Nonce,
			Digest: refserver.DigestArguments(call.tool, []byte(call.arguments)),
		}
		if commit.State = effects[1].State; (commit.State != "") != (call.sequence > 0) {
			t.Errorf("%s: state %q", call.tool, commit.State)
		}
		begin, answer := commit, commit
		begin.State, answer.State = "", ""
		begin.Kind, begin.N, begin.Sequence, begin.Nonce = history.EffectBegin, commit.N-1, 0, ""
		answer.Kind, answer.N, answer.Sequence = history.EffectAnswer, commit.N+1, 0
		if diff := cmp.Diff([]history.Effect{begin, commit, answer}, effects, cmpopts.IgnoreFields(history.Effect{}, "At")); diff != "" {
			t.Errorf("%s: %s", call.tool, diff)
		}
		if (len(commit.Nonce) == 16) != (call.sequence > 0) {
			t.Errorf("%s: nonce %q", call.tool, commit.Nonce)
		}
		nonces[commit.Nonce] = true
	}
	if len(nonces) != 4 { // three changes, and none for the rest
		t.Errorf("nonces %v", nonces)
	}
}

// commitNonces are the nonces of two commits of a rollout.
func commitNonces(t *testing.T, cfg refserver.Config, rollout string, text string) (nonces []string) {
	b := start(t, cfg)
	for range 2 {
		servertest.Read[changed](t, b.Server, rollout, "append", `{"op":"o","text":"`+text+`"}`)
	}
	for _, e := range b.List() {
		if e.Kind == history.EffectCommit {
			nonces = append(nonces, e.Nonce)
		}
	}
	return nonces
}

func TestCommitNonceIsDrawnFromSeedServerRolloutAndOrdinal(t *testing.T) {
	first := commitNonces(t, refserver.Config{Seed: 1}, rollout, "a")
	if first[0] == first[1] {
		t.Errorf("two commits have the nonce %s", first[0])
	}
	for _, tt := range []struct {
		name          string
		cfg           refserver.Config
		rollout, text string
		same          bool
	}{
		{"the same again", refserver.Config{Seed: 1}, rollout, "a", true},
		{"another text in another arm", refserver.Config{Seed: 1, Arm: "b"}, rollout, "b", true},
		{"another seed", refserver.Config{Seed: 2}, rollout, "a", false},
		{"another server", refserver.Config{Seed: 1, Name: "tools2"}, rollout, "a", false},
		{"a restart", refserver.Config{Seed: 1}, "t000001.2", "a", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := commitNonces(t, tt.cfg, tt.rollout, tt.text); cmp.Equal(first, got) != tt.same {
				t.Errorf("%q, at first %q", got, first)
			}
		})
	}
}

func TestRolloutsHaveBooksOfTheirOwn(t *testing.T) {
	b := start(t, refserver.Config{})
	b.change(t, "append", `{"op":"o","text":"mine"}`)
	if texts := b.texts(t, "t000002.1"); len(texts) != 0 {
		t.Errorf("the other book has %q", texts)
	}
	if found := servertest.Read[lookup](t, b.Server, "t000002.1", "lookup", `{"op":"o"}`).Found; found {
		t.Error("the operation of another rollout is found")
	}
	b.settle(t, "p")
	servertest.Read[changed](t, b.Server, "t000002.1", "append", `{"op":"p","text":"theirs"}`)
}

// In the 2025-11-25 era a disconnect is no cancel: the entry is appended.
func TestDisconnectIsNoCancel(t *testing.T) {
	for _, tool := range []struct{ name, arguments string }{
		{"append", `{"op":"o","text":"x"}`}, {"put", `{"op":"o","key":"k","value":"v"}`},
	} {
		t.Run(tool.name, func(t *testing.T) {
			held := servertest.NewHeldClock()
			b := start(t, refserver.Config{Clock: held})
			ctx, cancel := context.WithCancel(t.Context())
			gone := make(chan error, 1)
			go func() {
				_, err := b.Call(ctx, rollout, tool.name, tool.arguments)
				gone <- err
			}()
			held.Wait(t)
			cancel()
			if err := <-gone; !errors.Is(err, context.Canceled) {
				t.Fatalf("the call was answered: %v", err)
			}
			held.Release()
			b.Await(t, history.EffectAnswer, 1)
			if diff := cmp.Diff([]string{"begin arg:o", "commit arg:o #1", "answer arg:o"}, b.Brief()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCloseAbortsCallsUnderWay(t *testing.T) {
	held := servertest.NewHeldClock()
	b := start(t, refserver.Config{Clock: held})
	gone := b.send(rollout, "append", `{"op":"o","text":"x"}`)
	held.Wait(t)
	if err := b.Stop(t); err != nil {
		t.Error(err)
	}
	<-gone
	if diff := cmp.Diff([]string{"begin arg:o", "abort arg:o"}, b.Brief()); diff != "" {
		t.Error(diff)
	}
	if reason := b.List()[1].Reason; reason != refserver.ErrClosed.Error() {
		t.Errorf("reason %q", reason)
	}
}

func TestLostEffects(t *testing.T) {
	errDisk := errors.New("no space left")
	for _, tt := range []struct {
		name, tool, arguments string
		kind                  history.EffectKind
		want                  []string // records of the call that met the failure
		entries               int      // in the book afterwards
		voided                bool     // operation p is
	}{
		{"begin", "append", `{"op":"o","text":"x"}`, history.EffectBegin, nil, 0, false},
		{"commit", "append", `{"op":"o","text":"x"}`, history.EffectCommit, []string{"begin arg:o", "abort arg:o"}, 0, false},
		{"answer", "append", `{"op":"o","text":"x"}`, history.EffectAnswer, []string{"begin arg:o", "commit arg:o #1"}, 1, false},
		{"commit of a settle", "settle", `{"op":"p"}`, history.EffectCommit, []string{"begin settle:p", "abort settle:p"}, 0, false},
		{"answer of a settle", "settle", `{"op":"p"}`, history.EffectAnswer, []string{"begin settle:p", "commit settle:p"}, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failed := false
			b := start(t, refserver.Config{Effects: &servertest.Effects{Fail: func(e history.Effect) error {
				if failed || e.Kind != tt.kind {
					return nil
				}
				failed = true
				return errDisk
			}}})
			if text := b.fails(t, tt.tool, tt.arguments); !strings.Contains(text, "effect not recorded: "+string(tt.kind)) {
				t.Error(text)
			}
			if diff := cmp.Diff(tt.want, b.Brief()); diff != "" {
				t.Error(diff)
			}
			if texts := b.texts(t, rollout); len(texts) != tt.entries {
				t.Errorf("entries %q", texts)
			}
			result, err := b.Call(t.Context(), rollout, "append", `{"op":"p","text":"x"}`)
			if err != nil || result.IsError != tt.voided {
				t.Errorf("appending under p: %+v (%v)", result, err)
			}
			if err := b.Stop(t); !errors.Is(err, errDisk) || !errors.Is(err, refserver.ErrEffect) {
				t.Errorf("the end does not tell: %v", err)
			}
		})
	}
}
