package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// mutation plants one wrong thing in a correct history. It reports false where
// the history has no place for it.
type mutation struct {
	name  string
	wrong string // the invariant that must see it
	plant func(run *history.Run, pick func(n int) int) bool
}

// where gives one record for which fits holds, or nil.
func where[T any](list []T, pick func(n int) int, fits func(*T) bool) *T {
	var found []*T
	for i := range list {
		if fits(&list[i]) {
			found = append(found, &list[i])
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[pick(len(found))]
}

func anyOp(op *history.Op) bool { return op.Arm == "main" }

func told(want history.Told) func(*history.Op) bool {
	return func(op *history.Op) bool { return anyOp(op) && op.Told == want }
}

// toolTold fits tool calls, which do harm when they are repeated.
func toolTold(want history.Told) func(*history.Op) bool {
	return func(op *history.Op) bool { return told(want)(op) && op.Server == "tools" }
}

func simDid(want history.EffectKind) func(*history.Effect) bool {
	return func(e *history.Effect) bool { return e.Arm == "main" && e.Server == "sim" && e.Kind == want }
}

func toolDid(want history.EffectKind) func(*history.Effect) bool {
	return func(e *history.Effect) bool { return e.Arm == "main" && e.Server == "tools" && e.Kind == want }
}

func turnsAtLeast(n int) func(*history.Rollout) bool {
	return func(r *history.Rollout) bool {
		nonces := 0
		for _, turn := range r.Turns {
			if turn.Nonce != "" {
				nonces++
			}
		}
		return r.Arm == "main" && nonces >= n
	}
}

// lastOf gives the last rollout of an operation's task, where it is the one that
// made the operation.
func lastOf(run *history.Run, op *history.Op) *history.Rollout {
	task, _, _ := strings.Cut(op.Op, "/")
	var last *history.Rollout
	for i := range run.Rollouts {
		if run.Rollouts[i].Task == task {
			last = &run.Rollouts[i]
		}
	}
	if last.Rollout != op.Rollout {
		return nil
	}
	return last
}

// fail ends the operation's rollout by its McpError.
func fail(run *history.Run, op *history.Op, told history.Told) bool {
	r := lastOf(run, op)
	if r == nil {
		return false
	}
	op.Told = told
	r.Outcome, r.Cause = history.Failed, &history.RolloutCause{Op: op.Op, Told: told, Text: "planted"}
	return true
}

// heal takes the faults of an operation in one rollout away.
func heal(run *history.Run, op *history.Op) {
	run.Faults = slices.DeleteFunc(run.Faults, func(f history.Fault) bool {
		return strings.HasPrefix(f.Op, op.Op) && f.Rollout == op.Rollout
	})
}

// callAgain adds one more call of an operation.
func callAgain(run *history.Run, op *history.Op, rollout string) {
	run.Attempts = append(run.Attempts, history.Attempt{
		Arm: op.Arm, Op: op.Op, Rollout: rollout, Attempt: op.Attempts + 1, Exchange: 1,
		Role: history.RoleCall, Server: op.Server, Told: history.ToldUnknown, Written: 300, Start: op.End, End: op.End,
	})
}

var turnMutations = []mutation{
	{"a second commit of a key", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, simDid(history.EffectCommit))
		if e == nil {
			return false
		}
		again := *e
		again.Sequence, again.Nonce = again.Sequence+100, "again"
		run.Effects = append(run.Effects, again)
		return true
	}},
	{"a conflict served", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, simDid(history.EffectAnswer))
		if e == nil {
			return false
		}
		served := *e
		served.Digest = "other"
		run.Effects = append(run.Effects, served)
		return true
	}},
	{"a repeat that gets another turn", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, simDid(history.EffectAnswer))
		if e != nil {
			e.Nonce = "another"
		}
		return e != nil
	}},
	{"a turn lost from the transcript", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		r := where(run.Rollouts, pick, turnsAtLeast(2))
		if r != nil {
			r.Turns = slices.Delete(r.Turns, 0, 1)
		}
		return r != nil
	}},
	{"a turn twice in the transcript", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		r := where(run.Rollouts, pick, turnsAtLeast(2))
		if r != nil {
			r.Turns[1].Nonce = r.Turns[0].Nonce
		}
		return r != nil
	}},
	{"a turn of nobody", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		r := where(run.Rollouts, pick, turnsAtLeast(1))
		if r != nil {
			r.Turns[0].Nonce = "nobody"
		}
		return r != nil
	}},
	{"two advances beyond", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, simDid(history.EffectCommit))
		if e == nil {
			return false
		}
		next := *e
		for _, e := range run.Effects {
			if e.Rollout == next.Rollout {
				next.Sequence = max(next.Sequence, e.Sequence)
			}
		}
		for n := range 2 {
			next.Sequence++
			next.Key, next.Nonce, next.Digest = fmt.Sprintf("seq:9%d", n), fmt.Sprintf("beyond%d", n), "x"
			run.Effects = append(run.Effects, next)
		}
		return true
	}},
}

