package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// copyArm adds an arm to a run that is the main one's copy: its rollouts and
// operations with other task numbers, and its faults where it is to have them.
// Arms of a run come one after another.
func copyArm(run *history.Run, name string, first, faults bool) *history.Arm {
	other := func(id string) string {
		return strings.Replace(id, "t0", map[string]string{"control": "t1", "before": "t2", "second": "t3"}[name], 1)
	}
	arm := run.Manifest.Arms[len(run.Manifest.Arms)-1]
	arm.Name = name
	for _, r := range run.Rollouts {
		if r.Arm == "main" {
			r.Arm, r.Task, r.Rollout = name, other(r.Task), other(r.Rollout)
			run.Rollouts = append(run.Rollouts, r)
		}
	}
	for _, op := range run.Ops {
		if op.Arm == "main" {
			op.Arm, op.Op, op.Rollout = name, other(op.Op), other(op.Rollout)
			if !faults {
				op.Told = history.ToldOK
			}
			run.Ops = append(run.Ops, op)
		}
	}
	if faults {
		copyFaults(run, name, other)
	}
	at := len(run.Manifest.Arms)
	if first {
		at = 0
		for i := range run.Manifest.Arms {
			run.Manifest.Arms[i].Start = 100 * second
		}
	}
	run.Manifest.Arms = append(run.Manifest.Arms[:at:at], append([]history.Arm{arm}, run.Manifest.Arms[at:]...)...)
	return &run.Manifest.Arms[at]
}

func copyFaults(run *history.Run, name string, other func(string) string) {
	for _, at := range run.Attempts {
		if at.Arm == "main" {
			at.Arm, at.Op, at.Rollout = name, other(at.Op), other(at.Rollout)
			run.Attempts = append(run.Attempts, at)
		}
	}
	for _, f := range run.Faults {
		if f.Arm == "main" {
			f.Arm, f.Op, f.Rollout = name, other(f.Op), other(f.Rollout)
			run.Faults = append(run.Faults, f)
		}
	}
	for _, rule := range run.Plan {
		if rule.Arm == "main" {
			rule.Arm = name
			run.Plan = append(run.Plan, rule)
		}
	}
}

// inArm gives the first record of an arm.
func inArm[T any](list []T, arm string, of func(*T) string) *T {
	for i := range list {
		if of(&list[i]) == arm {
			return &list[i]
		}
	}
	return nil
}

func opOf(r *history.Run, arm string) *history.Op {
	return inArm(r.Ops, arm, func(op *history.Op) string { return op.Arm })
}

func rolloutOf(r *history.Run, arm string) *history.Rollout {
	return inArm(r.Rollouts, arm, func(o *history.Rollout) string { return o.Arm })
}

