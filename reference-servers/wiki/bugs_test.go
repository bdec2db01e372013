package wiki_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reference-servers/internal/servertest"
)

func planted(bug string) refserver.Config { return refserver.Config{Bugs: []string{bug}} }

func TestKind(t *testing.T) {
	k, err := all.Servers().Lookup("wiki")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"FM-31", "FM-33"}, k.BugIDs()); diff != "" {
		t.Error(diff)
	}
	want := map[string]history.ReplayClass{
		"search_pages": history.ReadOnly, "view_sections": history.ReadOnly, "read_section": history.ReadOnly,
	}
	if diff := cmp.Diff(want, k.ClassesWith(k.BugIDs())); diff != "" {
		t.Error(diff)
	}
	if k.Settle != "" || k.Lookup != "" || k.NonceArgument != "nonce" {
		t.Errorf("%+v", k)
	}
}

// slowCall starts a wiki with one call of one rollout under way until the clock
// is released.
func slowCall(t *testing.T, cfg refserver.Config) (*servertest.Server, *servertest.HeldClock, <-chan answer) {
	held := servertest.NewHeldClock()
	cfg.Clock, cfg.ToolLatency = held, 5*time.Second
	s := start(t, cfg)
	slow := send(s, rollout, "search_pages", `{"query":"mill"}`)
	held.Wait(t)
	return s, held, slow
}

func TestFM31BlockingTool(t *testing.T) {
	s, held, slow := slowCall(t, planted("FM-31"))
	for _, call := range []struct{ what, method, params string }{
		{"a ping", "ping", `{}`},
		{"a call", "tools/call", `{"name":"read_section","arguments":{"section_id":"nowhere"}}`},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := s.RPC(ctx, "t000002.1", call.method, call.params); ctx.Err() == nil {
			t.Errorf("%s of another rollout was answered (%v)", call.what, err)
		}
		cancel()
	}
	held.Release()
	if a := <-slow; a.err != nil || a.IsError {
		t.Errorf("%+v", a)
	}
	if _, err := s.RPC(t.Context(), "t000002.1", "ping", `{}`); err != nil {
		t.Errorf("a ping afterwards: %v", err)
	}
}

func TestFM31Twin(t *testing.T) {
	s, held, slow := slowCall(t, refserver.Config{})
	if _, err := s.RPC(t.Context(), "t000002.1", "ping", `{}`); err != nil {
		t.Errorf("a ping: %v", err)
	}
	others := make([]<-chan answer, 8)
	for i := range others {
		others[i] = send(s, "t000002.1", "search_pages", `{"query":"mill"}`)
	}
	for range others {
		held.Wait(t) // all are under way at once
	}
	held.Release()
	for _, done := range append(others, slow) {
		if a := <-done; a.err != nil || a.IsError {
			t.Errorf("%+v", a)
		}
	}
}

// A server that is closed while a tool blocks it ends.
func TestFM31Close(t *testing.T) {
	s, _, slow := slowCall(t, planted("FM-31"))
	waiting := send(s, "t000002.1", "search_pages", `{"query":"mill"}`)
	if err := s.Stop(t); err != nil {
		t.Error(err)
	}
	<-slow
	<-waiting
	if diff := cmp.Diff([]string{"begin", "abort"}, kinds(s)); diff != "" {
		t.Error(diff)
	}
}

func kinds(s *servertest.Server) (out []string) {
	for _, e := range s.List() {
		out = append(out, string(e.Kind))
	}
	return out
}

// bleed makes two calls, the second while the first is under way, and gives both
// results.
func bleed(t *testing.T, cfg refserver.Config) (s *servertest.Server, first, second result) {
	held := servertest.NewHeldClock()
	cfg.Clock = held
	s = start(t, cfg)
	one := send(s, rollout, "search_pages", `{"query":"harbour","nonce":"n1"}`)
	held.Wait(t)
	two := send(s, "t000002.1", "search_pages", `{"query":"abbey","nonce":"n2"}`)
	held.Wait(t)
	held.Release()
	a1, a2 := <-one, <-two
	if a1.err != nil || a2.err != nil {
		t.Fatal(a1.err, a2.err)
	}
	return s, servertest.Payload[result](t, a1.ToolResult), servertest.Payload[result](t, a2.ToolResult)
}

func TestFM33SessionBleed(t *testing.T) {
	s, first, second := bleed(t, planted("FM-33"))
	if diff := cmp.Diff(second, first); diff != "" || first.Nonce != "n2" {
		t.Errorf("nothing bled: %+v, %+v", first, second)
	}
	if alone := ask(t, s, "search_pages", `{"query":"harbour","nonce":"n3"}`); alone.Nonce != "n3" {
		t.Errorf("alone: %+v", alone)
	}
}

func TestFM33Twin(t *testing.T) {
	_, first, second := bleed(t, refserver.Config{})
	if first.Nonce != "n1" || second.Nonce != "n2" || cmp.Equal(first.Pages, second.Pages) {
		t.Errorf("%+v, %+v", first, second)
	}
}
