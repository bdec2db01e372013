package run_test

import (
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// eachCut marks 40 first attempts with each cut and manner, one a rollout, and
// never sends a call again: the truth of the operation is the truth of that one
// attempt.
const eachCut = `
import mcp from 'k6/x/mcp';
const cuts = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'], manners = ['fin', 'rst'], each = 40;
const n = cuts.length * manners.length * each;
export const options = { scenarios: { s: { executor: 'shared-iterations', vus: 32, iterations: n } } };
export const storm = {
  servers: { sim: 'usersim' },
  policy: 'at-most-once',
  arms: { control: false, main: {} },
  faults: Array.from({ length: n }, (_, i) => ({
    on: 'sim', op: 't' + String(i).padStart(6, '0') + '/s02', attempt: 1,
    cut: cuts[i % 6], manner: manners[Math.floor(i / 6) % 2],
  })),
  assert: ['truthful-outcome'],
};
export default function () {
  const user = mcp.rollout().connect('sim');
  try { user.respond(''); } catch (e) { if (e.told !== 'unknown') throw e; }
}`

// allowed is how often each cut may have been executed, by the table of the
// design's section on faults.
var allowed = map[string][2]int{"C1": {0, 0}, "C2": {0, 0}, "C3": {0, 1}, "C4": {1, 1}, "C5": {1, 1}, "C6": {1, 1}}

// TestReceiptsWitnessAndEffectsAgree holds the three records of each cut against
// one another, on the real path.
func TestReceiptsWitnessAndEffectsAgree(t *testing.T) {
	t.Parallel()
	outcome := storm(t, eachCut, run.Options{Seed: 1})
	h := outcome.History
	commits, wires := map[string]int{}, map[string]history.Wire{}
	for _, e := range h.Effects {
		if e.Kind == history.EffectCommit {
			commits[e.Rollout]++
		}
	}
	for _, w := range h.Wire {
		if w.Role == history.RoleCall {
			wires[w.Rollout] = w
		}
	}
	delivered := map[string]int{}
	for _, f := range h.Faults {
		if f.State != history.FaultDelivered {
			t.Errorf("%s %s of %s was %s: %s", f.Cut, f.Manner, f.Op, f.State, f.Reason)
			continue
		}
		delivered[f.Cut+" "+f.Manner]++
		if n, may := commits[f.Rollout], allowed[f.Cut]; n < may[0] || n > may[1] {
			t.Errorf("%s %s of %s: executed %d times, want %d to %d", f.Cut, f.Manner, f.Op, n, may[0], may[1])
		}
		agree(t, f, wires[f.Rollout])
	}
	for cut := range allowed {
		for _, manner := range []string{"fin", "rst"} {
			if n := delivered[cut+" "+manner]; n != 40 {
				t.Errorf("%s %s: %d receipts, want 40", cut, manner, n)
			}
		}
	}
	if outcome.Exit != run.ExitPass {
		t.Errorf("exit %d: %s", outcome.Exit, outcome.Verdict.Reason)
	}
}

// agree holds a receipt against what the witness saw of the same exchange.
func agree(t *testing.T, f history.Fault, w history.Wire) {
	t.Helper()
	whole := f.Cut != "C1" && f.Cut != "C2"
	if w.Handed != whole {
		t.Errorf("%s %s of %s: wholly handed over is %t, want %t", f.Cut, f.Manner, f.Op, w.Handed, whole)
	}
	if answered := f.Cut >= "C4"; answered && w.Result != history.ResultOK {
		t.Errorf("%s %s of %s: the witness saw %q, want the result", f.Cut, f.Manner, f.Op, w.Result)
	}
	switch f.Cut {
	case "C1":
		if f.Up != 0 || f.Down != 0 {
			t.Errorf("C1 of %s let %d bytes up and %d down", f.Op, f.Up, f.Down)
		}
	case "C2", "C3", "C4":
		if f.Up == 0 || f.Down != 0 {
			t.Errorf("%s of %s let %d bytes up and %d down", f.Cut, f.Op, f.Up, f.Down)
		}
	default:
		if f.Up == 0 || f.Down == 0 {
			t.Errorf("%s of %s let %d bytes up and %d down", f.Cut, f.Op, f.Up, f.Down)
		}
	}
}
