package run_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/run"
)

// slowAppends cuts the one call of each rollout while it is under way, and stays for
// longer than the server would take to answer it. MANNER and SSE are filled in.
const slowAppends = `
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 8, iterations: 1 } } };
export const storm = {
  servers: { tools: { server: 'ledger', toolLatency: '1800ms', sse: SSE } },
  policy: 'at-most-once',
  arms: { control: false, main: {} },
  faults: [{ on: 'tools', cut: 'C3', manner: 'MANNER', share: 1, tool: 'append' }],
  assert: ['truthful-outcome'],
};
export default function () {
  const tools = mcp.rollout().connect('tools');
  try { tools.callTool({ name: 'append', arguments: { text: 'x' } }); } catch (e) { if (e.told !== 'unknown') throw e; }
  sleep(3.5);
}`

// TestServerThatSendsOnAfterACancel plants a server to which a disconnect is no cancel,
// in the era in which it is one: the witness hears it answer nobody. Its twin ends at
// once; a reset leaves nothing to hear; and in the older era it is right.
func TestServerThatSendsOnAfterACancel(t *testing.T) {
	const sentOn, unknown = "sent on after a cancel", "whether a message was sent after its cancel is not known"
	for _, tt := range []struct {
		name, manner, sse, era string
		bugs                   []string
		exit                   int
		heard                  func(history.Left) bool // of every call
	}{
		{"planted", "fin", "false", wire.EraStateless, []string{"NO-CANCEL"}, run.ExitViolated, func(l history.Left) bool { return l.Bytes > 0 }},
		{"planted, in streams", "fin", "true", wire.EraStateless, []string{"NO-CANCEL"}, run.ExitViolated, func(l history.Left) bool { return l.Bytes > 0 }},
		{"its twin", "fin", "false", wire.EraStateless, nil, run.ExitPass, func(l history.Left) bool { return l.Ended }},
		{"its twin, in streams", "fin", "true", wire.EraStateless, nil, run.ExitPass, func(l history.Left) bool { return l.Ended }},
		{"reset", "rst", "false", wire.EraStateless, []string{"NO-CANCEL"}, run.ExitPass, func(l history.Left) bool { return l.Watched == 0 && !l.Ended }},
		{"the older era", "fin", "false", wire.EraSessions, []string{"NO-CANCEL"}, run.ExitPass, func(history.Left) bool { return true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := strings.NewReplacer("MANNER", tt.manner, "SSE", tt.sse).Replace(slowAppends)
			o := storm(t, script, run.Options{Seed: 1, Era: tt.era, Bugs: tt.bugs})
			inv := invariant(t, o, "truthful-outcome")
			if o.Exit != tt.exit || strings.Contains(inv.Reason, sentOn) != (tt.exit == run.ExitViolated) {
				t.Errorf("exit %d, want %d: %s; %s %v", o.Exit, tt.exit, inv.Reason, o.Verdict.Reason, o.Troubles)
			}
			left := false
			for _, c := range inv.Clauses {
				left = left || strings.Contains(c.Text, unknown)
			}
			if left != (tt.manner == "rst") {
				t.Errorf("left out as unknown: %t; clauses %+v", left, inv.Clauses)
			}
			calls := 0
			for _, w := range o.History.Wire {
				if w.Role != history.RoleCall {
					continue
				}
				calls++
				if w.Left == nil || w.Left.Manner != tt.manner || !tt.heard(*w.Left) {
					t.Errorf("left: %+v", w.Left)
				}
			}
			if calls != 8 {
				t.Errorf("the witness saw %d calls, want 8", calls)
			}
		})
	}
}
