package usersim_test

import (
	"context"
	"errors"
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

func TestTurnsAreTakenInOrder(t *testing.T) {
	s := start(t, refserver.Config{Turns: 3})
	var texts []string
	nonces := map[string]bool{}
	for seq := range 5 {
		p := s.turn(t, "t000001.1", fmt.Sprintf(`{"message":"m%d","seq":%d}`, seq, seq))
		nonces[p.Nonce] = true
		for _, m := range p.Messages {
			if m.Role != "user" {
				t.Errorf("role %q", m.Role)
			}
			texts = append(texts, m.Content)
		}
	}
	if len(texts) != 3 || len(nonces) != 5 {
		t.Errorf("%d texts, %d nonces", len(texts), len(nonces))
	}
	if s.Count(history.EffectCommit) != 5 {
		t.Errorf("an answer of the exhausted simulator is an advance too: %q", s.Brief())
	}
}

// script is what one rollout's user says, with the nonces.
func script(t *testing.T, cfg refserver.Config, rollout, message string) (texts, nonces []string) {
	s := start(t, cfg)
	for seq := range 4 {
		p := s.turn(t, rollout, fmt.Sprintf(`{"message":%q,"seq":%d}`, message, seq))
		texts = append(texts, p.Messages[0].Content)
		nonces = append(nonces, p.Nonce)
	}
	return texts, nonces
}

func TestTextIsDrawnFromSeedTaskAndTurn(t *testing.T) {
	blocks := map[int]string{0: "rollouts", 1: "rollouts"}
	texts, nonces := script(t, refserver.Config{Seed: 1, Blocks: blocks}, "t000001.1", "")
	for _, tt := range []struct {
		name       string
		cfg        refserver.Config
		rollout    string
		message    string
		sameTexts  bool
		sameNonces bool
	}{
		{"the same again", refserver.Config{Seed: 1, Blocks: blocks}, "t000001.1", "", true, true},
		{"another message", refserver.Config{Seed: 1, Blocks: blocks}, "t000001.1", "hello", true, true},
		{"a restart", refserver.Config{Seed: 1, Blocks: blocks}, "t000001.2", "", true, false},
		{"another arm's block", refserver.Config{Seed: 1, Blocks: blocks, Arm: "b"}, "t1000001.1", "", true, false},
		{"another server", refserver.Config{Seed: 1, Blocks: blocks, Name: "sim2"}, "t000001.1", "", true, false},
		{"another task", refserver.Config{Seed: 1, Blocks: blocks}, "t000002.1", "", false, false},
		{"another seed", refserver.Config{Seed: 2, Blocks: blocks}, "t000001.1", "", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gotTexts, gotNonces := script(t, tt.cfg, tt.rollout, tt.message)
			if cmp.Equal(texts, gotTexts) != tt.sameTexts || cmp.Equal(nonces, gotNonces) != tt.sameNonces {
				t.Errorf("texts %q, nonces %q; at first %q, %q", gotTexts, gotNonces, texts, nonces)
			}
		})
	}
}

func TestRepeatIsServedFromTheLog(t *testing.T) {
	s := start(t, refserver.Config{})
	first := s.respond(t, "t000001.1", `{"message":"a","seq":0}`)
	s.turn(t, "t000001.1", `{"message":"b","seq":2}`)
	again := s.respond(t, "t000001.1", `{"seq":0,"message":"a","unknown":[1]}`)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("a repeat differs: %s", diff)
	}
	want := []string{
		"begin seq:0", "commit seq:0 #1", "answer seq:0",
		"begin seq:2", "commit seq:2 #2", "answer seq:2",
		"answer seq:0 replayed",
	}
	if diff := cmp.Diff(want, s.Brief()); diff != "" {
		t.Error(diff)
	}
}

