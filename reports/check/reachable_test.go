package check_test

import (
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// downRun is a rollout that failed on an idempotent call, by a server that died.
func downRun(dialErrors int64, faults ...history.Fault) *history.Run {
	cause := &history.Cause{Class: "reset", Text: "connection reset by peer"}
	return &history.Run{
		Manifest: history.Manifest{
			State: history.StateFinished, Assert: []string{"no-spurious-failure", "blast-radius"},
			Arms: []history.Arm{{
				Name: "main", Judge: true, DialErrors: dialErrors,
				Scenarios: []history.Scenario{{Name: "s", VUs: 1, Planned: 1}},
			}},
		},
		Rollouts: []history.Rollout{{
			Arm: "main", Scenario: "s", Task: "t000001", Rollout: "t000001.1", Outcome: history.Failed, End: 50,
			Cause: &history.RolloutCause{Op: "t000001/s02", Told: history.ToldUnknown, Text: "x"},
		}},
		Ops: []history.Op{{
			Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "kv", Kind: history.KindTool, Tool: "put",
			Class: history.Idempotent, Told: history.ToldUnknown, Attempts: 2, Budget: 6, Cause: cause, Start: 10, End: 40,
		}},
		Attempts: []history.Attempt{
			{Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "kv", Attempt: 1, Role: history.RoleCall, Told: history.ToldUnknown, Written: 9, Cause: cause, Start: 11, End: 20},
			{Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "kv", Attempt: 2, Role: history.RoleCall, Told: history.ToldUnknown, Written: 9, Cause: cause, Start: 21, End: 40},
		},
		Faults: faults,
	}
}

func TestAServerThatWasDown(t *testing.T) {
	cut := func(attempt int) history.Fault {
		return history.Fault{
			Arm: "main", Server: "kv", Op: "t000001/s02", Rollout: "t000001.1", Attempt: attempt, Role: history.RoleCall,
			Cut: "C4", Manner: "rst", State: history.FaultDelivered, At: 15,
		}
	}
	tests := []struct {
		name     string
		run      *history.Run
		violated bool // no-spurious-failure is
	}{
		{"it was down, and nothing else happened", downRun(3), false},
		{"a cut first, and then it was down", downRun(3, cut(1)), false},
		{"the cut ended it, whatever the server did elsewhere", downRun(3, cut(2)), true},
		{"it was never down", downRun(0, cut(1)), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := check.Evaluate(tt.run, check.Options{})
			down := tt.run.Manifest.Arms[0].DialErrors > 0
			for _, i := range v.Invariants {
				switch i.ID {
				case "no-spurious-failure":
					if violated := i.Status == history.Fail; violated != tt.violated {
						t.Errorf("no-spurious-failure: %s %s", i.Status, i.Reason)
					}
				case "coverage":
					if named := strings.Contains(i.Reason, "servers: a server was down"); named != down {
						t.Errorf("coverage: %s", i.Reason)
					}
				}
			}
		})
	}
}

// TestAServerThatSomebodyKilled: what it cut off is nobody's failure and no blast.
func TestAServerThatSomebodyKilled(t *testing.T) {
	for signal, want := range map[int]history.Status{9: history.Pass, 0: history.Fail} {
		run := downRun(0)
		run.Manifest.Arms[0].Servers = []history.Server{{Name: "kv", Died: &history.Death{Signal: signal, How: "ended"}}}
		v := check.Evaluate(run, check.Options{})
		if got := find(t, v, "no-spurious-failure"); got.Status != want {
			t.Errorf("signal %d: no-spurious-failure: %s %s", signal, got.Status, got.Reason)
		}
		if got := find(t, v, "blast-radius"); (got.Status == history.Fail) != (want == history.Fail) {
			t.Errorf("signal %d: blast-radius: %s %s", signal, got.Status, got.Reason)
		}
	}
}

// TestOneURLForAllRollouts: the witness cannot tell whose call it saw.
func TestOneURLForAllRollouts(t *testing.T) {
	for url, want := range map[string]history.Status{
		"http://127.0.0.1:1/mcp":             history.NotEvaluated,
		"http://127.0.0.1:1/r/{rollout}/mcp": history.Fail,
	} {
		run := &history.Run{
			Manifest: history.Manifest{State: history.StateFinished, Assert: []string{"truthful-outcome"}, Arms: []history.Arm{{
				Name: "main", Judge: true, Servers: []history.Server{{Name: "kv", URL: url}},
			}}},
			Ops: []history.Op{{
				Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "kv", Kind: history.KindTool, Tool: "put", Key: "seq:0",
				Told: history.ToldOK, Attempts: 1,
			}},
			Wire: []history.Wire{{
				Arm: "main", Server: "kv", Rollout: "other", Key: "seq:0", Tool: "put", RPC: "tools/call", Role: history.RoleCall, Handed: true, Result: history.ResultOK,
			}},
		}
		for _, i := range check.Evaluate(run, check.Options{}).Invariants {
			if i.ID == "truthful-outcome" && i.Status != want {
				t.Errorf("%s: %s (%s), want %s", url, i.Status, i.Reason, want)
			}
		}
	}
}

func TestReachable(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     history.Status
		change     func(*history.Run, *history.Arm)
	}{
		{"every server was reached", "every connection reached its server", history.Pass, func(*history.Run, *history.Arm) {}},
		{"a server that was not reached", "could not reach it for 1 connection", history.Fail, func(_ *history.Run, a *history.Arm) { a.DialErrors = 1 }},
		{"a machine that was too slow to reach it", "the fault layer could not connect in time for 256 connections (timers fired 2.607s late;", history.Fail, func(_ *history.Run, a *history.Arm) {
			a.DialErrors, a.Lateness = 256, &history.Lateness{P99: 2607 * time.Millisecond}
		}},
		{"a server that was killed by a fault", "every connection", history.Pass, func(r *history.Run, a *history.Arm) {
			a.DialErrors = 1
			r.Faults = append(r.Faults, history.Fault{Arm: "main", Server: "sim", Cut: "kill", State: history.FaultDelivered, At: second})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := coveredRun()
			c.change(run, &run.Manifest.Arms[0])
			inv := judge(t, run, "coverage")
			wantClause(t, inv, "servers", c.status, c.text)
			late := run.Manifest.Arms[0].Lateness
			if led := strings.HasPrefix(inv.Reason, check.HostClause+": "); led != (late != nil && late.P99 > time.Second) {
				t.Errorf("a machine that is too slow is the first reason, and no other is: %q", inv.Reason)
			}
		})
	}
}