var toldMutations = []mutation{
	{"a lie", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, told(history.ToldOK))
		if op != nil {
			op.Told = history.ToldNotExecuted
		}
		return op != nil
	}},
	{"a false success", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, told(history.ToldNotExecuted))
		if op == nil || !slices.ContainsFunc(run.Effects, func(e history.Effect) bool {
			return e.Arm == "main" && e.Server == op.Server // an empty log is no evidence
		}) {
			return false
		}
		op.Told = history.ToldOK
		return true
	}},
	{"a commit lost from the log", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, told(history.ToldOK))
		if op == nil {
			return false
		}
		run.Effects = slices.DeleteFunc(run.Effects, func(e history.Effect) bool {
			key, _, _ := strings.Cut(e.Key, "#")
			return e.Kind == history.EffectCommit && e.Rollout == op.Rollout && key == op.Key
		})
		return true
	}},
	{"a hang", "no-hang", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, anyOp)
		op.End = op.Start + 21*second
		return true
	}},
	{"an answer that never came", "no-hang", func(run *history.Run, pick func(int) int) bool {
		where(run.Ops, pick, anyOp).Told = history.ToldNone
		return true
	}},
	{"a bad end without a receipt", "blast-radius", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, func(op *history.Op) bool { return anyOp(op) && op.Told != history.ToldOK })
		if op != nil {
			heal(run, op)
		}
		return op != nil
	}},
	{"attempts over the budget", "bounded-retry", func(run *history.Run, pick func(int) int) bool {
		where(run.Ops, pick, anyOp).Attempts = budget + 1
		return true
	}},
	{"calls over the budget", "bounded-retry", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, anyOp)
		for range budget + 1 {
			callAgain(run, op, op.Rollout)
		}
		return true
	}},
}

var replayMutations = []mutation{
	{"a replay after unknown", "no-unsafe-replay", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldUnknown))
		if op != nil {
			callAgain(run, op, op.Rollout)
		}
		return op != nil
	}},
	{"a replay across a restart", "no-unsafe-replay", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldUnknown))
		if op != nil {
			task, _, _ := strings.Cut(op.Op, "/")
			callAgain(run, op, task+".10")
		}
		return op != nil
	}},
	{"a call executed twice", "no-unsafe-replay", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, toolDid(history.EffectCommit))
		if e != nil {
			run.Effects = append(run.Effects, *e)
		}
		return e != nil
	}},
	{"a later generation executed too", "no-unsafe-replay", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, toolDid(history.EffectCommit))
		if e == nil {
			return false
		}
		again := *e
		again.Key, _, _ = strings.Cut(again.Key, "#")
		again.Key += "#9"
		run.Effects = append(run.Effects, again)
		return true
	}},
	{"a call executed in another rollout of its task", "no-unsafe-replay", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, toolDid(history.EffectCommit))
		if e == nil {
			return false
		}
		again := *e
		task, _, _ := strings.Cut(again.Rollout, ".")
		again.Rollout = task + ".10"
		run.Effects = append(run.Effects, again)
		return true
	}},
}

var isolationMutations = []mutation{
	{"the echo of another", "isolation", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldOK))
		if op != nil {
			op.Echo = "call-of-another"
		}
		return op != nil
	}},
	{"no echo", "isolation", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldOK))
		if op != nil {
			op.Echo = ""
		}
		return op != nil
	}},
	{"an effect in another's book", "isolation", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, toolDid(history.EffectCommit))
		if e != nil {
			e.Rollout = "t000999.1"
		}
		return e != nil
	}},
	{"a turn in another's transcript", "isolation", func(run *history.Run, pick func(int) int) bool {
		r := where(run.Rollouts, pick, turnsAtLeast(1))
		if r != nil {
			other := *r
			other.Task, other.Rollout = "t000999", "t000999.1"
			run.Rollouts = append(run.Rollouts, other)
		}
		return r != nil
	}},
}

