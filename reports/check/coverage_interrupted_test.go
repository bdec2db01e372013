package check_test

import (
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// timed is a covered run whose one scenario is bounded by time alone.
func timed(r *history.Run, executor string) {
	r.Manifest.Arms[0].Scenarios[0].Planned, r.Manifest.Arms[0].Scenarios[0].Executor = -1, executor
	for i := range r.Rollouts {
		r.Rollouts[i].VU = i%2 + 1
	}
}

func interrupt(r *history.Run, rollouts ...int) {
	for _, i := range rollouts {
		r.Rollouts[i].Outcome = history.Interrupted
	}
}

// An executor that counts iterations ends each of them, and one that time bounds may
// leave the last of each virtual user.
func TestInterruptedRollouts(t *testing.T) {
	for _, c := range []clauseCase{
		{"none", "interrupted", history.Pass, "every rollout ended by itself", func(*history.Run) {}},
		{"one of counted ones", "interrupted", history.Fail, "rollouts: 1 of 4 rollouts interrupted (t000002.1), because its scenario's time was over (duration or maxDuration, and gracefulStop): an executor that counts iterations is to end each", func(r *history.Run) {
			interrupt(r, 2)
		}},
		{"all of counted ones", "interrupted", history.Fail, "4 of 4 rollouts interrupted", func(r *history.Run) { interrupt(r, 0, 1, 2, 3) }},
		{"by the script", "interrupted", history.Fail, "because the script ended the test", func(r *history.Run) {
			interrupt(r, 2)
			r.Rollouts[2].Cause = &history.RolloutCause{Text: "the script ended the test"}
		}},
		{"one that never asked anything", "interrupted", history.Fail, "1 of 4 rollouts interrupted", func(r *history.Run) {
			interrupt(r, 3)
			r.Ops, r.Attempts, r.Faults = r.Ops[:3], r.Attempts[:3], r.Faults[:3]
		}},
		{"the last of each virtual user", "interrupted", history.Pass, "rollouts: 2 of 4 rollouts interrupted (t000002.1, t000003.1)", func(r *history.Run) {
			timed(r, "constant-vus")
			interrupt(r, 2, 3)
		}},
		{"the last of arrivals, which are counted", "interrupted", history.Pass, "1 of 4 rollouts interrupted", func(r *history.Run) {
			timed(r, "constant-arrival-rate")
			r.Manifest.Arms[0].Scenarios[0].Planned = 4
			interrupt(r, 3)
		}},
		{"more than half", "interrupted", history.Fail, "3 of 4 rollouts interrupted (t000001.1, t000002.1, t000003.1), because its scenario's time was over (duration or maxDuration, and gracefulStop): more than half", func(r *history.Run) {
			timed(r, "constant-vus")
			interrupt(r, 1, 2, 3)
		}},
		{"half of the virtual users ended none", "interrupted", history.Fail, "1 of 2 virtual users ended none", func(r *history.Run) {
			timed(r, "constant-vus")
			interrupt(r, 1, 3)
		}},
		{"the run was stopped", "interrupted", history.NotEvaluated, "did not come to its end", func(r *history.Run) {
			interrupt(r, 2)
			r.Manifest.State = history.StateStopped
		}},
	} {
		if c.status == history.NotEvaluated { // its state fails instead
			run := coveredRun()
			c.change(run)
			wantClause(t, judge(t, run, "coverage"), c.clause, c.status, c.text)
			continue
		}
		c.try(t)
	}
}

// The control arm is asked the same.
func TestInterruptedControl(t *testing.T) {
	run := coveredRun()
	copyArm(run, "control", true, false).Control = true
	rolloutOf(run, "control").Outcome = history.Interrupted
	wantClause(t, judge(t, run, "coverage"), "control arm", history.Fail, "control, which has no faults, is not clean: rollouts: 1 of 4 rollouts interrupted (t100000.1)")
}

// An operation that was interrupted beyond its bound hangs; one within it is not judged.
func TestInterruptedBeyondTheBound(t *testing.T) {
	run := coveredRun()
	interrupt(run, 1)
	run.Ops[1].Told, run.Ops[1].Interrupted, run.Ops[1].End = history.ToldNone, true, 2*second+1
	v := evaluate(run)
	wantStatus(t, find(t, v, "no-hang"), history.Fail, "1 × was told nothing within its bound")
	if v.Status != history.Fail {
		t.Errorf("%s: %s", v.Status, v.Reason)
	}
}

// What explain says of a rollout is not what an older history says, where nobody stopped
// the run.
func TestExplainTellsWhatInterrupted(t *testing.T) {
	for state, want := range map[history.RunState]string{
		history.StateFinished: "its scenario's time was over (duration or maxDuration, and gracefulStop)",
		history.StateStopped:  "the run was stopped",
	} {
		run := coveredRun()
		interrupt(run, 0)
		run.Manifest.State, run.Rollouts[0].Cause = state, &history.RolloutCause{Text: "the run was stopped"}
		lines, err := check.Explain(run, "t000000")
		if err != nil {
			t.Fatal(err)
		}
		if last := lines[len(lines)-1].Text; last != "interrupted after 10s with 0 turns; "+want {
			t.Errorf("%s: %q", state, last)
		}
	}
}