func TestEffectsOfATurn(t *testing.T) {
	s := start(t, refserver.Config{Name: "sim", Arm: "main"})
	p := s.turn(t, "t000001.1", `{"message":"hello","seq":4}`)
	want := history.Effect{
		Arm: "main", Server: "sim", Rollout: "t000001.1", Key: "seq:4", Tool: "respond", Digest: wire.Digest("hello"),
	}
	begin, commit, answer := want, want, want
	begin.Kind, begin.N = history.EffectBegin, 1
	commit.Kind, commit.N, commit.Sequence, commit.Nonce = history.EffectCommit, 2, 1, p.Nonce
	answer.Kind, answer.N, answer.Nonce = history.EffectAnswer, 3, p.Nonce
	got := s.List()
	for i := range got {
		got[i].At = 0
	}
	if diff := cmp.Diff([]history.Effect{begin, commit, answer}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSequenceCountsPerConversation(t *testing.T) {
	s := start(t, refserver.Config{})
	for _, rollout := range []string{"t000001.1", "t000002.1", "t000001.1"} {
		s.turn(t, rollout, `{"message":""}`)
	}
	var got []string
	for _, e := range s.List() {
		if e.Kind == history.EffectCommit {
			got = append(got, fmt.Sprintf("%s #%d", e.Rollout, e.Sequence))
		}
	}
	if diff := cmp.Diff([]string{"t000001.1 #1", "t000002.1 #1", "t000001.1 #2"}, got); diff != "" {
		t.Error(diff)
	}
}

// Without a sequence number nothing is deduplicated: neither absent nor
// negative, and an absent one is not the zero that names the opening.
func TestWithoutSequenceNumber(t *testing.T) {
	s := start(t, refserver.Config{})
	nonces := map[string]bool{}
	for _, arguments := range []string{
		`{"message":"a"}`, `{"message":"a"}`, `{"message":"a","seq":-1}`, `{"message":"a","seq":-1}`, `{"message":"a","seq":-5}`, `{"message":"a","seq":0}`,
	} {
		nonces[s.turn(t, "t000001.1", arguments).Nonce] = true
	}
	if len(nonces) != 6 {
		t.Errorf("%d turns taken by 6 calls", len(nonces))
	}
	key := wire.KeyRule{SeqArgument: "seq"}.Key("respond", []byte(`{"message":"a"}`))
	if got := s.List()[0].Key; got != key || !strings.HasPrefix(got, "args:") {
		t.Errorf("key %q, on the wire %q", got, key)
	}
}

func TestConflictIsRefused(t *testing.T) {
	s := start(t, refserver.Config{})
	first := s.respond(t, "t000001.1", `{"message":"a","seq":3}`)
	conflict := s.respond(t, "t000001.1", `{"message":"b","seq":3}`)
	if !conflict.IsError || conflict.Text() != "Error executing tool respond: seq:3: used before with another message" {
		t.Errorf("%+v", conflict)
	}
	if diff := cmp.Diff(first, s.respond(t, "t000001.1", `{"message":"a","seq":3}`)); diff != "" {
		t.Errorf("the conflict changed the record: %s", diff)
	}
	want := []string{"begin seq:3", "commit seq:3 #1", "answer seq:3", "refuse seq:3", "answer seq:3 replayed"}
	if diff := cmp.Diff(want, s.Brief()); diff != "" {
		t.Error(diff)
	}
	if r := s.List()[3]; r.Reason != "seq:3: used before with another message" || r.Digest != wire.Digest("b") {
		t.Errorf("%+v", r)
	}
	s.turn(t, "t000002.1", `{"message":"b","seq":3}`) // another rollout has a log of its own
}

func TestForgottenSequenceNumberIsRefused(t *testing.T) {
	s := start(t, refserver.Config{Turns: 1})
	const depth = 1024
	for seq := range depth + 2 {
		s.turn(t, "t000001.1", fmt.Sprintf(`{"message":"","seq":%d}`, seq))
	}
	for _, seq := range []int{0, 1} {
		r := s.respond(t, "t000001.1", fmt.Sprintf(`{"message":"","seq":%d}`, seq))
		if !r.IsError || !strings.Contains(r.Text(), fmt.Sprintf("seq:%d: older than the replay log", seq)) {
			t.Errorf("%d: %+v", seq, r)
		}
	}
	s.turn(t, "t000001.1", `{"message":"","seq":2}`)
	if n := s.Count(history.EffectCommit); n != depth+2 {
		t.Errorf("%d commits", n)
	}
}

// overlap sends the same call twice so that the second arrives while the first
// is simulated, and gives both results.
func overlap(t *testing.T, cfg refserver.Config, simulated int) (*sim, []wire.ToolResult) {
	held := servertest.NewHeldClock()
	cfg.Clock, cfg.TurnLatency = held, 50*time.Millisecond
	s := start(t, cfg)
	results := make([]wire.ToolResult, 2)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			var err error
			if results[i], err = s.call(t.Context(), "t000001.1", `{"message":"a","seq":0}`); err != nil {
				t.Error(err)
			}
		})
	}
	for range simulated {
		held.Wait(t)
	}
	held.Release()
	wg.Wait()
	return s, results
}