var failureMutations = []mutation{
	{"a failure of a turn that could be taken again", "no-spurious-failure", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, func(op *history.Op) bool { return anyOp(op) && op.Server == "sim" })
		return fail(run, op, history.ToldUnknown)
	}},
	{"a failure of what was not executed", "no-spurious-failure", func(run *history.Run, pick func(int) int) bool {
		return fail(run, where(run.Ops, pick, anyOp), history.ToldNotExecuted)
	}},
	{"a failure though the answer had come", "no-spurious-failure", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldOK))
		return op != nil && fail(run, op, history.ToldUnknown)
	}},
	{"a failure without a receipt", "no-spurious-failure", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldUnknown))
		if op == nil || !fail(run, op, history.ToldUnknown) {
			return false
		}
		heal(run, op)
		return true
	}},
	{"a failure though nothing was written", "no-spurious-failure", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldUnknown))
		if op == nil || !fail(run, op, history.ToldUnknown) {
			return false
		}
		for i := range run.Attempts {
			if run.Attempts[i].Op == op.Op && run.Attempts[i].Rollout == op.Rollout {
				run.Attempts[i].Written = 0
			}
		}
		return true
	}},
}

var coverageMutations = []mutation{
	{"a receipt lost", "coverage", func(run *history.Run, pick func(int) int) bool {
		f := where(run.Faults, pick, func(f *history.Fault) bool { return f.Cut != "C0" })
		if f == nil {
			return false
		}
		lost := *f
		run.Faults = slices.DeleteFunc(run.Faults, func(f history.Fault) bool { return f == lost })
		return true
	}},
	{"a task lost", "coverage", func(run *history.Run, pick func(int) int) bool {
		task := where(run.Rollouts, pick, turnsAtLeast(0)).Task
		run.Rollouts = slices.DeleteFunc(run.Rollouts, func(r history.Rollout) bool { return r.Task == task })
		return true
	}},
	{"a dirty control arm", "coverage", func(run *history.Run, pick func(int) int) bool {
		where(run.Ops, pick, func(op *history.Op) bool { return op.Arm == "control" }).Told = history.ToldUnknown
		return true
	}},
	{"a violation in the control arm", "coverage", func(run *history.Run, pick func(int) int) bool {
		e := where(run.Effects, pick, func(e *history.Effect) bool {
			return e.Arm == "control" && e.Kind == history.EffectCommit && e.Server == "sim"
		})
		run.Effects = append(run.Effects, *e)
		return true
	}},
	{"no control rollout", "coverage", func(run *history.Run, _ func(int) int) bool {
		run.Rollouts = slices.DeleteFunc(run.Rollouts, func(r history.Rollout) bool { return r.Arm == "control" })
		return true
	}},
	{"a script error", "coverage", func(run *history.Run, pick func(int) int) bool {
		where(run.Rollouts, pick, func(*history.Rollout) bool { return true }).Outcome = history.ScriptError
		return true
	}},
	{"a limit of the host", "coverage", func(run *history.Run, pick func(int) int) bool {
		at := where(run.Attempts, pick, func(at *history.Attempt) bool { return at.Arm == "main" })
		at.Cause = &history.Cause{Class: "host_limit"}
		return true
	}},
}

func drawRun(t *rapid.T) *history.Run {
	return modelRun(rapid.IntRange(1, 6).Draw(t, "rollouts"), func(label string, n int) int {
		return rapid.IntRange(0, n-1).Draw(t, label)
	})
}

// A correct system never alarms, whatever breaks.
func TestCorrectHistoriesNeverAlarm(t *testing.T) {
	seen := map[string]int{} // invariants that had something to judge
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		for _, inv := range check.Evaluate(run, check.Options{All: true}).Invariants {
			noFault := inv.ID == "coverage" && len(run.Faults) == 0 // the plan's share met nobody
			if inv.Status == history.Fail && !noFault {
				t.Fatalf("%s: %s\n%+v\n%+v", inv.ID, inv.Reason, inv.Clauses, inv.Proof)
			}
			if inv.Status == history.Pass {
				seen[inv.ID]++
			}
		}
	})
	for _, info := range check.Known() {
		if seen[info.ID] < 10 {
			t.Errorf("%s was judged in %d runs only", info.ID, seen[info.ID])
		}
	}
}

// One planted mistake is always seen, by the invariant that it breaks.
func TestPlantedMistakesAreSeen(t *testing.T) {
	for _, m := range slices.Concat(turnMutations, toldMutations, replayMutations, isolationMutations, failureMutations, coverageMutations, lifeMutations) {
		t.Run(m.name, func(t *testing.T) {
			planted := 0
			rapid.Check(t, func(t *rapid.T) {
				run := drawRun(t)
				if !m.plant(run, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "place") }) {
					return
				}
				planted++
				for _, inv := range check.Evaluate(run, check.Options{All: true}).Invariants {
					if inv.ID == m.wrong && inv.Status != history.Fail {
						t.Fatalf("%s is %q: %s", inv.ID, inv.Status, inv.Reason)
					}
				}
			})
			if planted < 5 {
				t.Errorf("planted only %d times", planted)
			}
		})
	}
}
