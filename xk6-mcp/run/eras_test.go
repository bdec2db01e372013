package run_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/run"
)

// eachCutOnce marks 16 first calls with each cut and manner, one a rollout, of an
// append that takes its time and is never sent again: the truth of the operation is
// that of the one call.
const eachCutOnce = `
import mcp from 'k6/x/mcp';
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'], manners = ['fin', 'rst'], each = 16;
const n = cuts.length * manners.length * each;
export const options = { scenarios: { s: { executor: 'shared-iterations', vus: 16, iterations: n } } };
export const storm = {
  servers: { tools: { server: 'ledger', toolLatency: '30ms' } },
  policy: 'at-most-once',
  arms: { control: false, main: {} },
  faults: Array.from({ length: n }, (_, i) => ({
    on: 'tools', op: 't' + String(i).padStart(6, '0') + '/s02', attempt: 1,
    cut: cuts[i % 6], manner: manners[Math.floor(i / 6) % 2],
  })),
  assert: ['truthful-outcome'],
};
export default function () {
  const tools = mcp.rollout().connect('tools');
  try { tools.callTool({ name: 'append', arguments: { text: 'x' } }); } catch (e) { if (e.told !== 'unknown') throw e; }
}`

// TestToldAndTruthByEra is what each cut comes to in each era: what was told, and how
// often it was executed. A server that was handed the whole call executes it in the
// one era, whoever hangs up; in the other a hang-up is a cancel, and only a call that
// was already executed stays so.
func TestToldAndTruthByEra(t *testing.T) {
	t.Parallel()
	const none, once = "unknown 0", "unknown 1"
	either := []string{none, once}
	may := map[string][]string{"C1": {none}, "C2": {none}, "C3": either, "C4": {once}, "C5": {once}, "C6": {once}}
	for era, must := range map[string]string{wire.EraSessions: once, wire.EraStateless: none} { // of C3
		t.Run(era, func(t *testing.T) {
			outcome := storm(t, eachCutOnce, run.Options{Seed: 1, Era: era})
			if outcome.Exit != run.ExitPass {
				t.Fatalf("exit %d: %s", outcome.Exit, outcome.Verdict.Reason)
			}
			seen := pairs(t, outcome.History)
			for cut, allowed := range may {
				for pair, n := range seen[cut] {
					if !slices.Contains(allowed, pair) {
						t.Errorf("%s came to %q %d times, want %q", cut, pair, n, allowed)
					}
				}
			}
			if seen["C3"][must] == 0 {
				t.Errorf("C3 never came to %q: %v", must, seen["C3"])
			}
			endings(t, outcome.History, era)
		})
	}
}

// pairs counts what each cut came to, as "told executions".
func pairs(t *testing.T, h *history.Run) map[string]map[string]int {
	t.Helper()
	commits, told := map[string]int{}, map[string]history.Told{}
	for _, e := range h.Effects {
		if e.Kind == history.EffectCommit {
			commits[e.Rollout]++
		}
	}
	for _, op := range h.Ops {
		if op.Kind == history.KindTool {
			told[op.Rollout] = op.Told
		}
	}
	seen := map[string]map[string]int{}
	for _, f := range h.Faults {
		if f.State != history.FaultDelivered {
			t.Errorf("%s %s of %s was %s: %s", f.Cut, f.Manner, f.Op, f.State, f.Reason)
			continue
		}
		if seen[f.Cut] == nil {
			seen[f.Cut] = map[string]int{}
		}
		seen[f.Cut][fmt.Sprintf("%s %d", told[f.Rollout], commits[f.Rollout])]++
	}
	return seen
}

// endings asks that whatever was begun was committed or aborted, and that only a
// cancel aborts.
func endings(t *testing.T, h *history.Run, era string) {
	t.Helper()
	open, aborted := map[string]int{}, 0
	for _, e := range h.Effects {
		switch e.Kind {
		case history.EffectBegin:
			open[e.Rollout]++
		case history.EffectCommit:
			open[e.Rollout]--
		case history.EffectAbort:
			open[e.Rollout]--
			aborted++
		}
	}
	for rollout, n := range open {
		if n != 0 {
			t.Errorf("%s began %d calls more than it ended", rollout, n)
		}
	}
	if (aborted > 0) != (era == wire.EraStateless) {
		t.Errorf("%d calls were aborted", aborted)
	}
}

// TestBothEras runs every arm once in each, and each exchange says which it was of.
func TestBothEras(t *testing.T) {
	t.Parallel()
	o := hurry(t, turnsScript, run.Options{Seed: 1, Era: "both"})
	if o.Exit != run.ExitPass {
		t.Fatalf("exit %d: %s %v", o.Exit, o.Verdict.Reason, o.Troubles)
	}
	if diff := cmp.Diff(wire.Eras(), o.History.Manifest.Eras); diff != "" {
		t.Errorf("the manifest's eras -want +got\n%s", diff)
	}
	var arms []string
	for _, arm := range o.History.Manifest.Arms {
		arms = append(arms, fmt.Sprintf("%s control=%t %s", arm.Name, arm.Control, arm.Servers[0].Era))
	}
	want := []string{
		"control@2025-11-25 control=true 2025-11-25", "control@2026-07-28 control=true 2026-07-28",
		"main@2025-11-25 control=false 2025-11-25", "main@2026-07-28 control=false 2026-07-28",
	}
	if diff := cmp.Diff(want, arms); diff != "" {
		t.Errorf("arms -want +got\n%s", diff)
	}
	roles := map[string]map[history.ExchangeRole]bool{wire.EraSessions: {}, wire.EraStateless: {}}
	for _, a := range o.History.Attempts {
		if !strings.HasSuffix(a.Arm, "@"+a.Era) {
			t.Fatalf("an exchange of arm %s says that it is of %s", a.Arm, a.Era)
		}
		roles[a.Era][a.Role] = true
	}
	if diff := cmp.Diff(map[string]map[history.ExchangeRole]bool{
		wire.EraSessions:  {history.RoleInitialize: true, history.RoleInitialized: true, history.RoleCall: true},
		wire.EraStateless: {history.RoleDiscover: true, history.RoleCall: true},
	}, roles); diff != "" {
		t.Errorf("roles -want +got\n%s", diff)
	}
}

