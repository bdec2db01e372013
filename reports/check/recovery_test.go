package check_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// healedRun is a run whose only fault came after two seconds: one rollout was then
// running, and one began afterwards. Each made a call on the tool server.
func healedRun(t *testing.T) *history.Run {
	t.Helper()
	run := runOf(t, "arg:t000001/s02",
		wanted{told: history.ToldOK, did: "call ok C4"},
		wanted{op: "t000002/s02", told: history.ToldOK, did: "call ok"},
	)
	run.Faults[0].At = 2 * second
	run.Ops[0].Start, run.Ops[0].End = second, 3*second
	run.Ops[1].Start, run.Ops[1].End = 4*second, 4*second+second/2
	for i, id := range []string{"t000001", "t000002"} {
		run.Rollouts = append(run.Rollouts, history.Rollout{
			Arm: "main", Scenario: "rollouts", Task: id, Rollout: id + ".1", Outcome: history.Completed,
			Start: history.Instant(3*i) * second, End: history.Instant(3*i+5) * second,
		})
	}
	return run
}

func TestRecovery(t *testing.T) {
	heal := func(at, within time.Duration) func(*history.Run) {
		return func(r *history.Run) { r.Manifest.Arms[0].Heal = &history.Heal{At: at, Within: within} }
	}
	for _, c := range []struct {
		name   string
		status history.Status
		reason string
		change func(*history.Run)
	}{
		{"all is well again", history.Pass, "", func(*history.Run) {}},
		{"within the heal phase", history.Pass, "", heal(3*time.Second, 5*time.Second)},
		{"no fault", history.NotEvaluated, "no fault was delivered", func(r *history.Run) { r.Faults = nil }},
		{"a toxic alone, of which nobody knows when it stopped", history.NotEvaluated, "only toxics acted", func(r *history.Run) {
			r.Faults[0].State, r.Faults[0].Toxic = history.FaultInstalled, "reset_peer"
		}},
		{"nothing was asked afterwards", history.NotEvaluated, "no operation began after the last fault", func(r *history.Run) { r.Faults[0].At = 9 * second }},
		{"nothing was asked in the heal phase", history.NotEvaluated, "no operation began after", heal(9*time.Second, time.Second)},
		{"the last operation failed", history.Fail, "a server does not serve again", func(r *history.Run) { r.Ops[1].Told = history.ToldUnknown }},
		{"the server refused it itself", history.Pass, "", func(r *history.Run) {
			r.Ops[1].Told, r.Ops[1].Cause = history.ToldNotExecuted, &history.Cause{Class: "rpc_error"}
		}},
		{"it was interrupted", history.Pass, "", func(r *history.Run) { r.Ops[1].Told, r.Ops[1].Interrupted = history.ToldNone, true }},
		{"a rollout takes too long", history.Fail, "a rollout did not end in time", heal(3*time.Second, time.Second)},
		{"without a heal phase it may", history.Pass, "", func(r *history.Run) { r.Rollouts[0].End = 500 * second }},
		{"the server takes too long", history.Fail, "a server serves again too late", heal(3500*time.Millisecond, 400*time.Millisecond)},
		{"a toxic without an end", history.Pass, "", func(r *history.Run) {
			r.Plan = []history.PlanRule{{Arm: "main", Rule: "r02", On: "tools", Toxic: "latency"}}
			r.Ops[1].Told = history.ToldUnknown
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := healedRun(t)
			c.change(run)
			wantStatus(t, judge(t, run, "recovery"), c.status, c.reason)
		})
	}
}

// A server that does not serve any more is excused where it was down by itself: it was not
// well when its own first fault came. No other server's trouble excuses it.
func TestRecoveryOfAServerThatIsGone(t *testing.T) {
	lost := func(r *history.Run, errors int64) {
		r.Ops[1].Told, r.Manifest.Arms[0].DialErrors = history.ToldNotExecuted, errors
	}
	for _, c := range []struct {
		name   string
		status history.Status
		reason string
		change func(*history.Run)
	}{
		{"it is there", history.Pass, "", func(*history.Run) {}},
		{"another was down for a while, and it is there", history.Pass, "", func(r *history.Run) { r.Manifest.Arms[0].DialErrors = 3 }},
		{"it was well under the first fault, and never came back", history.Fail, "a server does not serve again", func(r *history.Run) { lost(r, 3) }},
		{"it was well before the first fault, and never came back", history.Fail, "a server does not serve again", func(r *history.Run) {
			lost(r, 3)
			r.Ops[0].End = second
		}},
		{"no connection failed, so it was there all the time", history.Fail, "a server does not serve again", func(r *history.Run) {
			lost(r, 0)
			r.Ops[0].Told = history.ToldUnknown
		}},
		{"it was down before the first fault", history.NotEvaluated, "tools was down by itself", func(r *history.Run) {
			lost(r, 3)
			r.Ops[0].Told, r.Ops[0].End = history.ToldUnknown, second
		}},
		{"it was never there", history.NotEvaluated, "tools was down by itself", func(r *history.Run) {
			lost(r, 3)
			r.Ops[0].Told = history.ToldUnknown
		}},
		{"it met no fault, and was down", history.NotEvaluated, "tools was down by itself", func(r *history.Run) {
			lost(r, 3)
			r.Faults[0].Server = "sim"
		}},
		{"a fault ended its process", history.Fail, "a server does not serve again", func(r *history.Run) {
			lost(r, 3)
			r.Ops[0].Told, r.Faults[0].Cut = history.ToldUnknown, "kill"
		}},
		{"a signal from outside ended its process", history.NotEvaluated, "tools was down by itself", func(r *history.Run) {
			lost(r, 3)
			r.Manifest.Arms[0].Servers[1].Died = &history.Death{Signal: 9, How: "was killed by signal 9"}
		}},
		{"its process ended by itself", history.Fail, "a server does not serve again", func(r *history.Run) {
			lost(r, 3)
			r.Manifest.Arms[0].Servers[1].Died = &history.Death{How: "ended by itself"}
		}},
		{"a fault ended another's process", history.NotEvaluated, "tools was down by itself", func(r *history.Run) {
			lost(r, 3)
			r.Faults[0].Server, r.Faults[0].Cut = "sim", "kill"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := healedRun(t)
			run.Rollouts = nil // of which each would be judged as well
			c.change(run)
			wantStatus(t, judge(t, run, "recovery"), c.status, c.reason)
		})
	}
}

func TestRecoveryIsMeasured(t *testing.T) {
	v := evaluate(healedRun(t))
	want := []history.Recovery{{Arm: "main", Server: "tools", Served: int64(second / 2), Rollouts: 1, Ended: int64(3 * second)}}
	if diff := cmp.Diff(want, v.Recovery); diff != "" {
		t.Error(diff)
	}
	wantClause(t, find(t, v, "recovery"), "recovery time", history.Pass, "tools served again after 500ms; 1 rollout then running ended within 3s")
}
