package check_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// second is one second as an Instant.
const second = history.Instant(1e9)

// emptyRun is a finished run of one judged arm with a simulator that records its
// effects and takes user turns by seq, and with a tool server that does too.
func emptyRun() *history.Run {
	return &history.Run{
		Dir: "runs/r1",
		Manifest: history.Manifest{
			Schema: history.Schema, ID: "r1", State: history.StateFinished, NoControl: true,
			Arms: []history.Arm{{
				Name: "main", Judge: true,
				Servers: []history.Server{
					{Name: "sim", Reference: "usersim", Effects: true, SeqArgument: "seq"},
					{Name: "tools", Reference: "ledger", Effects: true, OpArgument: "op"},
				},
				Scenarios: []history.Scenario{{Name: "rollouts", Planned: 1}},
			}},
		},
	}
}

// script writes a run from a compact notation, one comma-separated item a record.
type script struct {
	// turns of the transcript and their operations: "KEY TOLD NONCE", where NONCE
	// is - for none, and TOLD may carry "!" for an interrupted operation.
	turns string
	// lost are turn operations that the transcript does not hold: "KEY TOLD".
	lost string
	// log is what the simulator recorded: "KIND KEY NONCE [DIGEST]"; KIND may
	// carry "@N" to claim another sequence than the next.
	log string
}

const rollout1 = "t000001.1"

func (s script) run(t *testing.T) *history.Run {
	t.Helper()
	run := emptyRun()
	r := history.Rollout{
		Arm: "main", Scenario: "rollouts", Task: "t000001", Rollout: rollout1, Iteration: 1,
		Outcome: history.Completed, End: 10 * second,
	}
	for _, item := range items(s.turns) {
		op := s.op(run, item)
		turn := history.Turn{Op: op.Op, Key: op.Key, Told: op.Told}
		if item[2] != "-" {
			turn.Nonce = item[2]
		}
		r.Turns = append(r.Turns, turn)
	}
	for _, item := range items(s.lost) {
		s.op(run, item)
	}
	run.Rollouts = append(run.Rollouts, r)
	sequence := int64(0)
	for i, item := range items(s.log) {
		kind, at, claimed := strings.Cut(item[0], "@")
		e := history.Effect{
			Arm: "main", Server: "sim", Kind: history.EffectKind(kind), N: int64(i + 1),
			Rollout: rollout1, Key: item[1], Tool: "respond", Digest: "d1",
		}
		if len(item) > 2 && item[2] != "-" {
			e.Nonce = item[2]
		}
		if len(item) > 3 {
			e.Digest = item[3]
		}
		if e.Kind == history.EffectCommit {
			sequence++
			e.Sequence = sequence
			if claimed {
				e.Sequence = int64(must(strconv.Atoi(at)))
			}
		}
		run.Effects = append(run.Effects, e)
	}
	return run
}

func (script) op(run *history.Run, item []string) history.Op {
	n := len(run.Ops) + 1
	told, interrupted := strings.CutSuffix(item[1], "!")
	op := history.Op{
		Arm: "main", Op: fmt.Sprintf("t000001/s%02d", n), Rollout: rollout1, Server: "sim",
		Kind: history.KindTurn, Tool: "respond", Key: item[0], Class: history.Keyed, Policy: "settle",
		Told: history.Told(told), Interrupted: interrupted, Deadline: int64(10 * second), Attempts: 1,
		Start: history.Instant(n) * second, End: history.Instant(n)*second + second/10,
	}
	run.Ops = append(run.Ops, op)
	return op
}

func items(text string) [][]string {
	var out [][]string
	for item := range strings.SplitSeq(text, ",") {
		if fields := strings.Fields(item); len(fields) > 0 {
			out = append(out, fields)
		}
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// judge evaluates a run and gives the verdict on one invariant.
func judge(t *testing.T, run *history.Run, id string) history.Invariant {
	t.Helper()
	return find(t, check.Evaluate(run, check.Options{All: true}), id)
}

func find(t *testing.T, v history.Verdict, id string) history.Invariant {
	t.Helper()
	for _, inv := range v.Invariants {
		if inv.ID == id {
			return inv
		}
	}
	t.Fatalf("the verdict has no %s", id)
	return history.Invariant{}
}

// wantStatus checks the verdict on an invariant and that it is whole: a violation
// has a proof and a rate, and nothing evaluated is never a pass.
func wantStatus(t *testing.T, inv history.Invariant, want history.Status, reason string) {
	t.Helper()
	if inv.Status != want {
		t.Fatalf("%s is %q (%s), want %q", inv.ID, inv.Status, inv.Reason, want)
	}
	if !strings.Contains(inv.Reason, reason) {
		t.Errorf("reason %q does not say %q", inv.Reason, reason)
	}
	if (inv.Status == history.NotEvaluated) != (inv.Evaluated == 0) {
		t.Errorf("%q with %d evaluated", inv.Status, inv.Evaluated)
	}
	if (inv.Status == history.Fail) != (inv.Violated > 0) {
		t.Errorf("%q with %d violated", inv.Status, inv.Violated)
	}
	counted := inv.Rate != nil || inv.ID == "no-leak" // whose trials are no sample of anything
	if inv.Status == history.Fail && inv.ID != "coverage" && (inv.Proof == nil || len(inv.Proof.Events) == 0 || !counted) {
		t.Errorf("a violation without a proof: %+v", inv)
	}
}
