package run_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/run"
)

// channelScript is a storm on simulators that commit through their state channel; SERVER
// is filled in. A turn whose state could not be written is asked for again.
const channelScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 16, iterations: 1 } } };
export const storm = {
  servers: { sim: { server: 'usersim', turns: 2, SERVER } },
  faults: [FAULTS],
};
export default function () {
  const user = mcp.rollout().connect('sim');
  let said = '';
  for (let n = 0; n < 30; n++) {
    const turn = user.respond(said);
    if (turn.finished && !turn.isError) return;
    if (!turn.isError) said = 'done';
  }
}`

// TestStateChannelBugs: what goes wrong between advancing and committing is caught
// from the transcript, and a simulator that does it right is clean under the same
// plan.
func TestStateChannelBugs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, bug, era, server, faults string }{
		{"a failed commit that is forgotten", "FM-26a", wire.EraSessions, "stateFailures: 0.2, turnLatency: '10ms'", "{ on: 'sim', cut: 'C4', share: 0.1 }"},
		{"told before it was committed, and then cancelled", "FM-05", wire.EraStateless, "stateLatency: '300ms'", "{ on: 'sim', manner: 'rst', burst: { at: '400ms', what: 'half' } }"},
	} {
		for _, bugs := range [][]string{nil, {tt.bug}} {
			t.Run(tt.name+"/"+strings.Join(bugs, ""), func(t *testing.T) {
				o := storm(t, strings.NewReplacer("SERVER", tt.server, "FAULTS", tt.faults).Replace(channelScript), run.Options{Seed: 1, Era: tt.era, Bugs: bugs})
				got := invariant(t, o, "exactly-once-turns")
				if want := len(bugs) > 0; (got.Status == history.Fail) != want || got.Violated > 0 != want {
					t.Errorf("exactly-once-turns is %s, %d violated: %s", got.Status, got.Violated, o.Verdict.Reason)
				}
				if len(bugs) == 0 && o.Exit != run.ExitPass {
					t.Errorf("exit %d: %s", o.Exit, o.Verdict.Reason)
				}
			})
		}
	}
}
