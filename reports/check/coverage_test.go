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
		run.Rollouts = append(run.Rollouts, history.Rollout{
			Arm: "main", Scenario: "rollouts", Task: task, Rollout: task + ".1",
			Outcome: history.Completed, Start: history.Instant(i) * second / 100, End: 10 * second,
		})
		run.Ops = append(run.Ops, history.Op{
			Arm: "main", Op: task + "/s01", Rollout: task + ".1", Server: "sim", Kind: history.KindTurn,
			Key: "seq:1", Told: history.ToldUnknown, Deadline: int64(second), Attempts: 1, End: second,
		})
		run.Attempts = append(run.Attempts, history.Attempt{
			Arm: "main", Op: task + "/s01", Rollout: task + ".1", Attempt: 1, Exchange: 1,
			Role: history.RoleCall, Server: "sim", Told: history.ToldUnknown, Written: 300,
			Cause: &history.Cause{Class: "deadline"}, Mark: &history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"},
		})
		run.Faults = append(run.Faults, history.Fault{
			Arm: "main", Server: "sim", Rule: "r01", Op: task + "/s01", Rollout: task + ".1",
			Attempt: 1, Role: history.RoleCall, Cut: "C4", Manner: "rst", State: history.FaultDelivered, At: second,
		})
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

// What was planned must have started, been recorded, and been under way when faults came.
func TestCoverageOfTheLoad(t *testing.T) {
	for _, c := range []clauseCase{
		{"all started", "planned = started", history.Pass, "4 of 4 started", func(*history.Run) {}},
		{"some never started", "planned = started", history.Fail, "4 of 6 started, 2 never", func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Planned = 6 }},
		{"calls that were not recorded", "operations", history.Fail, "6 of 7 calls recorded", func(r *history.Run) {
			r.Rollouts[0].Ops, r.Rollouts[1].Ops = 2, 5
			again := r.Ops[1]
			for _, step := range []string{"/s02", "/s03", "/s04", "/s05"} {
				again.Op = again.Op[:len("t000001")] + step
				r.Ops = append(r.Ops, again)
			}
		}},
		{"all calls are recorded", "operations", history.Pass, "1 of 1 call recorded", func(r *history.Run) { r.Rollouts[0].Ops = 1 }},
		{"a fault of a rule that is not there", "plan kept", history.Fail, "by rule r01, and the plan has no such rule", func(r *history.Run) { r.Plan[0].Cut = "C5" }},
		{"more than planned", "planned = started", history.Fail, "4 of 3 started", func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Planned = 3 }},
		{"a restart is no new task", "planned = started", history.Pass, "4 of 4", func(r *history.Run) {
			again := r.Rollouts[0]
			again.Rollout = "t000000.2"
			r.Rollouts = append(r.Rollouts, again)
			busied(r, again.Rollout)
		}},
		{"bounded by time", "planned = started", history.Pass, "4 started, bounded by time", func(r *history.Run) { r.Manifest.Arms[0].Scenarios[0].Planned = -1 }},
		{"bounded by time and empty", "planned = started", history.Fail, "0 started", func(r *history.Run) {
			r.Manifest.Arms[0].Scenarios[0].Planned = -1
			r.Rollouts = nil
		}},
		{"a scenario that never ran", "planned = started", history.Fail, "other: 0 of 2 started", func(r *history.Run) {
			r.Manifest.Arms[0].Scenarios = append(r.Manifest.Arms[0].Scenarios, history.Scenario{Name: "other", Planned: 2})
		}},
		{"nothing planned", "planned = started", history.Fail, "no scenario", func(r *history.Run) { r.Manifest.Arms[0].Scenarios = nil }},

		{"the faults met the load", "in flight", history.Pass, "met 4 of at most 4 rollouts", func(*history.Run) {}},
		{"the faults came when all was over", "in flight", history.Fail, "met 1 of at most 4", func(r *history.Run) {
			for i := range r.Rollouts[1:] {
				r.Rollouts[i].End = second / 2
			}
		}},
		{"just half", "in flight", history.Pass, "met 2 of at most 4", func(r *history.Run) { r.Rollouts[0].End, r.Rollouts[1].End = second/2, second/2 }},
		{"no fault", "in flight", history.NotEvaluated, "no fault was delivered", func(r *history.Run) { r.Faults, r.Attempts, r.Plan = nil, nil, nil }},
	} {
		c.try(t)
	}
}

