package check_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpstorm/history"
)

// coveredRun is a run of four rollouts at once, each with one operation whose
// first call met its fault, for which coverage holds.
func coveredRun() *history.Run {
	run := emptyRun()
	run.Manifest.Arms[0].Scenarios[0].Planned = 4
	run.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", At: history.RoleCall, Share: 1}}
	for i := range 4 {
		task := fmt.Sprintf("t%06d", i)
		run.Rollouts = append(run.Rollouts, history.Rollout{Arm: "main", Scenario: "rollouts", Task: task, Rollout: task + ".1",
			Outcome: history.Completed, Start: history.Instant(i) * second / 100, End: 10 * second})
		run.Ops = append(run.Ops, history.Op{Arm: "main", Op: task + "/s01", Rollout: task + ".1", Server: "sim", Kind: history.KindTurn,
			Key: "seq:1", Told: history.ToldUnknown, Deadline: int64(second), Attempts: 1, End: second})
		run.Attempts = append(run.Attempts, history.Attempt{Arm: "main", Op: task + "/s01", Rollout: task + ".1", Attempt: 1, Exchange: 1,
			Role: history.RoleCall, Server: "sim", Told: history.ToldUnknown, Written: 300,
			Cause: &history.Cause{Class: "deadline"}, Mark: &history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"}})
		run.Faults = append(run.Faults, history.Fault{Arm: "main", Server: "sim", Rule: "r01", Op: task + "/s01", Rollout: task + ".1",
			Attempt: 1, Role: history.RoleCall, Cut: "C4", Manner: "rst", State: history.FaultDelivered, At: second})
	}
	return run
}

// clauseCase is a change to a covered run and what one clause says then.
type clauseCase struct {
	name   string
	clause string
	status history.Status
	text   string
	change func(*history.Run)
}

// try judges coverage, which holds unless the clause fails.
func (c clauseCase) try(t *testing.T) {
	t.Run(c.clause+": "+c.name, func(t *testing.T) {
		run := coveredRun()
		c.change(run)
		inv := judge(t, run, "coverage")
		wantClause(t, inv, c.clause, c.status, c.text)
		if want := c.status == history.Fail; (inv.Status == history.Fail) != want {
			t.Errorf("coverage is %q (%s) where the clause is %q", inv.Status, inv.Reason, c.status)
		}
	})
}

func TestCoverageClauses(t *testing.T) {
	for _, c := range []clauseCase{
		{"all started", "planned = started", history.Pass, "4 of 4 started", func(*history.Run) {}},
		{"some never started", "planned = started", history.Fail, "4 of 6 started, 2 never", func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Planned = 6 }},
		{"more than planned", "planned = started", history.Fail, "4 of 3 started", func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Planned = 3 }},
		{"a restart is no new task", "planned = started", history.Pass, "4 of 4", func(r *history.Run) {
			again := r.Rollouts[0]
			again.Rollout = "t000000.2"
			r.Rollouts = append(r.Rollouts, again)
		}},
		{"interrupted ones are named", "planned = started", history.Pass, "1 interrupted (t000002.1)", func(r *history.Run) { r.Rollouts[2].Outcome = history.Interrupted }},
		{"bounded by time", "planned = started", history.Pass, "4 started, bounded by time", func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Planned = -1 }},
		{"bounded by time and empty", "planned = started", history.Fail, "0 started", func(r *history.Run) {
			r.Manifest.Arms[0].Scenarios[0].Planned = -1
			r.Rollouts = nil
		}},
		{"a scenario that never ran", "planned = started", history.Fail, "other: 0 of 2 started", func(r *history.Run) {
			r.Manifest.Arms[0].Scenarios = append(r.Manifest.Arms[0].Scenarios, history.Scenario{Name: "other", Planned: 2})
		}},
		{"nothing planned", "planned = started", history.NotEvaluated, "no scenario", func(r *history.Run) { r.Manifest.Arms[0].Scenarios = nil }},

		{"the faults met the load", "in flight", history.Pass, "met 4 of at most 4 rollouts", func(*history.Run) {}},
		{"the faults came when all was over", "in flight", history.Fail, "met 1 of at most 4", func(r *history.Run) {
			for i := range r.Rollouts[1:] {
				r.Rollouts[i].End = second / 2
			}
		}},
		{"just half", "in flight", history.Pass, "met 2 of at most 4", func(r *history.Run) { r.Rollouts[0].End, r.Rollouts[1].End = second/2, second/2 }},
		{"no fault", "in flight", history.NotEvaluated, "no fault was delivered", func(r *history.Run) { r.Faults, r.Attempts, r.Plan = nil, nil, nil }},

		{"no script error", "script errors", history.Pass, "none in 4 rollouts", func(*history.Run) {}},
		{"a script error", "script errors", history.Fail, "the first in t000001.1 at a.js:3:7: x is not defined", func(r *history.Run) {
			r.Rollouts[1].Outcome = history.ScriptError
			r.Rollouts[1].Cause = &history.RolloutCause{Text: "x is not defined", At: "a.js:3:7"}
		}},
		{"no rollout", "script errors", history.NotEvaluated, "no rollout", func(r *history.Run) { r.Rollouts, r.Manifest.Arms[0].Scenarios = nil, nil }},

		{"no harness error", "harness errors", history.Pass, "none", func(*history.Run) {}},
		{"a harness error", "harness errors", history.Fail, "disk full", func(r *history.Run) { r.Manifest.Errors = []string{"disk full"} }},
		{"two harness errors", "harness errors", history.Fail, "2 errors, the first: disk full", func(r *history.Run) { r.Manifest.Errors = []string{"disk full", "x"} }},
		{"a record of no arm", "harness errors", history.Fail, "1 record of an arm", func(r *history.Run) { r.Ops[0].Arm = "ghost" }},

		{"finished", "state", history.Pass, "finished", func(*history.Run) {}},
		{"killed", "state", history.Fail, "did not end", func(r *history.Run) { r.Manifest.State = history.StateRunning }},
		{"stopped", "state", history.Fail, "stopped from outside", func(r *history.Run) { r.Manifest.State = history.StateStopped }},
		{"a state of no version", "state", history.Fail, `"odd"`, func(r *history.Run) { r.Manifest.State = "odd" }},

		{"control arm", "control arm", history.NotEvaluated, "no control arm", func(*history.Run) {}},
		{"host", "host", history.NotEvaluated, "not measured", func(*history.Run) {}},
	} {
		c.try(t)
	}
}

