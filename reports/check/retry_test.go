package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

func TestBoundedRetry(t *testing.T) {
	for _, c := range []struct {
		name   string
		status history.Status
		reason string
		did    string
		change func(*history.Op)
	}{
		{"within its budget", history.Pass, "", "call unknown, call ok", func(*history.Op) {}},
		{"just its budget", history.Pass, "", "call unknown, call ok", func(op *history.Op) { op.Budget = 2 }},
		{"set-up and settling are no calls", history.Pass, "", "initialize ok, call unknown, settle ok, call ok, delete ok", func(op *history.Op) { op.Budget = 2 }},
		{"one attempt too many", history.Fail, "1 × more attempts than", "call unknown, call ok", func(op *history.Op) { op.Budget = 1 }},
		{
			"calls that were not counted as attempts", history.Fail, "1 × more calls than", "call unknown, call unknown, call ok",
			func(op *history.Op) { op.Budget, op.Attempts = 2, 1 },
		},
		{"no budget is recorded", history.NotEvaluated, "its budget is not recorded", "call ok", func(op *history.Op) { op.Budget = 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", wanted{class: unsafe, told: "ok", did: c.did})
			c.change(&run.Ops[0])
			wantStatus(t, judge(t, run, "bounded-retry"), c.status, c.reason)
		})
	}
	t.Run("each rollout has the whole budget", func(t *testing.T) {
		run := runOf(t, "", wanted{told: "unknown", did: "call unknown, call unknown"}, wanted{restart: 2, told: "ok", did: "call ok"})
		run.Ops[0].Budget, run.Ops[1].Budget = 2, 2
		wantStatus(t, judge(t, run, "bounded-retry"), history.Pass, "")
	})
	t.Run("no operation", func(t *testing.T) {
		wantStatus(t, judge(t, emptyRun(), "bounded-retry"), history.NotEvaluated, "no operation was recorded")
	})
}

func TestAmplification(t *testing.T) {
	run := runOf(t, "", wanted{told: "ok", did: "initialize ok, call unknown, call unknown, call ok"}, wanted{op: "t000002/s01", told: "ok", did: "call ok"})
	rate := findRate(t, run, "amplification")
	if rate.Rate.Count != 2 || rate.Rate.Of != 4 || !strings.Contains(rate.Text, "2.00 calls an operation, at most 3 (t000001/s02)") {
		t.Errorf("%d of %d %s", rate.Rate.Count, rate.Rate.Of, rate.Text)
	}
}
