package run_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/run"
)

// appends is a storm on the ledger; FAULTS, SERVER and ASSERT are filled in.
const appends = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 24, iterations: 1 } } };
export const storm = {
  servers: { tools: { server: 'ledger', toolLatency: '5ms' SERVER } },
  faults: FAULTS,
  ARMS
};
export default function () {
  const tools = mcp.rollout().connect('tools');
  for (let i = 0; i < 5; i++) tools.callTool({ name: 'TOOL', arguments: { text: 'x', key: 'k', value: 'v' } });
}`

const everyCut = `['C1', 'C2', 'C3', 'C4', 'C5', 'C6'].map((cut) => ({ on: 'tools', cut, share: 0.05 }))`

func ledgerScript(replace ...string) string {
	defaults := []string{"FAULTS", everyCut, "SERVER", "", "ARMS", "", "TOOL", "append"}
	return strings.NewReplacer(append(replace, defaults...)...).Replace(appends)
}

// invariant finds the verdict on one invariant.
func invariant(t *testing.T, o *run.Outcome, id string) history.Invariant {
	t.Helper()
	for _, i := range o.Verdict.Invariants {
		if i.ID == id {
			return i
		}
	}
	t.Fatalf("the verdict says nothing of %s", id)
	return history.Invariant{}
}

// TestMutationsByPolicy is the heart of the matter: what each client does to a
// mutation whose delivery is unknown.
func TestMutationsByPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy   string
		exit     int
		violated string // the invariant that is violated; empty for none
		fails    bool   // rollouts fail
	}{
		{"at-least-once", run.ExitViolated, "no-unsafe-replay", false},
		{"lookup", run.ExitViolated, "no-unsafe-replay", false},
		{"verifiers-2134", run.ExitPass, "", true},
		{"settle", run.ExitPass, "", false},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			o := hurry(t, ledgerScript(), run.Options{Seed: 1, Policies: []string{tt.policy}})
			if o.Exit != tt.exit {
				t.Errorf("exit %d, want %d: %s %v", o.Exit, tt.exit, o.Verdict.Reason, o.Troubles)
			}
			if failed := o.Verdict.Counts.Rollouts[history.Failed] > 0; failed != tt.fails {
				t.Errorf("rollouts failed: %t, want %t", failed, tt.fails)
			}
			if tt.violated != "" && invariant(t, o, tt.violated).Violated == 0 {
				t.Errorf("%s is not violated", tt.violated)
			}
		})
	}
}

// TestClientsThatDeceiveAreCaught: each by the invariant that the design says.
func TestClientsThatDeceiveAreCaught(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ policy, script string }{
		{"always-unknown", ledgerScript()},
		{"never-retries", ledgerScript("TOOL", "put")},
		{"teardown-masks", ledgerScript("SERVER", ", stateful: true", "FAULTS", `[{ on: 'tools', cut: 'C1', at: 'delete', share: 0.2 }]`)},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			o := hurry(t, tt.script, run.Options{Seed: 1, Policies: []string{tt.policy}})
			got := invariant(t, o, "no-spurious-failure")
			if o.Exit != run.ExitViolated || got.Violated == 0 || got.Proof == nil {
				t.Errorf("exit %d, %d spurious failures: %s", o.Exit, got.Violated, o.Verdict.Reason)
			}
		})
	}
}

// TestOneLieOfTheSDK: its documentation says that a call rejected by the
// transport never reached the server.
func TestOneLieOfTheSDK(t *testing.T) {
	t.Parallel()
	o := hurry(t, ledgerScript(), run.Options{Seed: 1, Policies: []string{"go-sdk"}})
	if got := invariant(t, o, "truthful-outcome"); o.Exit != run.ExitViolated || got.Violated == 0 {
		t.Errorf("exit %d, %d lies: %s", o.Exit, got.Violated, o.Verdict.Reason)
	}
}

func TestArmsMeetOnePlan(t *testing.T) {
	t.Parallel()
	o := hurry(t, ledgerScript("ARMS", `arms: { control: false, a: { policy: 'settle' }, b: { policy: 'at-least-once', judge: false } },`), run.Options{Seed: 1})
	if o.Exit != run.ExitPass {
		t.Fatalf("exit %d: %s %v", o.Exit, o.Verdict.Reason, o.Troubles)
	}
	if len(o.Verdict.Arms) != 2 || o.Verdict.Arms[0].Arm != "a" || o.Verdict.Arms[1].Replayed.Count == 0 {
		t.Errorf("the arms are %+v; want a, and b with replays", o.Verdict.Arms)
	}
	// Operations are numbered alike in every arm, so the marks of first attempts
	// can be laid side by side.
	first := map[string]map[string]string{"a": {}, "b": {}}
	for _, at := range o.History.Attempts {
		if at.Attempt == 1 && at.Role == history.RoleCall {
			_, iteration, err := wire.SplitTask(strings.SplitN(at.Op, "/", 2)[0])
			if err != nil {
				t.Fatal(err)
			}
			mark := ""
			if at.Mark != nil {
				mark = at.Mark.Rule + at.Mark.Cut
			}
			first[at.Arm][fmt.Sprintf("%d/%s", iteration, strings.SplitN(at.Op, "/", 2)[1])] = mark
		}
	}
	common, marked := 0, 0
	for exchange, mark := range first["a"] {
		other, ok := first["b"][exchange]
		if !ok {
			continue
		}
		common++
		if mark != "" {
			marked++
		}
		if other != mark {
			t.Errorf("%s is marked %q in one arm and %q in the other", exchange, mark, other)
		}
	}
	if common < 100 || marked < 10 {
		t.Errorf("the arms have %d exchanges in common, %d of them marked: too few to tell", common, marked)
	}
}

func TestRestarts(t *testing.T) {
	t.Parallel()
	lost := `[{ on: 'tools', cut: 'C4', share: 0.1, attempts: 1 }]`
	t.Run("an unknown mutation vetoes", func(t *testing.T) {
		o := hurry(t, ledgerScript("FAULTS", lost, "ARMS", `restarts: { max: 2 },`), run.Options{Seed: 1, Policies: []string{"at-most-once"}})
		if o.Verdict.Counts.Ops[history.ToldUnknown] == 0 {
			t.Fatal("nothing was told unknown, so nothing could veto")
		}
		for _, r := range o.History.Rollouts {
			if strings.HasSuffix(r.Rollout, ".2") {
				t.Fatalf("%s was restarted after an unknown mutation", r.Task)
			}
		}
	})
	t.Run("unless it is included by name, and then the replay is seen", func(t *testing.T) {
		o := hurry(t, ledgerScript("FAULTS", lost, "ARMS", `restarts: { max: 2, include: ['unknown'] },`), run.Options{Seed: 1, Policies: []string{"at-most-once"}})
		if got := invariant(t, o, "no-unsafe-replay"); o.Exit != run.ExitViolated || got.Violated == 0 {
			t.Errorf("exit %d, %d replays: %s", o.Exit, got.Violated, o.Verdict.Reason)
		}
	})
	t.Run("a reader is restarted and completes", func(t *testing.T) {
		o := hurry(t, ledgerScript("FAULTS", lost, "ARMS", `restarts: { max: 5 },`, "TOOL", "get"), run.Options{Seed: 1, Policies: []string{"at-most-once"}})
		restarted := 0
		for _, r := range o.History.Rollouts {
			if !strings.HasSuffix(r.Rollout, ".1") {
				restarted++
			}
		}
		if restarted == 0 {
			t.Error("no rollout was restarted")
		}
	})
}

// TestDirtyControlArm: a server that fails without faults says nothing about
// faults.
func TestDirtyControlArm(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m wire.Message
		json.Unmarshal(body, &m)
		switch {
		case m.Method == "tools/call" && calls.Add(1)%3 == 0:
			http.Error(w, "broken", http.StatusInternalServerError)
		case len(m.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
		}
	}))
	defer server.Close()
	script := strings.Replace(ledgerScript("TOOL", "get"), "{ server: 'ledger', toolLatency: '5ms'  }", "{ url: '"+server.URL+"/mcp', tools: { get: 'read-only' } }", 1)
	o := storm(t, script, run.Options{Seed: 1, Policies: []string{"never-retries"}})
	if o.Exit != run.ExitViolated {
		t.Errorf("exit %d, want %d: the main arm's operations end badly without a fault of their own", o.Exit, run.ExitViolated)
	}
	found := false
	for _, clause := range invariant(t, o, "coverage").Clauses {
		found = found || (clause.Status == history.Fail && strings.Contains(clause.Text, "HTTP 500"))
	}
	if !found {
		t.Errorf("coverage does not name what the server did: %+v", invariant(t, o, "coverage").Clauses)
	}
}

// TestStarvedHost takes the processor away from the generator: on the one that is
// left, every wake-up waits for eight goroutines that never rest.
func TestStarvedHost(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var stop atomic.Bool
	var burning sync.WaitGroup
	for range 8 {
		burning.Go(func() {
			for !stop.Load() {
			}
		})
	}
	o, err := start(t, t.Context(), strings.Replace(ledgerScript("FAULTS", "[]"), "i < 5", "i < 1", 1), run.Options{Seed: 1, VUs: 2, NoCharts: true})
	stop.Store(true)
	burning.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(o.Verdict.Reason, "harness-limited") || o.Exit != run.ExitInconclusive {
		t.Errorf("exit %d, because %s; want inconclusive, harness-limited", o.Exit, o.Verdict.Reason)
	}
}
