package run_test

import (
	"runtime"
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

const cyclesScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 4, iterations: 10 } } };
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2, stateful: true } },
  faults: ['C1', 'C3', 'C4', 'C6'].map((cut) => ({ on: 'sim', cut, share: 0.05 })),
};
export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}`

// What the run holds is counted over its cycles, it is judged, and no socket and no
// process of ours is left when an arm is over.
func TestHoldings(t *testing.T) {
	o := storm(t, cyclesScript, run.Options{})
	if leak := invariant(t, o, "no-leak"); leak.Status != history.Pass || leak.Evaluated == 0 {
		t.Errorf("no-leak is %q of %d: %s", leak.Status, leak.Evaluated, leak.Reason)
	}
	base, cycles, ends := map[string]map[string]int64{}, map[string]int{}, 0
	for _, r := range o.History.Resources {
		switch {
		case r.Server != "":
		case r.Phase == history.ResourceBase:
			base[r.Arm] = r.Counts
		case r.Phase == history.ResourceCycle:
			cycles[r.Arm]++
		default:
			ends++
			for _, name := range []string{history.CountSockets, history.CountChildren} {
				if r.Counts[name] != base[r.Arm][name] {
					t.Errorf("%s: %d %s before it, and %d when it was over", r.Arm, base[r.Arm][name], name, r.Counts[name])
				}
			}
			if _, counted := r.Counts[history.CountSockets]; !counted && runtime.GOOS == "linux" {
				t.Errorf("sockets were not counted: %v", r.Counts)
			}
		}
	}
	if cycles["control"] != 10 || cycles["main"] != 10 || ends != 2 {
		t.Errorf("cycles %v and %d ends; want 10 of each arm, and 2", cycles, ends)
	}
}