// TestMutationsInTheStatelessEra: what a policy does to an unknown mutation does not
// hang on the era, except that a re-issue is what its changelog asks for.
func TestMutationsInTheStatelessEra(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy, reissue string
		exit            int
		repeated        bool // some operation was executed twice
	}{
		{"settle", "", run.ExitPass, false},
		{"verifiers-2134", "", run.ExitPass, false},
		{"at-least-once", "", run.ExitViolated, true},
	} {
		t.Run(tt.policy+tt.reissue, func(t *testing.T) {
			o := hurry(t, ledgerScript(), run.Options{Seed: 1, Era: wire.EraStateless, Policies: []string{tt.policy}, Reissue: tt.reissue})
			if o.Exit != tt.exit || repeated(o.History) != tt.repeated {
				t.Errorf("exit %d, repeated %t; want %d and %t: %s", o.Exit, repeated(o.History), tt.exit, tt.repeated, o.Verdict.Reason)
			}
		})
	}
}

// TestReissueIsWrittenDown: how it is judged is for the checks.
func TestReissueIsWrittenDown(t *testing.T) {
	t.Parallel()
	o := hurry(t, ledgerScript("FAULTS", `[{ on: 'tools', cut: 'C4', share: 0.2 }]`), run.Options{Seed: 1, Era: wire.EraStateless, Policies: []string{"at-most-once"}, Reissue: "spec"})
	if o.History.Manifest.Reissue != "spec" || !repeated(o.History) {
		t.Errorf("the manifest says %q; executed twice: %t", o.History.Manifest.Reissue, repeated(o.History))
	}
}

// repeated reports whether a mutation was committed twice under one key.
func repeated(h *history.Run) bool {
	seen := map[string]bool{}
	for _, e := range h.Effects {
		if e.Kind != history.EffectCommit || e.Sequence == 0 {
			continue
		}
		if at := e.Arm + e.Rollout + e.Key; seen[at] {
			return true
		} else {
			seen[at] = true
		}
	}
	return false
}

// TestResumedStreams: an answer that breaks after its stream named an event is
// fetched, and not asked for again.
func TestResumedStreams(t *testing.T) {
	t.Parallel()
	script := ledgerScript("SERVER", ", resumable: true", "FAULTS", `[{ on: 'tools', cut: 'C6', share: 0.2 }]`)
	o := storm(t, script, run.Options{Seed: 1, Policies: []string{"resume"}})
	if o.Exit != run.ExitPass || repeated(o.History) {
		t.Errorf("exit %d, repeated %t: %s", o.Exit, repeated(o.History), o.Verdict.Reason)
	}
	resumed := 0
	for _, a := range o.History.Attempts {
		if a.Role == history.RoleGet && a.Told == history.ToldOK && !strings.HasSuffix(a.Op, "/s01") {
			resumed++
		}
	}
	if resumed == 0 {
		t.Error("nothing was resumed")
	}
}

func TestErasThatAreRefused(t *testing.T) {
	server := func(with string) string {
		return strings.Replace(ledgerScript(), "toolLatency: '5ms'", "toolLatency: '5ms', "+with, 1)
	}
	for _, tt := range []struct {
		name, script string
		o            run.Options
		says         string
	}{
		{"an era that is none", ledgerScript(), run.Options{Era: "2024-11-05"}, `--era is "2024-11-05"; known: 2025-11-25, 2026-07-28, both`},
		{"in the script", server("era: 'new'"), run.Options{}, `servers.tools.era is "new"; known: 2025-11-25, 2026-07-28`},
		{"no server is of both", server("era: 'both'"), run.Options{}, `servers.tools.era is "both"`},
		{"sessions where there are none", server("stateful: true"), run.Options{Era: wire.EraStateless}, "servers.tools is stateful, and the era 2026-07-28 has no sessions"},
		{"streams that cannot be resumed", server("resumable: true, era: '2026-07-28'"), run.Options{}, "servers.tools is resumable"},
		{"an arm of its own era", ledgerScript("ARMS", "arms: { a: { era: '2026-07-28' } },"), run.Options{Era: "both"}, "arm a of the script has an era of its own"},
		{"a reissue that is none", ledgerScript(), run.Options{Reissue: "always"}, `--reissue is "always"; known: spec`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := start(t, t.Context(), tt.script, tt.o)
			var failed *run.Error
			if !errors.As(err, &failed) || failed.Code != run.ExitOptions || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}