// Whatever records something must have recorded all of it, without an error of its own.
func TestCoverageOfTheRecords(t *testing.T) {
	for _, c := range []clauseCase{
		{"no script error", "script errors", history.Pass, "none in 4 rollouts", func(*history.Run) {}},
		{"a script error", "script errors", history.Fail, "the first in t000001.1 at a.js:3:7: x is not defined", func(r *history.Run) {
			r.Rollouts[1].Outcome = history.ScriptError
			r.Rollouts[1].Cause = &history.RolloutCause{Text: "x is not defined", At: "a.js:3:7"}
		}},
		{"rollouts that did nothing", "planned = started", history.Fail, "4 rollouts, and no operation", func(r *history.Run) { r.Ops, r.Attempts, r.Faults = nil, nil, nil }},

		{"the witness lost nothing that matters", "witness", history.NotEvaluated, "the servers' own records", func(*history.Run) {}},
		{"connections lost, and the servers' records tell", "witness", history.Pass, "2 connections could not be followed", func(r *history.Run) { r.Manifest.Arms[0].Untracked = 2 }},
		{"connections lost, and nothing else tells", "witness", history.Fail, "nothing else tells what sim executed", func(r *history.Run) {
			witnessed(r)
			r.Manifest.Arms[0].Untracked = 2
		}},
		{"only the witness tells", "witness", history.Pass, "every connection", witnessed},
		{"a gap in a server's log", "effect logs", history.Fail, "the record of sim is not whole: effects.sim.1.ndjson goes from effect 1 to 900", func(r *history.Run) {
			r.Gaps = []history.Gap{{Server: "sim", File: "effects.sim.1.ndjson", After: 1, Next: 900}}
		}},

		{"no harness error", "harness errors", history.Pass, "none", func(*history.Run) {}},
		{"a harness error", "harness errors", history.Fail, "disk full", func(r *history.Run) { r.Manifest.Errors = []string{"disk full"} }},
		{"two harness errors", "harness errors", history.Fail, "2 errors, the first: disk full", func(r *history.Run) { r.Manifest.Errors = []string{"disk full", "x"} }},
		{"a record of no arm", "harness errors", history.Fail, "1 record of an arm", func(r *history.Run) { r.Ops[0].Arm = "ghost" }},
	} {
		c.try(t)
	}
}

// The run must have come to its end, beside its control arm.
func TestCoverageOfTheRun(t *testing.T) {
	for _, c := range []clauseCase{
		{"finished", "state", history.Pass, "finished", func(*history.Run) {}},
		{"killed", "state", history.Fail, "did not end", func(r *history.Run) { r.Manifest.State = history.StateRunning }},
		{"stopped", "state", history.Fail, "stopped from outside", func(r *history.Run) { r.Manifest.State = history.StateStopped }},
		{"a state of no version", "state", history.Fail, `"odd"`, func(r *history.Run) { r.Manifest.State = "odd" }},

		{"a control arm is not wanted", "control arm", history.NotEvaluated, "no control arm, and is to have none", func(*history.Run) {}},
		{"a control arm is not there", "control arm", history.Fail, "the run has no control arm, so that nothing shows", func(r *history.Run) { r.Manifest.NoControl = false }},
		{"nothing to control", "control arm", history.NotEvaluated, "no control arm, and no faults", func(r *history.Run) {
			r.Manifest.NoControl, r.Plan, r.Faults = false, nil, nil
			for i := range r.Attempts {
				r.Attempts[i].Mark = nil
			}
		}},
		{"host", "host", history.NotEvaluated, "not measured", func(*history.Run) {}},
	} {
		c.try(t)
	}
}

// witnessed leaves a server that records nothing itself.
func witnessed(run *history.Run) {
	run.Manifest.Arms[0].Servers[0].Effects = false
	run.Wire = []history.Wire{{Arm: "main", Server: "sim", Rollout: "t000000.1", Key: "seq:1", Role: history.RoleCall, Handed: true, Result: history.ResultNone}}
}

