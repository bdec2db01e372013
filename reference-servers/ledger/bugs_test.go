package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reference-servers/internal/servertest"
	"mcpstorm/reference-servers/ledger"
)

func planted(bug string) refserver.Config { return refserver.Config{Bugs: []string{bug}} }

func TestKind(t *testing.T) {
	k, err := all.Servers().Lookup("ledger")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"FM-24", "FM-33", "FM-59", "NO-CANCEL"}, k.BugIDs()); diff != "" {
		t.Error(diff)
	}
	want := map[string]history.ReplayClass{
		"append": history.Unsafe, "put": history.Idempotent, "get": history.ReadOnly,
		"lookup": history.ReadOnly, "settle": history.Idempotent,
	}
	if diff := cmp.Diff(want, k.ClassesWith([]string{"FM-33", "FM-59"})); diff != "" {
		t.Error(diff)
	}
	if k.NonceArgument != "nonce" || k.Settle != "settle" || k.Lookup != "lookup" {
		t.Errorf("%+v", k)
	}
}

func TestFM24FalseHint(t *testing.T) {
	b := start(t, planted("FM-24"))
	got, err := b.RPC(t.Context(), rollout, "tools/list", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	servertest.SameJSON(t, toolsList(`"annotations":`+safeToRepeat+`,`), got)
	k := ledger.Kind()
	if class := k.ClassesWith([]string{"FM-24"})["append"]; class != history.Idempotent {
		t.Errorf("declared as %q", class)
	}
	if class := k.Classes["append"]; class != history.Unsafe {
		t.Errorf("the bug changed the contract of the kind: %q", class)
	}
	// A client that believes it repeats the call.
	b.change(t, "append", original)
	b.change(t, "append", original)
	if texts := b.texts(t, rollout); len(texts) != 2 {
		t.Errorf("entries %q", texts)
	}
}

// bleed makes two calls of append in two rollouts, the second while the first is
// under way, and gives the nonce that the first carries back and both books.
func bleed(t *testing.T, cfg refserver.Config) (b book, echo string, first, second []string) {
	held := servertest.NewHeldClock()
	cfg.Clock = held
	b = start(t, cfg)
	one := b.send(rollout, "append", `{"op":"o1","text":"one","nonce":"n1"}`)
	held.Wait(t)
	two := b.send("t000002.1", "append", `{"op":"o2","text":"two","nonce":"n2"}`)
	held.Wait(t)
	held.Release()
	a1, a2 := <-one, <-two
	if a1.err != nil || a2.err != nil {
		t.Fatal(a1.err, a2.err)
	}
	if p := servertest.Payload[changed](t, a2.ToolResult); p.Nonce != "n2" {
		t.Errorf("the last call got nonce %q", p.Nonce)
	}
	return b, servertest.Payload[changed](t, a1.ToolResult).Nonce, b.texts(t, rollout), b.texts(t, "t000002.1")
}

func TestFM33SessionBleed(t *testing.T) {
	b, echo, first, second := bleed(t, planted("FM-33"))
	if echo != "n2" || len(first) != 0 || len(second) != 2 {
		t.Errorf("nothing bled: nonce %q, books %q and %q", echo, first, second)
	}
	landed := 0
	for _, e := range b.List() {
		if e.Kind == history.EffectCommit && e.Key == "arg:o1" && e.Rollout == "t000002.1" {
			landed++
		}
	}
	if landed != 1 {
		t.Errorf("the record does not tell where the entry landed: %q", b.Brief())
	}
	// Alone, a caller is served rightly.
	if got := b.change(t, "append", `{"op":"o3","text":"three","nonce":"n3"}`); got.Nonce != "n3" {
		t.Errorf("%+v", got)
	}
	if texts := b.texts(t, rollout); !cmp.Equal(texts, []string{"three"}) {
		t.Errorf("entries %q", texts)
	}
}

func TestFM33Twin(t *testing.T) {
	_, echo, first, second := bleed(t, refserver.Config{})
	if echo != "n1" || !cmp.Equal(first, []string{"one"}) || !cmp.Equal(second, []string{"two"}) {
		t.Errorf("nonce %q, books %q and %q", echo, first, second)
	}
}

func TestFM59NoFence(t *testing.T) {
	b, s, late := during(t, planted("FM-59"))
	if s.State != "voided" || late.err != nil || late.IsError {
		t.Errorf("settled as %q, and then %+v", s.State, late)
	}
	if texts := b.texts(t, rollout); len(texts) != 1 {
		t.Errorf("entries %q", texts)
	}
	if s := b.settle(t, "p"); s.State != "voided" {
		t.Errorf("%+v", s)
	}
	b.change(t, "append", `{"op":"p","text":"x"}`) // a late arrival is not refused either
	if diff := cmp.Diff([]string{"o", "p"}, lateCommits(b.List())); diff != "" {
		t.Error(diff)
	}
}

func TestFM59IsCaughtByTheRace(t *testing.T) {
	b := start(t, refserver.Config{Bugs: []string{"FM-59"}, ToolLatency: 20 * time.Millisecond})
	race(t, b, 50)
	if len(lateCommits(b.List())) == 0 {
		t.Error("no commit after a void, although nothing fences")
	}
}
