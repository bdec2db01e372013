package check_test

import (
	"errors"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// stormyRun is one rollout whose second turn took two attempts, the first cut
// after its answer was seen, and a second rollout of the same task.
func stormyRun(t *testing.T) *history.Run {
	run := script{
		turns: "seq:1 ok n1, seq:2 ok n2",
		log:   "begin seq:1, commit seq:1 n1, answer seq:1 n1, begin seq:2, commit seq:2 n2, answer seq:2 n2, answer seq:2 n2",
	}.run(t)
	run.Effects[6].Replayed = true
	run.Ops[1].Attempts = 2
	call := history.Attempt{Arm: "main", Op: "t000001/s02", Rollout: rollout1, Exchange: 1, Role: history.RoleCall, Server: "sim", Written: 300}
	lost, answered := call, call
	lost.Attempt, lost.Told, lost.Cause, lost.Start, lost.End = 1, history.ToldUnknown, &history.Cause{Class: "reset"}, 1, 2e6
	answered.Attempt, answered.Told, answered.Read, answered.Status, answered.Start, answered.End = 2, history.ToldOK, 180, 200, 3e6, 5e6
	run.Attempts = []history.Attempt{answered, lost} // not in order
	run.Faults = []history.Fault{{
		Arm: "main", Server: "sim", Rule: "r01", Op: "t000001/s02", Rollout: rollout1, Attempt: 1,
		Role: history.RoleCall, Cut: "C4", Manner: "rst", State: history.FaultDelivered, Up: 300,
	}}
	run.Wire = []history.Wire{
		{Arm: "main", Server: "sim", Rollout: rollout1, Key: "seq:2", Hint: "t000001.1/s02/a1", Role: history.RoleCall, Handed: true, Result: history.ResultOK, Status: 200},
		{Arm: "main", Server: "sim", Rollout: rollout1, Key: "seq:9", Method: "POST", Result: history.ResultNone, Up: 12},
	}
	restart := run.Rollouts[0]
	restart.Rollout, restart.Turns, restart.Outcome = "t000001.2", nil, history.Failed
	restart.Cause = &history.RolloutCause{Text: "gave up", At: "a.js:1:2"}
	run.Rollouts = append(run.Rollouts, restart)
	return run
}

func TestExplainTask(t *testing.T) {
	got := must(check.Explain(stormyRun(t), "t000001")).String()
	want := `
run      t000001.1, iteration 1 of scenario rollouts in arm main, virtual user 0
  client   s01 turn respond on sim (seq:1), keyed, 1s after the rollout began
    sim      sim began seq:1
    sim      sim advanced to turn 1 for seq:1, nonce n1
    sim      sim answered seq:1, nonce n1
    client   told ok after 1 attempt in 100ms
  client   s02 turn respond on sim (seq:2), keyed, 2s after the rollout began
    client   attempt 1, call: wrote 300 and read 0 bytes, reset: unknown in 2ms
      fault    cut C4 rst after 300 bytes up and 0 down (rule r01)
      witness  handed over whole, answer seen: ok (HTTP 200)
    client   attempt 2, call: wrote 300 and read 180 bytes, HTTP 200: ok in 2ms
    sim      sim began seq:2
    sim      sim advanced to turn 2 for seq:2, nonce n2
    sim      sim answered seq:2, nonce n2
    sim      sim answered seq:2 from its record, nonce n2
    client   told ok after 2 attempts in 100ms
  witness  a POST that no recorded attempt claims: handed over only 12 bytes of it, no whole answer seen
run      completed after 10s with 2 turns
run      t000001.2, iteration 1 of scenario rollouts in arm main, virtual user 0
run      failed after 10s with 0 turns; gave up at a.js:1:2
`
	if got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestExplainSelection(t *testing.T) {
	for _, c := range []struct {
		id       string
		has, not []string
	}{
		{"t000001.1", []string{"t000001.1,", "s01", "s02", "completed"}, []string{"t000001.2"}},
		{"1", []string{"t000001.1,", "s01", "t000001.2"}, nil},
		{"1.1/s01", []string{"s01"}, []string{"s02"}},
		{"t000001.2", []string{"t000001.2,", "gave up"}, []string{"s01", "t000001.1"}},
		{"t000001/s02", []string{"s02", "cut C4"}, []string{"s01", "completed", "t000001.2"}},
		{"t000001.1/s01", []string{"s01"}, []string{"s02"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			got := must(check.Explain(stormyRun(t), c.id)).String()
			for _, want := range c.has {
				if !strings.Contains(got, want) {
					t.Errorf("does not say %q:\n%s", want, got)
				}
			}
			for _, not := range c.not {
				if strings.Contains(got, not) {
					t.Errorf("says %q:\n%s", not, got)
				}
			}
		})
	}
}

// blocks is a run of two scenarios in its main arm, and one in its control arm.
func blocks() *history.Run {
	run := emptyRun()
	for _, r := range [][2]string{{"main", "t000000"}, {"main", "t000001"}, {"main", "t2000000"}, {"main", "t2000001"}, {"control", "t1000000"}} {
		run.Rollouts = append(run.Rollouts, history.Rollout{Arm: r[0], Task: r[1], Rollout: r[1] + ".1"})
	}
	return run
}

func TestExplainUnknown(t *testing.T) {
	for _, c := range []struct {
		name, id, want string
		run            *history.Run
	}{
		{"a task beyond the last", "t000099", "tasks are t000000 to t000029 in arm main, t100000 to t100029 in arm control", stormRun(30)},
		{"a plain number beyond the last", "99", "t000000 to t000029 in arm main", stormRun(30)},
		{"a task of another scenario's block", "t2000007", "t2000000 to t2000001 in arm main, t1000000 to t1000000 in arm control", blocks()},
		{"an operation that was never made", "t000001/s77", "t000001/s77", stormyRun(t)},
		{"a rollout that never was", "t000001.9", "t000001.9", stormyRun(t)},
		{"an empty run", "t000001", "recorded no task", emptyRun()},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, err := check.Explain(c.run, c.id)
			if !errors.Is(err, check.ErrUnknownTask) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and %d lines, want an error that names %q", err, len(lines), c.want)
			}
		})
	}
}

