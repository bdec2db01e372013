package run_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// TestAKeptConnectionIsRefused: a script that keeps its connection for the next
// iteration would mix two rollouts in every record.
func TestAKeptConnectionIsRefused(t *testing.T) {
	o := storm(t, `
import mcp from 'k6/x/mcp';
let user;
export const options = { vus: 1, iterations: 3 };
export const storm = { servers: { sim: 'usersim' }, arms: { main: {} } };
export default function () {
  user ??= mcp.rollout().connect('sim');
  user.respond('');
}`, run.Options{Seed: 1})
	outcomes := map[history.Outcome]int{}
	for _, r := range o.History.Rollouts {
		outcomes[r.Outcome]++
		if r.Outcome == history.ScriptError && !strings.Contains(r.Cause.Text, "belongs to another rollout") {
			t.Errorf("%s failed otherwise: %s", r.Rollout, r.Cause.Text)
		}
	}
	if outcomes[history.Completed] != 1 || outcomes[history.ScriptError] != 2 || o.Exit != run.ExitInconclusive {
		t.Errorf("exit %d, outcomes %v; want one completed and two script errors", o.Exit, outcomes)
	}
}
