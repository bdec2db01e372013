package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

// A target that fails without any fault is said to, and what it does the same way under
// faults is nobody else's: what cannot be told is not judged.
func TestATargetThatFailsAnyway(t *testing.T) {
	broken := func(cause history.Cause) *history.Run {
		run := runOf(t, "", wanted{class: history.Idempotent, told: "unknown", did: "call unknown " + cause.Class})
		run.Effects, run.Attempts[0].Read = nil, 9
		run.Ops[0].Cause, run.Attempts[0].Cause = &cause, &cause
		failedOn(run, &run.Ops[0])
		run.Manifest.NoControl = false
		control := run.Manifest.Arms[0]
		control.Name, control.Control = "control", true
		run.Manifest.Arms = append([]history.Arm{control}, run.Manifest.Arms...)
		run.Manifest.Arms[1].Start = 100
		op, at, r := run.Ops[0], run.Attempts[0], run.Rollouts[0]
		op.Arm, op.Op, op.Rollout = "control", "t100001/s02", "t100001.1"
		at.Arm, at.Op, at.Rollout = "control", op.Op, op.Rollout
		r.Arm, r.Task, r.Rollout = "control", "t100001", op.Rollout
		r.Cause = &history.RolloutCause{Op: op.Op, Told: op.Told, Text: "an McpError escaped"}
		run.Ops, run.Attempts, run.Rollouts = append(run.Ops, op), append(run.Attempts, at), append(run.Rollouts, r)
		return run
	}
	for _, c := range []struct {
		name     string
		cause    history.Cause
		spurious history.Status
		reason   string
	}{
		{"a refusal", history.Cause{Class: "http_status", Status: 421}, history.Pass, ""},
		{"an overload", history.Cause{Class: "http_status", Status: 503}, history.Pass, ""},
		{"an answer that is no JSON", history.Cause{Class: "bad_answer"}, history.Pass, ""},
		{"an answer that is no HTTP", history.Cause{Class: "other"}, history.Pass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := evaluate(broken(c.cause))
			wantStatus(t, find(t, v, "no-spurious-failure"), c.spurious, c.reason)
			wantStatus(t, find(t, v, "blast-radius"), history.NotEvaluated, "its server fails in this way without any fault")
			wantClause(t, find(t, v, "coverage"), "control arm", history.Fail, "the target fails without any fault: control, which has no faults, is not clean: 1 of 1 operation ended badly")
			if v.Status != history.Inconclusive {
				t.Errorf("%s: %s", v.Status, v.Reason)
			}
		})
	}
	for class, why := range map[string]string{"deadline": "its server did not answer, and no fault met it", "eof": "another class than unsafe"} {
		t.Run("no answer: "+class, func(t *testing.T) {
			v := evaluate(broken(history.Cause{Class: class}))
			wantStatus(t, find(t, v, "no-spurious-failure"), history.Fail, why)
			wantStatus(t, find(t, v, "blast-radius"), history.Fail, "told unknown without a fault of its own")
			if want := "the target fails without any fault, and no-spurious-failure is violated"; v.Status != history.Fail || !strings.HasPrefix(v.Reason, want) {
				t.Errorf("%s: %s; want %s", v.Status, v.Reason, want)
			}
		})
	}
	t.Run("a client that makes nothing of a good answer", func(t *testing.T) {
		run := broken(history.Cause{Class: "deadline"})
		run.Wire = []history.Wire{{
			Arm: "control", Server: "tools", Rollout: "t100001.1", Key: run.Ops[1].Key, Role: history.RoleCall, Handed: true, Result: history.ResultOK,
		}}
		v := evaluate(run)
		wantStatus(t, find(t, v, "blast-radius"), history.Fail, "told unknown without a fault of its own")
		wantClause(t, find(t, v, "coverage"), "control arm", history.Fail, "control, which has no faults, is not clean: 1 of 1 operation ended badly")
	})
	t.Run("another failure than the control arm's", func(t *testing.T) {
		run := broken(history.Cause{Class: "http_status", Status: 503})
		run.Ops[0].Cause = &history.Cause{Class: "http_status", Status: 421}
		wantStatus(t, judge(t, run, "blast-radius"), history.Fail, "told unknown without a fault of its own")
	})
}

// A server that answers nothing is no cause that anybody gave, and the proof says which.
func TestASilentServerIsNamed(t *testing.T) {
	run := runOf(t, "", wanted{class: history.Idempotent, told: "unknown", did: "call unknown deadline"})
	failedOn(run, &run.Ops[0])
	inv := judge(t, run, "no-spurious-failure")
	wantStatus(t, inv, history.Fail, "its server did not answer, and no fault met it")
	if want := "t000001.1 failed on t000001/s02, and no fault of the plan was the cause: its server did not answer, and no fault met it"; inv.Proof.Text != want {
		t.Errorf("%q, want %q", inv.Proof.Text, want)
	}
}

// An answer that a fault broke is none of the server's.
func TestABrokenAnswerIsTheFaults(t *testing.T) {
	run := runOf(t, "", wanted{class: history.Idempotent, told: "unknown", did: "call unknown bad_answer C6"})
	failedOn(run, &run.Ops[0])
	wantStatus(t, judge(t, run, "no-spurious-failure"), history.Fail, "another class than unsafe")
}
