package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

func TestExactlyOnceTurnsHolds(t *testing.T) {
	for _, c := range []struct {
		name string
		script
	}{
		{"one turn", script{turns: "seq:1 ok n1", log: "begin seq:1, commit seq:1 n1, answer seq:1 n1"}},
		{"a retry is served from the record", script{
			turns: "seq:1 ok n1, seq:2 ok n2",
			log:   "commit seq:1 n1, answer seq:1 n1, answer seq:1 n1, commit seq:2 n2, answer seq:2 n2",
		}},
		{"one advance beyond, told unknown", script{turns: "seq:1 ok n1, seq:2 unknown -", log: "commit seq:1 n1, commit seq:2 n2"}},
		{
			"one advance beyond, of an operation the transcript does not hold",
			script{turns: "seq:1 ok n1", lost: "seq:2 unknown", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{"one advance beyond, interrupted", script{turns: "seq:1 ok n1, seq:2 none! -", log: "commit seq:1 n1, commit seq:2 n2"}},
		{"only the first turn was asked and it was lost", script{lost: "seq:1 unknown", log: "commit seq:1 n1"}},
		{"a late duplicate of an old turn gets the old turn", script{
			turns: "seq:1 ok n1, seq:2 ok n2",
			log:   "commit seq:1 n1, answer seq:1 n1, commit seq:2 n2, answer seq:2 n2, begin seq:1, answer seq:1 n1",
		}},
		{"a conflict is refused", script{turns: "seq:1 ok n1", log: "commit seq:1 n1, answer seq:1 n1, refuse seq:1 - d2"}},
		{"a conflict is answered with an error", script{turns: "seq:1 ok n1", log: "commit seq:1 n1, answer seq:1 n1, answer seq:1 - d2"}},
		{"equal messages without a key are two turns", script{
			turns: "args:d#1 ok n1, args:d#2 ok n2",
			log:   "commit args:d n1, answer args:d n1, commit args:d n2, answer args:d n2",
		}},
		{"an aborted execution is no advance", script{turns: "seq:1 ok n1", log: "begin seq:1, abort seq:1, begin seq:1, commit seq:1 n1"}},
		{"answers recorded out of order", script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit@2 seq:2 n2, commit@1 seq:1 n1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantStatus(t, judge(t, c.run(t), "exactly-once-turns"), history.Pass, "")
		})
	}
}

// badTurns is a conversation in which turns were not taken exactly once.
type badTurns struct {
	name   string
	reason string
	script
}

func (c badTurns) try(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		inv := judge(t, c.run(t), "exactly-once-turns")
		wantStatus(t, inv, history.Fail, c.reason)
		if inv.Proof.Task != "t000001" {
			t.Errorf("the proof names task %q", inv.Proof.Task)
		}
	})
}

// What the simulator itself did with its keys.
func TestExactlyOnceTurnsViolatedByTheSimulator(t *testing.T) {
	for _, c := range []badTurns{
		{
			"a retry advances the simulator", "advanced twice for one key",
			script{turns: "seq:1 ok n2", log: "commit seq:1 n1, commit seq:1 n2, answer seq:1 n2"},
		},
		{
			"a late duplicate advances the simulator", "advanced twice for one key",
			script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:1 n1, commit seq:2 n2, commit seq:1 n3"},
		},
		{
			"a conflict is served from the record", "another message under a used key",
			script{turns: "seq:1 ok n1", log: "commit seq:1 n1, answer seq:1 n1 d1, answer seq:1 n1 d2"},
		},
		{
			"a conflict advances", "another message under a used key",
			script{turns: "seq:1 ok n1", log: "commit seq:1 n1, commit seq:1 n2 d2"},
		},
		{
			"a repeat gets another turn", "did not get the recorded turn",
			script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:1 n1, answer seq:1 n1, commit seq:2 n2, answer seq:1 n2"},
		},
		{
			"the first answer is not the turn taken", "did not get the recorded turn",
			script{turns: "seq:1 ok n9", log: "commit seq:1 n1, answer seq:1 n9"},
		},
		{
			"two advances in one place", "one place in the log",
			script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:1 n1, commit@1 seq:2 n2"},
		},
	} {
		c.try(t)
	}
}