func TestRepeatsInFlightTakeOneTurn(t *testing.T) {
	s, results := overlap(t, refserver.Config{}, 1)
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Error(diff)
	}
	want := []string{"begin seq:0", "commit seq:0 #1", "answer seq:0", "answer seq:0 replayed"}
	if diff := cmp.Diff(want, s.Brief()); diff != "" {
		t.Error(diff)
	}
}

func TestBurstOfRepeatsInRealTime(t *testing.T) {
	s := start(t, refserver.Config{TurnLatency: 50 * time.Millisecond})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.call(t.Context(), "t000001.1", `{"message":"a","seq":0}`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.Count(history.EffectCommit); n != 1 {
		t.Errorf("%d commits", n)
	}
}

// In the 2025-11-25 era a disconnect is no cancel: the turn is taken, and the
// repeat is served from the log.
func TestDisconnectIsNoCancel(t *testing.T) {
	for _, stateful := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateful %t", stateful), func(t *testing.T) {
			held := servertest.NewHeldClock()
			s := start(t, refserver.Config{Clock: held, Stateful: stateful})
			session := ""
			if stateful {
				session = s.Connect(t, "t000001.1").ID()
			}
			call := []byte(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"respond","arguments":{"message":"","seq":0}}}`)
			ctx, cancel := context.WithCancel(t.Context())
			gone := make(chan error, 1)
			go func() {
				_, _, _, err := s.Post(ctx, "t000001.1", session, call)
				gone <- err
			}()
			held.Wait(t)
			cancel()
			if err := <-gone; !errors.Is(err, context.Canceled) {
				t.Fatalf("the call was answered: %v", err)
			}
			held.Release()
			again := []byte(`{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"respond","arguments":{"message":"","seq":0}}}`)
			if status, _, body, err := s.Post(t.Context(), "t000001.1", session, again); err != nil || status != 200 {
				t.Fatalf("repeat: %d %s (%v)", status, body, err)
			}
			want := []string{"begin seq:0", "commit seq:0 #1", "answer seq:0", "answer seq:0 replayed"}
			if diff := cmp.Diff(want, s.Brief()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCloseAbortsTurnsUnderWay(t *testing.T) {
	held := servertest.NewHeldClock()
	s := start(t, refserver.Config{Clock: held})
	gone := make(chan error, 1)
	go func() {
		_, err := s.call(context.Background(), "t000001.1", `{"message":"","seq":0}`)
		gone <- err
	}()
	held.Wait(t)
	if err := s.Stop(t); err != nil {
		t.Error(err)
	}
	<-gone
	if diff := cmp.Diff([]string{"begin seq:0", "abort seq:0"}, s.Brief()); diff != "" {
		t.Error(diff)
	}
	if reason := s.List()[1].Reason; reason != refserver.ErrClosed.Error() {
		t.Errorf("reason %q", reason)
	}
}

func TestLostEffects(t *testing.T) {
	errDisk := errors.New("no space left")
	for _, tt := range []struct {
		name  string
		kind  history.EffectKind
		first []string // records of the call that met the failure
		then  []string // records of its repeat
	}{
		{"begin", history.EffectBegin, nil, []string{"begin seq:0", "commit seq:0 #1", "answer seq:0"}},
		{"commit", history.EffectCommit, []string{"begin seq:0", "abort seq:0"}, []string{"begin seq:0", "commit seq:0 #1", "answer seq:0"}},
		{"answer", history.EffectAnswer, []string{"begin seq:0", "commit seq:0 #1"}, []string{"answer seq:0 replayed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failed := false
			s := start(t, refserver.Config{Effects: &servertest.Effects{Fail: func(e history.Effect) error {
				if failed || e.Kind != tt.kind {
					return nil
				}
				failed = true
				return errDisk
			}}})
			r := s.respond(t, "t000001.1", `{"message":"","seq":0}`)
			if !r.IsError || !strings.Contains(r.Text(), "effect not recorded: "+tt.name) {
				t.Errorf("%+v", r)
			}
			if diff := cmp.Diff(tt.first, s.Brief()); diff != "" {
				t.Error(diff)
			}
			s.turn(t, "t000001.1", `{"message":"","seq":0}`)
			if diff := cmp.Diff(append(tt.first, tt.then...), s.Brief()); diff != "" {
				t.Error(diff)
			}
			if err := s.Stop(t); !errors.Is(err, errDisk) || !errors.Is(err, refserver.ErrEffect) {
				t.Errorf("the end does not tell: %v", err)
			}
		})
	}
}