func TestControlArm(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     history.Status
		change     func(*history.Run, *history.Arm)
	}{
		{"clean", "control ran first, 4 rollouts, all clean", history.Pass, func(*history.Run, *history.Arm) {}},
		{"it ran later", "is no control of main: it did not run before it", history.Fail, func(_ *history.Run, c *history.Arm) { c.Start = 200 * second }},
		{"it is declared later", "did not run before", history.Fail, func(r *history.Run, _ *history.Arm) {
			arms := r.Manifest.Arms
			arms[0], arms[1] = arms[1], arms[0]
			arms[0].Start, arms[1].Start = 0, 0
		}},
		{"another scenario", "it has no scenario rollouts", history.Fail, func(_ *history.Run, c *history.Arm) { c.Scenarios = []history.Scenario{{Name: "other"}} }},
		{"one scenario more", "it has 1 scenario more", history.Fail, func(_ *history.Run, c *history.Arm) {
			c.Scenarios = append(c.Scenarios[:1:1], history.Scenario{Name: "other"})
		}},
		{
			"another executor", "its scenario rollouts is shared-iterations with 0 virtual users", history.Fail,
			func(_ *history.Run, c *history.Arm) {
				c.Scenarios = []history.Scenario{{Name: "rollouts", Executor: "shared-iterations"}}
			},
		},
		{"fewer virtual users", "with 3 virtual users, and not  with 0", history.Fail, func(_ *history.Run, c *history.Arm) {
			c.Scenarios = []history.Scenario{{Name: "rollouts", VUs: 3}}
		}},
		{"fewer rollouts than ran at once", "it had 3 rollouts, and 4 ran at once", history.Fail, func(r *history.Run, _ *history.Arm) {
			r.Rollouts = r.Rollouts[:len(r.Rollouts)-1]
		}},
		{"a fault in it", "1 fault record in it, the first at t100000/s01", history.Fail, func(r *history.Run, _ *history.Arm) {
			r.Faults = append(r.Faults, history.Fault{Arm: "control", Op: "t100000/s01", Rollout: "t100000.1", State: history.FaultDelivered})
		}},
		{
			"an operation ended badly", "1 of 4 operations ended badly, the first t100000/s01, s01 turn on sim (seq:1), told unknown: reset", history.Fail,
			func(r *history.Run, _ *history.Arm) {
				op := opOf(r, "control")
				op.Told, op.Cause = history.ToldUnknown, &history.Cause{Class: "reset"}
			},
		},
		{"a tool error is an answer", "all clean", history.Pass, func(r *history.Run, _ *history.Arm) { opOf(r, "control").Told = history.ToldToolError }},
		{"a rollout failed", "1 of 4 rollouts did not complete, the first t100000.1, failed: gave up", history.Fail, func(r *history.Run, _ *history.Arm) {
			o := rolloutOf(r, "control")
			o.Outcome, o.Cause = history.Failed, &history.RolloutCause{Text: "gave up"}
		}},
		{"a script error", "script_error: x is not defined at a.js:3:7", history.Fail, func(r *history.Run, _ *history.Arm) {
			o := rolloutOf(r, "control")
			o.Outcome, o.Cause = history.ScriptError, &history.RolloutCause{Text: "x is not defined", At: "a.js:3:7"}
		}},
		{"a script error of both arms", "t100000.1, script_error, by an error that was thrown under faults too", history.Fail, func(r *history.Run, _ *history.Arm) {
			for _, arm := range []string{"control", "main"} {
				o := rolloutOf(r, arm)
				o.Outcome, o.Cause = history.ScriptError, &history.RolloutCause{Text: "x is not defined", At: "a.js:3:7"}
			}
		}},
		{"an invariant is violated in it", "no-hang is violated in 1 of 4 operations", history.Fail, func(r *history.Run, _ *history.Arm) {
			opOf(r, "control").End = 99 * second
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := coveredRun()
			copyArm(run, "control", true, false).Control = true
			c.change(run, &run.Manifest.Arms[0])
			inv := judge(t, run, "coverage")
			wantClause(t, inv, "control arm", c.status, c.text)
			if (inv.Status == history.Fail) != (c.status == history.Fail) {
				t.Errorf("coverage is %q: %s", inv.Status, inv.Reason)
			}
		})
	}
}

func TestHost(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     history.Status
		change     func(*history.Run, *history.Arm)
	}{
		{"on time", "at most 3ms late (p99), 0s of waiting", history.Pass, func(*history.Run, *history.Arm) {}},
		{"not measured", "was not measured", history.NotEvaluated, func(_ *history.Run, a *history.Arm) { a.Lateness = nil }},
		{"late", "harness-limited: timers fired 50ms late", history.Fail, func(_ *history.Run, a *history.Arm) { a.Lateness.P99 = 50 * time.Millisecond }},
		{"a little waiting", "399ms of waiting", history.Pass, func(_ *history.Run, a *history.Arm) { a.Stalls = &history.Stalls{Waited: 399 * time.Millisecond} }},
		{"much waiting", "harness-limited: writers waited 400ms for the history, 1.0 %", history.Fail, func(_ *history.Run, a *history.Arm) {
			a.Stalls = &history.Stalls{Waited: 400 * time.Millisecond}
		}},
		{"connections that were not accepted", "could not carry 2 connections", history.Fail, func(_ *history.Run, a *history.Arm) { a.AcceptErrors = 2 }},
		{
			"no descriptor was left", "harness-limited: 1 exchange failed for want of a descriptor, port or buffer on this machine, the first call of attempt 1 at t000000/s01 (too many open files)",
			history.Fail, func(r *history.Run, a *history.Arm) {
				r.Attempts[0].Cause = &history.Cause{Class: "host_limit", Text: "too many open files"}
				a.Lateness = nil
			},
		},
		{"two limits", "late (p99, 50ms allowed)", history.Fail, func(_ *history.Run, a *history.Arm) { a.AcceptErrors, a.Lateness.P99 = 1, time.Second }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := coveredRun()
			arm := &run.Manifest.Arms[0]
			arm.End, arm.Lateness = 10*second, &history.Lateness{P99: 3 * time.Millisecond}
			c.change(run, arm)
			wantClause(t, judge(t, run, "coverage"), "host", c.status, c.text)
		})
	}
}