func TestReceipts(t *testing.T) {
	noReceipt := func(r *history.Run) { r.Faults = r.Faults[1:] }
	for _, c := range []clauseCase{
		{"all receipts", "receipts", history.Pass, "of 4 marked exchanges sent, 4 met", func(*history.Run) {}},
		{"a receipt is missing", "receipts", history.Fail, "call of attempt 1 at t000000/s01 (no record from the fault layer)", noReceipt},
		{"the fault layer does nothing", "receipts", history.Fail, "no fault was delivered", func(r *history.Run) { r.Faults = nil }},
		{"a rule of no share delivers nothing", "receipts", history.NotEvaluated, "no fault was planned", func(r *history.Run) {
			r.Faults, r.Attempts, r.Plan[0].Share = nil, nil, 0
		}},
		{"the receipt of another attempt", "receipts", history.Fail, "no record", func(r *history.Run) { r.Faults[0].Attempt = 2 }},
		{"the receipt of another role", "receipts", history.Fail, "no record", func(r *history.Run) { r.Faults[0].Role = history.RoleInitialize }},
		{"the receipt of another rollout", "receipts", history.Fail, "no record", func(r *history.Run) { r.Faults[0].Rollout = "t000000.2" }},
		{"the receipt names no rollout", "receipts", history.Pass, "4 met", func(r *history.Run) { r.Faults[0].Rollout = "" }},
		{"missed with a reason", "receipts", history.Pass, "named: 1 the answer was whole before", func(r *history.Run) {
			r.Faults[0].State, r.Faults[0].Reason = history.FaultMissed, "the answer was whole before"
		}},
		{"missed without a reason", "receipts", history.Fail, "missed without a reason", func(r *history.Run) { r.Faults[0].State = history.FaultMissed }},
		{"missed without a reason and unmarked", "receipts", history.Fail, "C4 of rule r01 (missed without a reason)", func(r *history.Run) {
			r.Faults[0].State = history.FaultMissed
			r.Attempts = r.Attempts[1:]
		}},
		{"outside the window", "receipts", history.Pass, "1 outside the rule's window", func(r *history.Run) { r.Faults[0].State = history.FaultUnarmed }},
		{"never sent", "receipts", history.Pass, "1 never sent", func(r *history.Run) { r.Attempts[0].Written = 0; noReceipt(r) }},
		{"a refused connection has a receipt though nothing was sent", "receipts", history.Pass, "4 met", func(r *history.Run) { r.Attempts[0].Written = 0 }},
		{"the connection died of another cause", "receipts", history.Pass, "another cause: reset", func(r *history.Run) {
			r.Attempts[0].Cause = &history.Cause{Class: "reset"}
			noReceipt(r)
		}},
	} {
		c.try(t)
	}
}

func wantClause(t *testing.T, inv history.Invariant, name string, status history.Status, text string) {
	t.Helper()
	for _, clause := range inv.Clauses {
		if clause.Name != name {
			continue
		}
		if clause.Status != status || !strings.Contains(clause.Text, text) {
			t.Errorf("%s is %q: %s; want %q with %q", name, clause.Status, clause.Text, status, text)
		}
		return
	}
	t.Errorf("there is no clause %q", name)
}

func TestCoverageOfNothing(t *testing.T) {
	run := emptyRun()
	run.Manifest.Arms = nil
	wantStatus(t, judge(t, run, "coverage"), history.NotEvaluated, "no arm that is judged")
}