func TestExplainNoTask(t *testing.T) {
	for _, id := range []string{"", "hello", "x28", "t28.", "t28/", "t28.x", "t1234567890123456789"} {
		if lines, err := check.Explain(stormyRun(t), id); !errors.Is(err, check.ErrTaskForm) || !strings.Contains(err.Error(), id) {
			t.Errorf("%q: got %v and %d lines, want ErrTaskForm", id, err, len(lines))
		}
	}
}

// A toxic has its window, and a leaving what followed it.
func TestExplainToxicAndLeaving(t *testing.T) {
	run := stormyRun(t)
	f := &run.Faults[0]
	f.State, f.Toxic, f.Reason = history.FaultInstalled, "latency", "from 5s to 25s"
	run.Wire[0].Left = &history.Left{Manner: "rst", Bytes: 120, Message: 1.5e9, Watched: 2e9}
	run.Wire[1].Left = &history.Left{Manner: "fin", Ended: true}
	got := must(check.Explain(run, "1")).String()
	for _, want := range []string{
		"toxic latency was installed, acting from 5s to 25s (rule r01)\n",
		"the client left (rst) before the answer was whole; 120 bytes came after that, with a message 1.5s after it or later, heard for 2s\n",
		"the client left (fin) before the answer was whole; 0 bytes came after that, and the server ended its side\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("does not say %q:\n%s", want, got)
		}
	}
}

// What settles an operation, and its later generations, are told with it.
func TestExplainSettled(t *testing.T) {
	run := runOf(t, s02Key+"#2", wanted{class: unsafe, told: "ok", settled: "voided", did: "call unknown C1 reset, settle ok, call ok"})
	got := must(check.Explain(run, "t000001/s02")).String()
	want := `
run      t000001.1 has no record of its own: the run ended before it did
  client   s02 tool append on tools (arg:t000001/s02), unsafe
    client   attempt 1, call: wrote 300 and read 0 bytes, reset: unknown in 0s
      fault    cut C1 rst after 0 bytes up and 0 down (rule r01)
    client   attempt 2, settle for s02.settle: wrote 300 and read 0 bytes: ok in 0s
    client   attempt 2, call: wrote 300 and read 0 bytes: ok in 0s
    tools    tools committed arg:t000001/s02#2
    client   told ok after 2 attempts in 0s, settled: voided; reset
`
	if got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got:\n%s", got)
	}
}

// A killed run has effects of a rollout without a record of its own.
func TestExplainWithoutRollout(t *testing.T) {
	run := stormyRun(t)
	run.Rollouts = nil
	got := must(check.Explain(run, "t000001")).String()
	for _, want := range []string{"t000001.1 has no record of its own", "sim advanced to turn 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("does not say %q:\n%s", want, got)
		}
	}
}