// What the transcript made of the simulator's log.
func TestExactlyOnceTurnsViolatedByTheTranscript(t *testing.T) {
	for _, c := range []badTurns{
		{
			"the transcript skips a turn", "skips a turn",
			script{turns: "seq:1 ok n1, seq:2 unknown -, seq:3 ok n3", log: "commit seq:1 n1, commit seq:2 n2, commit seq:3 n3"},
		},
		{
			"the transcript misses the first turn", "skips a turn",
			script{turns: "seq:1 unknown -, seq:2 ok n2", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"the transcript repeats a turn", "repeats a turn",
			script{turns: "seq:1 ok n1, seq:2 ok n1", log: "commit seq:1 n1, answer seq:1 n1"},
		},
		{
			"an earlier turn comes again after others", "repeats a turn",
			script{turns: "seq:1 ok n1, seq:2 ok n2, seq:3 ok n1", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"turns are swapped", "skips a turn",
			script{turns: "seq:1 ok n2, seq:2 ok n1", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"a turn that was never taken", "never taken",
			script{turns: "seq:1 ok n1, seq:2 ok stranger", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"a turn after the log's end", "never taken",
			script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:1 n1, answer seq:1 n1"},
		},
		{
			"two advances beyond", "ran ahead",
			script{turns: "seq:1 ok n1", lost: "seq:2 unknown, seq:3 unknown", log: "commit seq:1 n1, commit seq:2 n2, commit seq:3 n3"},
		},
		{
			"two advances beyond without keys", "ran ahead",
			script{turns: "args:d#1 unknown -", log: "commit args:d n1, commit args:d n2"},
		},
		{
			"one beyond, told ok", "taken and lost",
			script{turns: "seq:1 ok n1, seq:2 ok -", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"one beyond, told not_executed", "taken and lost",
			script{turns: "seq:1 ok n1, seq:2 not_executed -", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"one beyond, told tool_error", "taken and lost",
			script{turns: "seq:1 ok n1", lost: "seq:2 tool_error", log: "commit seq:1 n1, commit seq:2 n2"},
		},
		{
			"one beyond that nobody asked for", "nothing asked",
			script{turns: "seq:1 ok n1", log: "commit seq:1 n1, commit seq:7 n7"},
		},
	} {
		c.try(t)
	}
}

func TestExactlyOnceTurnsNotEvaluated(t *testing.T) {
	good := script{turns: "seq:1 ok n1", log: "commit seq:1 n1"}
	for _, c := range []struct {
		name   string
		reason string
		change func(*history.Run)
	}{
		{"no rollout", "no rollout took a user turn", func(r *history.Run) { r.Rollouts, r.Ops, r.Effects = nil, nil, nil }},
		{"no turn", "no rollout took a user turn", func(r *history.Run) { r.Rollouts[0].Turns, r.Ops, r.Effects = nil, nil, nil }},
		{"no effects", "sim records no effects", func(r *history.Run) { r.Manifest.Arms[0].Servers[0].Effects = false }},
		{"the recorder failed", "its recorder failed", func(r *history.Run) { r.Effects = nil }},
		{"no nonces", "carries a nonce", func(r *history.Run) { r.Rollouts[0].Turns[0].Nonce = "" }},
		{"the log is not whole", "not whole", func(r *history.Run) { r.Effects[0].Sequence = 2 }},
		{"no operations", "no operation is recorded", func(r *history.Run) { r.Ops = nil }},
		{"an arm that is not judged", "no rollout took", func(r *history.Run) { r.Manifest.Arms[0].Judge = false }},
		{"a control arm", "no rollout took", func(r *history.Run) { r.Manifest.Arms[0].Control = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := good.run(t)
			c.change(run)
			wantStatus(t, judge(t, run, "exactly-once-turns"), history.NotEvaluated, c.reason)
		})
	}
}

// A run that was killed leaves effects of rollouts that have no record. They are
// judged as far as they go.
func TestExactlyOnceTurnsOfKilledRun(t *testing.T) {
	killed := func(log string) *history.Run {
		run := script{turns: "seq:1 ok n1, seq:2 ok n2", log: log}.run(t)
		run.Manifest.State = history.StateRunning
		return run
	}
	t.Run("an advance whose operation was not recorded any more", func(t *testing.T) {
		run := killed("commit seq:1 n1, commit seq:2 n2, commit seq:3 n3")
		wantStatus(t, judge(t, run, "exactly-once-turns"), history.Pass, "")
	})
	t.Run("without a transcript the keys are judged", func(t *testing.T) {
		run := killed("commit seq:1 n1, commit seq:1 n2")
		run.Rollouts = nil
		wantStatus(t, judge(t, run, "exactly-once-turns"), history.Fail, "advanced twice")
	})
	t.Run("and nothing more can be said", func(t *testing.T) {
		run := killed("commit seq:1 n1, commit seq:2 n2")
		run.Rollouts = nil
		wantStatus(t, judge(t, run, "exactly-once-turns"), history.NotEvaluated, "no record of its own")
	})
}

// What could not be judged beside what could is said with its number.
func TestExactlyOnceTurnsSaysWhatItLeftOut(t *testing.T) {
	run := script{turns: "seq:1 ok n1", log: "commit seq:1 n1"}.run(t)
	run.Rollouts = append(run.Rollouts, history.Rollout{
		Arm: "main", Task: "t000002", Rollout: "t000002.1",
		Turns: []history.Turn{{Op: "t000002/s01", Key: "seq:1", Told: history.ToldOK, Nonce: "x"}},
	})
	inv := judge(t, run, "exactly-once-turns")
	wantStatus(t, inv, history.Pass, "")
	if len(inv.Clauses) != 1 || !strings.HasPrefix(inv.Clauses[0].Text, "1 rollout: ") {
		t.Errorf("clauses %+v do not name the rollout left out", inv.Clauses)
	}
}

// A turn whose answer came and could not be read is not simply lost, and is said
// to be what it is.
func TestTurnsThatCouldNotBeRead(t *testing.T) {
	const unread, plain = "its answer could not be read", "a turn was taken and lost"
	for _, c := range []struct {
		name, reason, text string
		script
	}{
		{"the last", plain + ": " + unread, "its answer came and could not be read", script{turns: "seq:1 ok n1, seq:2 ok -", log: "commit seq:1 n1, commit seq:2 n2"}},
		{"one in between", "skips a turn: " + unread, "the answer to seq:2 came", script{
			turns: "seq:1 ok n1, seq:2 ok -, seq:3 ok n3",
			log:   "commit seq:1 n1, commit seq:2 n2, commit seq:3 n3",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inv := judge(t, c.run(t), "exactly-once-turns")
			wantStatus(t, inv, history.Fail, c.reason)
			if !strings.Contains(inv.Proof.Text, c.text) {
				t.Errorf("the proof says %q", inv.Proof.Text)
			}
		})
	}
	t.Run("lost for another reason", func(t *testing.T) {
		inv := judge(t, script{turns: "seq:1 ok n1, seq:2 not_executed -", log: "commit seq:1 n1, commit seq:2 n2"}.run(t), "exactly-once-turns")
		if wantStatus(t, inv, history.Fail, plain); strings.Contains(inv.Reason, unread) {
			t.Errorf("reason %q", inv.Reason)
		}
	})
}

// The shortest proof is taken, and it says who did what in order.
func TestExactlyOnceTurnsProof(t *testing.T) {
	run := script{turns: "seq:1 ok n1, seq:2 ok n3", log: "commit seq:1 n1, commit seq:2 nonce-two-of-sim, commit seq:2 n3, answer seq:2 n3"}.run(t)
	run.Ops[1].Attempts = 2
	mark := &history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"}
	run.Attempts = []history.Attempt{
		{Arm: "main", Op: "t000001/s02", Rollout: rollout1, Attempt: 1, Exchange: 1, Role: history.RoleInitialize, Server: "sim", Told: history.ToldOK},
		{
			Arm: "main", Op: "t000001/s02", Rollout: rollout1, Attempt: 1, Exchange: 2, Role: history.RoleCall, Server: "sim",
			Told: history.ToldUnknown, Written: 312, Cause: &history.Cause{Class: "reset"}, Mark: mark, Start: 1,
		},
		{
			Arm: "main", Op: "t000001/s02", Rollout: rollout1, Attempt: 2, Exchange: 1, Role: history.RoleCall, Server: "sim",
			Told: history.ToldOK, Written: 312, Read: 99, Status: 200, Start: 2,
		},
	}
	run.Faults = []history.Fault{{
		Arm: "main", Server: "sim", Rule: "r01", Op: "t000001/s02", Rollout: rollout1, Attempt: 1,
		Role: history.RoleCall, Cut: "C4", Manner: "rst", State: history.FaultDelivered, Up: 312,
	}}
	run.Wire = []history.Wire{{
		Arm: "main", Server: "sim", Rollout: rollout1, Key: "seq:2", Hint: "t000001.1/s02/a1",
		Role: history.RoleCall, Handed: true, Result: history.ResultOK, Status: 200,
	}}
	got := strings.Join(judge(t, run, "exactly-once-turns").Proof.Events, "\n")
	want := strings.Join([]string{
		"attempt 1 of s02 (seq:2): handed over whole, answer seen: ok (HTTP 200); cut C4 rst after 312 bytes up and 0 down; the client wrote 312 and read 0 bytes, reset: unknown",
		"attempt 2 of s02 (seq:2): the client wrote 312 and read 99 bytes, HTTP 200: ok",
		"s02 turn respond on sim (seq:2), keyed was told ok after 2 attempts in 100ms",
		"sim advanced to turn 2 for seq:2, nonce nonce-tw…",
		"sim advanced to turn 3 for seq:2, nonce n3",
		"sim answered seq:2, nonce n3",
	}, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A rollout that took no turn, and whose simulator took none, shows nothing.
func TestNoTurnWasTaken(t *testing.T) {
	run := script{turns: "seq:1 unknown -", log: "begin seq:1"}.run(t)
	wantStatus(t, judge(t, run, "exactly-once-turns"), history.NotEvaluated, "no turn was taken")
}

// A log with a gap cannot show that a turn is missing, and still shows one taken
// twice.
func TestTurnsOfALogWithAGap(t *testing.T) {
	gapped := func(log string) history.Invariant {
		run := script{turns: "seq:1 ok n1, seq:2 ok n2", log: log}.run(t)
		run.Gaps = []history.Gap{{Server: "sim", File: "effects.sim.1.ndjson", After: 1, Next: 3}}
		return judge(t, run, "exactly-once-turns")
	}
	wantStatus(t, gapped("commit seq:1 n1"), history.NotEvaluated, "the log of sim has a gap")
	wantStatus(t, gapped("commit seq:1 n1, commit seq:1 n3"), history.Fail, "advanced twice for one key")
}
