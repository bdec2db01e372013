package run_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/run"
)

// framingScript asks servers whose event streams say the same in other lines. Every
// policy is an arm.
const framingScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 1, iterations: 1 } } };
const plain = { server: 'usersim', turns: 2, sse: true }, lf = { ...plain, sseLines: 3 };
export const storm = {
  servers: { plain, lf, crlf: { ...lf, sseLineEnd: 'crlf' }, cr: { ...lf, sseLineEnd: 'cr' } },
  arms: ARMS,
};
export default function () {
  const rollout = mcp.rollout();
  for (const server of ['plain', 'lf', 'crlf', 'cr']) {
    try {
      const user = rollout.connect(server);
      for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
    } catch (e) {
      if (!e.told) throw e;
    }
  }
}`

// TestFraming: in how many lines an event is written, and how they end, changes nothing
// for any client and nothing for the witness. The one exception is a flaw of go-sdk
// v1.8.0: a carriage return alone is no line end to it, against the HTML standard
// (section 9.2.5), and so it finds no event in a stream of them and cannot connect.
func TestFraming(t *testing.T) {
	arms := map[string]map[string]any{}
	for _, policy := range client.Presets() {
		arms[policy] = map[string]any{"policy": policy, "judge": false}
	}
	list, err := json.Marshal(arms)
	if err != nil {
		t.Fatal(err)
	}
	o := storm(t, strings.Replace(framingScript, "ARMS", string(list), 1), run.Options{Seed: 1})
	type place struct{ arm, server string }
	told := map[place]string{}
	for _, op := range o.History.Ops {
		told[place{op.Arm, op.Server}] += string(op.Told) + " "
	}
	for arm := range arms {
		want := told[place{arm, "plain"}]
		if arm != "always-unknown" && want != "ok ok ok ok " {
			t.Errorf("%s: told %s", arm, want)
		}
		for _, server := range []string{"lf", "crlf", "cr"} {
			at := place{arm, server}
			if at == (place{"go-sdk", "cr"}) {
				want = "not_executed "
			}
			if told[at] != want {
				t.Errorf("%v: told %q, want %q", at, told[at], want)
			}
		}
	}
	for _, w := range o.History.Wire {
		if w.Role == history.RoleCall && w.Result != history.ResultOK {
			t.Errorf("the witness saw no result: %+v", w)
		}
	}
}
