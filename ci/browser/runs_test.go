package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpstorm/ci/browser"
	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/run"
)

// script is a small storm with a threshold, two windows of faults and a quiet end.
const script = `
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';
export const options = {
  scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 12, iterations: 1 } },
  thresholds: { mcp_ops: ['count>0'], 'mcp_op_duration{kind:turn}': ['p(99)<1'] },
};
export const storm = {
  servers: { sim: { server: 'usersim', turns: 4 } },
  faults: [{ on: 'sim', cut: 'C4', manner: 'rst', share: 0.5, during: ['50ms', '400ms'] }, { on: 'sim', cut: 'C1', share: 0.1 }],
  assert: ['exactly-once-turns', 'no-spurious-failure', 'truthful-outcome'],
};
export default function () {
  const user = mcp.rollout().connect('sim');
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) sleep(0.2);
}`

// dirs are the directories of three runs with their reports, by verdict, and browse is
// the browser in which they are opened.
var (
	dirs   = map[string]string{}
	browse *browser.Browser
)

func TestMain(m *testing.M) {
	code, err := prepared(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func prepared(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	root, err := os.MkdirTemp("", "reports-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(root)
	path := filepath.Join(root, "storm.js")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		return 1, err
	}
	for verdict, o := range map[string]run.Options{
		"pass": {}, "fail": {Bugs: []string{"FM-01"}}, "inconclusive": {BypassFaults: true},
	} {
		o.Script, o.Dir = path, filepath.Join(root, verdict)
		if err := leave(ctx, history.Status(verdict), o); err != nil {
			return 1, err
		}
		dirs[verdict] = o.Dir
	}
	if browse, err = browser.Start(ctx, root); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, browse.Close()
}

// leave makes a run that must come to a verdict, and its reports. Charts are drawn for
// one of them: the race detector makes that slow.
func leave(ctx context.Context, want history.Status, o run.Options) error {
	o.Seed, o.NoHostProbe, o.NoCharts = 1, true, true
	outcome, err := run.Run(ctx, o)
	if err != nil {
		return err
	}
	if got := outcome.Verdict; got.Status != want {
		return fmt.Errorf("the run that was to be %s is %s: %s", want, got.Status, got.Reason)
	}
	_, err = reports.Publish(outcome.History, outcome.Verdict, reports.PublishOptions{NoCharts: want != history.Pass})
	return err
}
