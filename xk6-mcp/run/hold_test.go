package run_test

import (
	"slices"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/process"
	"mcpstorm/xk6-mcp/run"
)

// holdScript holds both ways of the first append of rollouts 0 to 49 of 200, half of
// them before the server got it and half after it has answered. All append once more
// when the faults are over.
const holdScript = `
import mcp from 'k6/x/mcp';
import exec from 'k6/execution';
import { sleep } from 'k6';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 200, iterations: 1 } } };
export const storm = {
  servers: { tools: 'ledger' },
  policy: 'verifiers-0.2.0',
  faults: Array.from({ length: 50 }, (_, i) => ({
    on: 'tools', op: 't' + String(i).padStart(6, '0') + '/s02', cut: i % 2 ? 'C4' : 'C1', manner: 'hold', during: ['0s', '12s'],
  })),
  heal: { at: '12s', within: '20s' },
  arms: { control: false, main: {} },
};
export default function () {
  const begin = Date.now(), held = exec.scenario.iterationInTest < 50;
  if (!held) sleep(3); // so that the holds are there, however slow the host
  const tools = mcp.rollout().connect('tools', { deadline: '1m' });
  try {
    tools.callTool({ name: 'append', arguments: { text: 'first' } }, { deadline: held ? '6s' : '1m' });
  } catch (e) {
    if (e.told !== 'unknown') throw e;
  }
  sleep(Math.max(0, 12500 - (Date.now() - begin)) / 1000);
  tools.callTool({ name: 'append', arguments: { text: 'second' } });
}`

// TestHeldConnections: a connection on which nothing moves any more costs its caller
// the deadline, its neighbours nothing, and us no socket.
func TestHeldConnections(t *testing.T) {
	before := process.Counts()
	o := storm(t, holdScript, run.Options{Seed: 1})
	after := process.Quiet(t.Context(), clock.System{}, before, process.Counts)
	if before[process.Sockets] < after[process.Sockets] {
		t.Errorf("%d sockets before, %d after", before[process.Sockets], after[process.Sockets])
	}
	if o.Exit != run.ExitPass {
		t.Errorf("exit %d: %s %v", o.Exit, o.Verdict.Reason, o.Troubles)
	}
	held := map[string]bool{}
	for _, f := range o.History.Faults {
		if f.State == history.FaultDelivered && f.Manner == "hold" {
			held[f.Op] = true
		}
	}
	if len(held) != 50 {
		t.Errorf("%d operations were held, want 50", len(held))
	}
	const deadline = history.Instant(6 * time.Second)
	for _, op := range o.History.Ops {
		switch lasted := op.End - op.Start; {
		case held[op.Op] && (op.Told != history.ToldUnknown || lasted < deadline || lasted > 2*deadline):
			t.Errorf("%s was held and told %s after %v", op.Op, op.Told, time.Duration(lasted))
		case !held[op.Op] && op.Told != history.ToldOK:
			t.Errorf("%s was not held and told %s: %+v", op.Op, op.Told, op.Cause)
		}
	}
	if got := invariant(t, o, "recovery"); got.Status != history.Pass || got.Evaluated < 200 {
		t.Errorf("recovery is %s after %d: %s", got.Status, got.Evaluated, got.Reason)
	}
	measured := slices.ContainsFunc(o.Verdict.Recovery, func(r history.Recovery) bool { return r.Arm == "main" && r.Served > 0 && r.Rollouts == 200 })
	if !measured {
		t.Errorf("how long recovery took was not measured: %+v", o.Verdict.Recovery)
	}
}
