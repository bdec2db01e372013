package run_test

import (
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// What the engine measured is in the history, thresholds included, for every arm.
func TestMetricsAreKept(t *testing.T) {
	outcome := storm(t, `
import mcp from 'k6/x/mcp';
export const options = {
  scenarios: { rollouts: { executor: 'per-vu-iterations', vus: 2, iterations: 1 } },
  thresholds: { mcp_ops: ['count>0', 'count<1'], 'mcp_op_duration{kind:none}': ['p(99)<1'] },
};
export const storm = { servers: { sim: 'usersim' } };
export default function () { mcp.rollout().connect('sim').respond(''); }`, run.Options{})
	metrics, err := history.ReadMetrics(outcome.Dir)
	if err != nil || metrics == nil {
		t.Fatalf("no metrics: %v", err)
	}
	if len(metrics.Arms) == 0 {
		t.Fatal("metrics of no arm")
	}
	last := metrics.Arms[len(metrics.Arms)-1]
	status := map[string]history.Status{}
	for _, threshold := range last.Thresholds {
		status[threshold.Expr] = threshold.Status
	}
	for expr, want := range map[string]history.Status{"count>0": history.Pass, "count<1": history.Fail, "p(99)<1": history.NotEvaluated} {
		if status[expr] != want {
			t.Errorf("threshold %s is %q, want %q", expr, status[expr], want)
		}
	}
	for _, m := range last.Metrics {
		if m.Name == "mcp_ops" && m.Values["count"] > 0 && m.Type == "counter" {
			return
		}
	}
	t.Errorf("no mcp_ops in %v", last.Metrics)
}