func TestReceipts(t *testing.T) {
	noReceipt := func(r *history.Run) { r.Faults = r.Faults[1:] }
	for _, c := range []clauseCase{
		{"all receipts", "receipts", history.Pass, "of 4 marked exchanges sent, 4 met", func(*history.Run) {}},
		{"a receipt is missing", "receipts", history.Fail, "call of attempt 1 at t000000/s01 (no record from the fault layer)", noReceipt},
		{"the fault layer does nothing", "receipts", history.Fail, "no fault was delivered", func(r *history.Run) { r.Faults = nil }},
		{"the rules are about another task", "receipts", history.Fail, "; --only t000001,t000002 left the other tasks out, and with them what the rules may be about", func(r *history.Run) {
			r.Faults, r.Manifest.Overrides = nil, &history.Overrides{Only: []string{"t000001", "t000002"}}
		}},
		{"the rules are about another scenario", "receipts", history.Fail, "; --scenario rollouts left the other scenarios out, and with them what the rules may be about", func(r *history.Run) {
			r.Faults, r.Manifest.Overrides = nil, &history.Overrides{Scenarios: []string{"rollouts"}}
		}},
		{"no rule", "receipts", history.NotEvaluated, "no cut was planned", func(r *history.Run) { r.Faults, r.Attempts, r.Plan = nil, nil, nil }},
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
		{"outside the window", "receipts", history.Pass, "1 outside the rule's window", func(r *history.Run) {
			r.Faults[0].State, r.Plan[0].During = history.FaultUnarmed, []string{"5s", "25s"}
		}},
		{"unarmed, and no window", "plan kept", history.Fail, "its rule has no window", func(r *history.Run) { r.Faults[0].State = history.FaultUnarmed }},
		{"a cut that nothing marks", "plan kept", history.Fail, "was delivered, and the plan does not mark it", func(r *history.Run) {
			extra := r.Faults[0]
			extra.Attempt = 9
			r.Faults = append(r.Faults, extra)
		}},
		{"every cut was marked", "plan kept", history.Pass, "no cut was delivered that the plan does not mark", func(*history.Run) {}},
		{"never sent", "receipts", history.Pass, "1 never sent", func(r *history.Run) { r.Attempts[0].Written = 0; noReceipt(r) }},
		{"a refused connection has a receipt though nothing was sent", "receipts", history.Pass, "4 met", func(r *history.Run) { r.Attempts[0].Written = 0 }},
		{"a connection that died is what a cut looks like", "receipts", history.Fail, "no record", func(r *history.Run) {
			r.Attempts[0].Cause = &history.Cause{Class: "reset"}
			noReceipt(r)
		}},
		{"the receipt of another rule", "receipts", history.Fail, "met C4 rst of rule r99 instead of C4 rst of rule r01", func(r *history.Run) { r.Faults[0].Rule = "r99" }},
		{"the receipt of another cut", "receipts", history.Fail, "met C1 rst of rule r01 instead", func(r *history.Run) { r.Faults[0].Cut = "C1" }},
		{"the receipt of another manner", "receipts", history.Fail, "met C4 fin of rule r01 instead", func(r *history.Run) { r.Faults[0].Manner = "fin" }},
		{"another fault though nothing was written", "receipts", history.Fail, "met C1 rst of rule r01 instead", func(r *history.Run) {
			r.Faults[0].Cut, r.Attempts[0].Written = "C1", 0
		}},
		{"a missed record of another rule", "receipts", history.Fail, "no record", func(r *history.Run) {
			r.Faults[0].State, r.Faults[0].Reason, r.Faults[0].Rule = history.FaultMissed, "late", "r99"
		}},
	} {
		c.try(t)
	}
}

// A burst cuts whatever is open, and so takes the place of other faults.
func TestReceiptsOfBursts(t *testing.T) {
	for _, c := range []clauseCase{
		{"a burst instead", "receipts", history.Pass, "3 met their fault; named: 1 a burst cut the connection first", func(r *history.Run) { burst(&r.Faults[0]) }},
		{"a burst before the role was known", "receipts", history.Pass, "3 met their fault; named: 1 a burst", func(r *history.Run) {
			burst(&r.Faults[0]).Role = ""
		}},
		{"a burst on another exchange", "receipts", history.Fail, "no record", func(r *history.Run) { burst(&r.Faults[0]).Attempt = 2 }},
		{"a burst that named no rollout", "receipts", history.Pass, "1 a burst", func(r *history.Run) {
			f := burst(&r.Faults[0])
			f.Op, f.Rollout, f.Role, f.Attempt = "", "", "", 0
			at := &r.Attempts[0]
			at.ConnNew, at.Cause, at.End = true, &history.Cause{Class: "eof"}, 2*second
		}},
		{"one such burst and two exchanges", "receipts", history.Fail, "t000001/s01 (no record", func(r *history.Run) {
			f := burst(&r.Faults[0])
			f.Op, f.Rollout, f.Role, f.Attempt = "", "", "", 0
			for i := range 2 {
				at := &r.Attempts[i]
				at.ConnNew, at.Cause, at.End = true, &history.Cause{Class: "eof"}, 2*second
			}
			r.Faults = append(r.Faults[:1], r.Faults[2:]...)
		}},
		{"a burst that met no connection", "receipts", history.Pass, "named: 1 burst: none of 3", func(r *history.Run) {
			r.Faults = append(r.Faults, history.Fault{Arm: "main", Server: "sim", Rule: "r02", Cut: "burst", State: history.FaultMissed, Reason: "none of 3 open connections was chosen"})
		}},
	} {
		c.try(t)
	}
}

// burst makes a fault that of a burst.
func burst(f *history.Fault) *history.Fault {
	f.Rule, f.Cut = "r09", "burst"
	return f
}

// One receipt of a hundred does not do for the rest, however the exchanges ended.
func TestLostReceipts(t *testing.T) {
	run := runOf(t, "", wanted{class: history.Unsafe, told: history.ToldUnknown, did: "call unknown reset C4"})
	for i := 2; i < 100; i++ {
		wanted{op: fmt.Sprintf("t%06d/s02", i), class: history.Idempotent, told: history.ToldOK, did: "call unknown reset, call ok"}.add(run)
	}
	for i := range run.Attempts {
		if run.Attempts[i].Cause != nil {
			run.Attempts[i].Mark = &history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"}
		}
	}
	run.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "tools", Cut: "C4", Manner: "rst", Share: 1}}
	wantClause(t, judge(t, run, "coverage"), "receipts", history.Fail, "of 99 marked exchanges sent, 1 met their fault; unexplained: call of attempt 1 at t000002/s02")
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