// Every clause is judged for every judged arm, and names it.
func TestCoverageOfSeveralArms(t *testing.T) {
	for _, c := range []struct {
		name, clause, text string
		status             history.Status
		change             func(*history.Run)
	}{
		{"all started", "planned = started", "arm main: rollouts: 4 of 4 started; arm second: rollouts: 4 of 4 started", history.Pass, func(*history.Run) {}},
		{"one missed some", "planned = started", "arm second: rollouts: 3 of 4 started, 1 never", history.Fail, func(r *history.Run) { r.Rollouts = r.Rollouts[:7] }},
		{"the faults of one met nothing", "receipts", "arm second: the plan has 1 rule, and no fault was delivered", history.Fail, func(r *history.Run) { r.Faults = r.Faults[:4] }},
		{"one has no faults", "receipts", "arm main: of 4 marked exchanges sent", history.Pass, func(r *history.Run) {
			r.Faults, r.Attempts, r.Plan = r.Faults[:4], r.Attempts[:4], r.Plan[:1]
		}},
		{"the faults of one came late", "in flight", "arm second: the median of 4 faults met 0", history.Fail, func(r *history.Run) {
			for i := range r.Faults[4:] {
				r.Faults[4+i].At = 99 * second
			}
		}},
		{"a script error in one", "script errors", "arm second: 1 of 4 rollouts", history.Fail, func(r *history.Run) { r.Rollouts[7].Outcome = history.ScriptError }},
		{"the recorder of one failed", "effect logs", "arm second: sim recorded nothing though", history.Fail, func(r *history.Run) {
			r.Ops[7].Told = history.ToldOK
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := coveredRun()
			copyArm(run, "second", false, true)
			c.change(run)
			wantClause(t, judge(t, run, "coverage"), c.clause, c.status, c.text)
		})
	}
}

// An arm that is not judged is tabulated, and decides nothing.
func TestUnjudgedArmsDecideNothing(t *testing.T) {
	run := coveredRun()
	copyArm(run, "before", true, true).Judge = false
	*rolloutOf(run, "before") = history.Rollout{Arm: "before", Scenario: "rollouts", Task: "t200000", Rollout: "t200000.1", Outcome: history.ScriptError}
	op := opOf(run, "before")
	op.Told, op.End = history.ToldNone, 999*second
	run.Faults = run.Faults[:len(run.Faults)-1]
	v := evaluate(run)
	if v.Status != history.Pass {
		t.Errorf("%s: %s", v.Status, v.Reason)
	}
	if len(v.Arms) != 2 || v.Arms[0].Arm != "before" || v.Arms[0].Judged || v.Arms[0].Faults != 3 || !v.Arms[1].Judged {
		t.Errorf("arms %+v", v.Arms)
	}
	if rate := findRate(t, run, "faults-met:before"); rate.Rate.Count != 3 || rate.Rate.Of != 4 {
		t.Errorf("%+v", rate)
	}
}

// The invariants are judged over all judged arms together, and proofs name theirs.
func TestInvariantsOfSeveralArms(t *testing.T) {
	run := coveredRun()
	copyArm(run, "second", false, true)
	run.Ops[7].End = 999 * second
	inv := judge(t, run, "no-hang")
	wantStatus(t, inv, history.Fail, "1 × ended long after")
	if inv.Evaluated != 8 || !strings.HasPrefix(inv.Proof.Text, "arm second: t300003/s01 took") {
		t.Errorf("%d evaluated, %q", inv.Evaluated, inv.Proof.Text)
	}
}

