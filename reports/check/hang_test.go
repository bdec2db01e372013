package check_test

import (
	"testing"

	"mcpstorm/history"
)

func TestNoHang(t *testing.T) {
	const deadline = int64(second)
	for _, c := range []struct {
		name   string
		op     history.Op
		status history.Status
		reason string
	}{
		{"in time", history.Op{Told: history.ToldOK, Deadline: deadline, End: second}, history.Pass, ""},
		{"late and within the bound", history.Op{Told: history.ToldUnknown, Deadline: deadline, End: 2 * second}, history.Pass, ""},
		{"beyond the bound", history.Op{Told: history.ToldOK, Deadline: deadline, End: 2*second + 1}, history.Fail, "long after its deadline"},
		{"told nothing", history.Op{Told: history.ToldNone, Deadline: deadline, End: second}, history.Fail, "never told anything"},
		{"told nothing since the run was stopped", history.Op{Told: history.ToldNone, Interrupted: true, Deadline: deadline, End: second}, history.NotEvaluated, "it was interrupted within its bound, and before it was told anything"},
		{"told nothing since the run was stopped, and no deadline", history.Op{Told: history.ToldNone, Interrupted: true, End: second}, history.NotEvaluated, "it was interrupted within its bound, and before it was told anything"},
		{"stopped long after it should have ended", history.Op{Told: history.ToldNone, Interrupted: true, Deadline: deadline, End: 5 * second}, history.Fail, "1 × was told nothing within its bound"},
		{"no deadline", history.Op{Told: history.ToldOK, End: 99 * second}, history.NotEvaluated, "no deadline"},
		{"no deadline and told nothing", history.Op{Told: history.ToldNone, End: second}, history.Fail, "never told"},
		{"opening a session can hang too", history.Op{Kind: history.KindConnect, Told: history.ToldNone, Deadline: deadline}, history.Fail, "never told"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := emptyRun()
			c.op.Arm, c.op.Op, c.op.Rollout, c.op.Server = "main", "t000001/s01", rollout1, "sim"
			run.Ops = []history.Op{c.op}
			wantStatus(t, judge(t, run, "no-hang"), c.status, c.reason)
		})
	}
	t.Run("no operation", func(t *testing.T) {
		wantStatus(t, judge(t, emptyRun(), "no-hang"), history.NotEvaluated, "no operation")
	})
}

// What the history does not hold is said, not passed over.
func TestNoHangSaysWhatItDoesNotJudge(t *testing.T) {
	run := emptyRun()
	run.Ops = []history.Op{{Arm: "main", Op: "t000001/s01", Rollout: rollout1, Server: "sim", Told: history.ToldOK, Deadline: int64(second)}}
	run.Rollouts = []history.Rollout{{Arm: "main", Task: "t000001", Rollout: rollout1, Outcome: history.Completed, End: 99999 * second}}
	wantClause(t, judge(t, run, "no-hang"), "rollouts and teardowns", history.NotEvaluated, "no recorded bound")
}
