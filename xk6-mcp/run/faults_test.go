package run_test

import (
	"net"
	"net/http"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// widthScript meets every cut and manner that a client of the older era can meet.
const widthScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 24, iterations: 1 } } };
export const storm = {
  servers: { sim: { server: 'usersim', turns: 3, stateful: true } },
  faults: [
    { on: 'sim', cut: 'C0', at: 'initialize', share: 0.2 },
    { on: 'sim', cut: 'C3w', manner: 'fin', share: 0.1 },
    { on: 'sim', cut: 'C3', manner: 'fin', leg: 'client', share: 0.1 },
    { on: 'sim', cut: 'C8', manner: 'rst', share: 0.3 },
    { on: 'sim', cut: 'C4', manner: 'late', for: '5ms', share: 0.1 },
    { on: 'sim', status: 503, share: 0.1 },
    { on: 'sim', status: { code: 504, when: 'after' }, share: 0.1 },
    { on: 'sim', cut: 'C3', status: 502, share: 0.1 },
    { on: 'sim', idle: '40ms', jitter: '5ms', share: 0.3 },
    { on: 'sim', toxic: 'mcp_split', attributes: { size: 100, utf8: 1, crlf: 1 } },
  ],
};
export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}`

// TestFaultsToTheirFullWidth lets a client that retries safely meet all of them: it
// must pass, with the plan kept to the letter.
func TestFaultsToTheirFullWidth(t *testing.T) {
	t.Parallel()
	outcome := storm(t, widthScript, run.Options{Seed: 3})
	if outcome.Exit != run.ExitPass {
		t.Errorf("exit %d: %s %v", outcome.Exit, outcome.Verdict.Reason, outcome.Troubles)
	}
	delivered := map[string]int{}
	for _, f := range outcome.History.Faults {
		if f.State == history.FaultDelivered {
			delivered[f.Cut+" "+f.Manner]++
		}
	}
	for _, want := range []string{"C0 rst", "C3w fin", "C3 fin", "C8 rst", "C4 late", "C1 status", "C4 status", "C3 status"} {
		if delivered[want] == 0 {
			t.Errorf("no %s was delivered: %v", want, delivered)
		}
	}
}

// TestToxiproxyAPI adds a toxic while the run lasts, from the script's own address.
func TestToxiproxyAPI(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close() // free again for the run
	added := make(chan error, 1)
	const script = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 1, iterations: 1 } } };
export const storm = { servers: { sim: 'usersim' }, arms: { main: {} } };
export default function () {
  console.log('now');
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}`
	outcome := storm(t, script, run.Options{ToxiproxyAPI: addr, Console: writer(func() {
		p, err := toxiproxy.NewClient(addr).Proxy("sim")
		if err == nil {
			_, err = p.AddToxic("slow", "latency", "downstream", 1, toxiproxy.Attributes{"latency": 1})
		}
		http.DefaultClient.CloseIdleConnections()
		added <- err
	})})
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	faults := outcome.History.Faults
	if len(faults) == 0 || faults[0].State != history.FaultInstalled || faults[0].Toxic != "latency" {
		t.Errorf("receipts: %+v", faults)
	}
}

// writer calls a function for the first thing that is written.
func writer(call func()) *once { return &once{call} }

type once struct{ call func() }

func (o *once) Write(p []byte) (int, error) {
	if o.call != nil {
		o.call()
		o.call = nil
	}
	return len(p), nil
}