func TestArmRows(t *testing.T) {
	run := runOf(t, "arg:t000001/s01,"+s02Key+","+s02Key, wanted{op: "t000001/s01", class: unsafe, told: "ok", did: "call ok"},
		wanted{class: unsafe, told: "unknown", did: "call unknown C4"},
		wanted{op: "t000001/s03", class: history.Idempotent, told: "ok", did: "call ok"},
		wanted{op: "t000002/s01", class: history.Keyed, told: "unknown", did: "call unknown C4"})
	failedOn(run, &run.Ops[1])
	failedOn(run, &run.Ops[3]).Rollout = "t000002.2"
	run.Ops[3].Rollout = "t000002.2"
	run.Rollouts = append(run.Rollouts, history.Rollout{Arm: "main", Task: "t000002", Rollout: "t000002.1", Outcome: history.Failed},
		history.Rollout{Arm: "main", Task: "t000003", Rollout: "t000003.1", Outcome: history.Completed},
		history.Rollout{Arm: "main", Task: "t000004", Rollout: "t000004.1", Outcome: history.Interrupted})
	busied(run, "t000003.1")
	run.Effects = append(run.Effects, history.Effect{Arm: "main", Server: "tools", Kind: history.EffectAnswer, Replayed: true, Rollout: "t000002.2", Key: "arg:t000002/s01"},
		history.Effect{Arm: "main", Server: "tools", Kind: history.EffectCommit, Rollout: "t000001.1", Key: "arg:t000001/s03", Tool: "append"},
		history.Effect{Arm: "main", Server: "tools", Kind: history.EffectCommit, Rollout: "t000001.1", Key: "arg:t000001/s03", Tool: "append"})
	run.Manifest.Arms[0].Policies = map[string]string{"sim": "settle", "tools": "at-least-once"}
	got := evaluate(run).Arms[0]
	count := func(i history.Interval) history.Interval { return history.Interval{Count: i.Count, Of: i.Of} }
	for _, i := range []*history.Interval{&got.Failed, &got.Spurious, &got.Unknown, &got.Replayed} {
		if i.Rate*float64(i.Of) != float64(i.Count) || i.Low >= i.Rate || i.High <= i.Rate {
			t.Errorf("%+v is no rate within its interval", *i)
		}
		*i = count(*i)
	}
	want := history.ArmRow{
		Arm: "main", Policy: "sim=settle, tools=at-least-once",
		Failed: history.Interval{Count: 2, Of: 3}, Spurious: history.Interval{Count: 1, Of: 3}, Unknown: history.Interval{Count: 2, Of: 5},
		Absorbed: 1, Replayed: history.Interval{Count: 1, Of: 3}, Restarts: 1, Faults: 2, Judged: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	run.Manifest.Arms[0].Policies["tools"] = "settle"
	if policy := evaluate(run).Arms[0].Policy; policy != "settle" {
		t.Errorf("one policy everywhere is called %q", policy)
	}
}

// Two answers to a keyed operation are two executions only where the server says so.
func TestReplayedNeedsTheServersWord(t *testing.T) {
	keyed := func(effects bool) history.Interval {
		run := runOf(t, s02Key+","+s02Key, wanted{class: history.Keyed, told: "ok", did: "call unknown C4, call ok"})
		run.Manifest.Arms[0].Servers[1].Effects = effects
		for range 2 {
			run.Wire = append(run.Wire, history.Wire{
				Arm: "main", Server: "tools", Rollout: rollout1, Key: s02Key, Tool: "append",
				Role: history.RoleCall, Handed: true, Result: history.ResultOK,
			})
		}
		return evaluate(run).Arms[0].Replayed
	}
	if got := keyed(true); got.Count != 1 || got.Of != 1 {
		t.Errorf("by the server's record: %+v", got)
	}
	if got := keyed(false); got.Of != 0 {
		t.Errorf("by the witness: %+v", got)
	}
}

// The rate of unknowns and the column of unknowns are of the same operations.
func TestUnknownsHaveOneDenominator(t *testing.T) {
	run := runOf(t, "", wanted{told: "unknown", did: "call unknown C4"}, wanted{op: "t000001/s01", told: "ok", did: "initialize ok"})
	run.Ops[1].Kind, run.Ops[1].Key = history.KindConnect, ""
	rate, column := findRate(t, run, "told-unknown").Rate, evaluate(run).Arms[0].Unknown
	if diff := cmp.Diff(column, rate); diff != "" || rate.Of != 2 {
		t.Errorf("of %d operations\n%s", rate.Of, diff)
	}
}
