package check_test

import (
	"fmt"
	"testing"

	"mcpstorm/history"
)

// idlers adds completed rollouts that made a connect, and no exchange.
func idlers(r *history.Run, scenario string, n int) {
	for i := range n {
		task := fmt.Sprintf("t%06d", 100+i)
		r.Rollouts = append(r.Rollouts, history.Rollout{
			Arm: "main", Scenario: scenario, Task: task, Rollout: task + ".1", Outcome: history.Completed, Start: 20 * second, End: 21 * second,
		})
		r.Ops = append(r.Ops, history.Op{Arm: "main", Op: task + "/s01", Rollout: task + ".1", Server: "sim", Kind: history.KindConnect, Told: history.ToldOK})
	}
	for i := range r.Manifest.Arms[0].Scenarios {
		if s := &r.Manifest.Arms[0].Scenarios[i]; s.Name == scenario {
			s.Planned += int64(n)
		}
	}
}

// quiet leaves the run without a plan and without a fault.
func quiet(r *history.Run) {
	r.Plan, r.Faults = nil, nil
	for i := range r.Attempts {
		r.Attempts[i].Mark, r.Attempts[i].Cause, r.Attempts[i].Told = nil, nil, history.ToldOK
		r.Ops[i].Told = history.ToldOK
	}
	r.Effects = []history.Effect{{Arm: "main", Server: "sim", Kind: history.EffectBegin, Rollout: "t000000.1", Key: "seq:1"}}
}

// tells gives every operation one end.
func tells(r *history.Run, told history.Told) {
	quiet(r)
	for i := range r.Ops {
		r.Ops[i].Told = told
	}
}

func TestWork(t *testing.T) {
	for _, c := range []clauseCase{
		{"all worked", "work", history.Pass, "rollouts asked something", func(*history.Run) {}},
		{"one of five asked nothing", "work", history.Fail, "rollouts: 1 of 5 rollouts completed without asking anything of a server (10 % allowed)", func(r *history.Run) {
			idlers(r, "rollouts", 1)
		}},
		{"a scenario that does nothing", "work", history.Fail, "noop: 2 of 2 rollouts completed without asking anything", func(r *history.Run) {
			r.Manifest.Arms[0].Scenarios = append(r.Manifest.Arms[0].Scenarios, history.Scenario{Name: "noop"})
			idlers(r, "noop", 2)
		}},
		{"a few of many", "work", history.Pass, "rollouts asked something", func(r *history.Run) {
			for i := range 6 {
				task := fmt.Sprintf("t%06d", 50+i)
				r.Rollouts = append(r.Rollouts, history.Rollout{Arm: "main", Scenario: "rollouts", Task: task, Rollout: task + ".1", Outcome: history.Completed, Start: 20 * second, End: 21 * second})
				busied(r, task+".1")
			}
			r.Manifest.Arms[0].Scenarios[0].Planned += 6
			idlers(r, "rollouts", 1)
		}},
		{"no exchange", "work", history.Fail, "4 rollouts, and not one exchange with a server", func(r *history.Run) {
			quiet(r)
			r.Attempts = nil
			for i := range r.Ops {
				r.Ops[i].Kind, r.Ops[i].Attempts = history.KindConnect, 0
			}
		}},
		{"tool errors alone", "work", history.Fail, "of the calls on sim none was told ok, and 4 a tool's error: nothing was done there", func(r *history.Run) { tells(r, history.ToldToolError) }},
		{"one that was none", "work", history.Pass, "rollouts asked something", func(r *history.Run) {
			tells(r, history.ToldToolError)
			r.Ops[0].Told = history.ToldOK
		}},
	} {
		c.try(t)
	}
}

// Where no exchange was made, no fault could have reached anyone.
func TestBlastRadiusWantsExchanges(t *testing.T) {
	run := coveredRun()
	quiet(run)
	run.Attempts = nil
	for i := range run.Ops {
		run.Ops[i].Kind, run.Ops[i].Attempts = history.KindConnect, 0
	}
	wantStatus(t, judge(t, run, "blast-radius"), history.NotEvaluated, "no exchange with a server was made")
	wantStatus(t, judge(t, run, "no-spurious-failure"), history.NotEvaluated, "it asked nothing of any server")
}

// A control arm that does nothing is no control.
func TestControlMustWork(t *testing.T) {
	run := coveredRun()
	copyArm(run, "control", true, false).Control = true
	for i := range run.Ops {
		if run.Ops[i].Arm == "control" {
			run.Ops[i].Told = history.ToldToolError
		}
	}
	wantClause(t, judge(t, run, "coverage"), "control arm", history.Fail, "control, which has no faults, is not clean: of the calls on sim none was told ok, and 4 a tool's error")
}

func TestHealIsLivedThrough(t *testing.T) {
	heal := func(r *history.Run) {
		r.Manifest.Arms[0].Heal = &history.Heal{At: 2_000_000_000, Within: 20_000_000_000}
	}
	later := func(r *history.Run) {
		heal(r)
		op := r.Ops[0]
		op.Op, op.Key, op.Told, op.Start, op.End = "t000000/s02", "seq:2", history.ToldToolError, 3*second, 4*second
		r.Ops = append(r.Ops, op)
	}
	for _, c := range []clauseCase{
		{"no heal", "heal", history.NotEvaluated, "no heal phase", func(*history.Run) {}},
		{"nothing was asked any more", "heal", history.Fail, "the heal phase begins after 2s, and recovery cannot be judged: no operation began after the last fault", heal},
		{"another server was asked", "heal", history.Fail, "nothing was asked of sim after 2s", func(r *history.Run) {
			later(r)
			r.Ops[4].Server = "tools"
		}},
		{"it was asked", "heal", history.Pass, "1 server was asked after the faults had stopped", func(r *history.Run) {
			later(r)
			r.Ops[4].Told = history.ToldOK
			r.Effects = []history.Effect{{Arm: "main", Server: "sim", Kind: history.EffectBegin, Rollout: "t000000.1", Key: "seq:1"}}
		}},
	} {
		c.try(t)
	}
}
