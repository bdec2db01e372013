package check_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// chance decides for the model: rapid in the property, a fixed pattern in the
// benchmark.
type chance func(label string, n int) int

// model writes the history of a correct simulator and an honest client whose
// exchanges break at random: one commit a key, repeats from the record, conflicts
// refused, and unknown said where nobody knows.
type model struct {
	run    *history.Run
	chance chance
	n      int64 // effects so far
	at     history.Instant
}

func modelRun(rollouts int, chance chance) *history.Run {
	m := &model{run: emptyRun(), chance: chance}
	m.run.Manifest.Arms[0].Scenarios[0].Planned = int64(rollouts)
	m.run.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", Share: 0.5}}
	for i := range rollouts {
		m.rollout(fmt.Sprintf("t%06d", i))
	}
	return m.run
}

// stormRun is a run of the model with a fixed pattern of faults.
func stormRun(rollouts int) *history.Run {
	state := uint32(7)
	return modelRun(rollouts, func(_ string, n int) int {
		state = state*1664525 + 1013904223
		return int(state>>16) % n
	})
}

// rollout takes turns until one of them ends unknown or the script is over.
func (m *model) rollout(task string) {
	r := history.Rollout{Arm: "main", Scenario: "rollouts", Task: task, Rollout: task + ".1", Outcome: history.Completed, End: history.Instant(1 << 60)}
	turns := 1 + m.chance("turns", 5)
	for seq := 1; seq <= turns; seq++ {
		turn := m.turn(task, seq)
		r.Turns = append(r.Turns, turn)
		if turn.Told != history.ToldOK {
			r.Outcome = history.Failed
			break
		}
		if m.chance("late duplicate", 6) == 0 {
			m.effect(r.Rollout, history.EffectAnswer, turn.Key, turn.Nonce, true)
		}
		if m.chance("conflict", 8) == 0 {
			m.effect(r.Rollout, history.EffectRefuse, turn.Key, "", false)
		}
	}
	m.run.Rollouts = append(m.run.Rollouts, r)
}

// turn makes up to three attempts at one turn.
func (m *model) turn(task string, seq int) history.Turn {
	key := fmt.Sprintf("seq:%d", seq)
	op := history.Op{Arm: "main", Op: fmt.Sprintf("%s/s%02d", task, seq), Rollout: task + ".1", Server: "sim", Kind: history.KindTurn,
		Tool: "respond", Key: key, Class: history.Keyed, Policy: "settle", Told: history.ToldUnknown, Deadline: int64(10 * second), Start: m.tick()}
	nonce := fmt.Sprintf("%s-%d", task, seq)
	committed := false
	limit := 1 + m.chance("attempts", 3)
	for op.Attempts < limit && op.Told == history.ToldUnknown {
		op.Attempts++
		fate := m.chance("fate", 4) // 0 refused, 1 answer lost, 2 and 3 answered
		if fate > 0 {
			m.execute(op.Rollout, key, nonce, int64(seq), committed)
			committed = true
		}
		if fate > 1 {
			op.Told = history.ToldOK
		}
		m.attempt(&op, fate)
	}
	if op.Told == history.ToldUnknown && !committed && m.chance("says so", 2) == 0 {
		op.Told = history.ToldNotExecuted
	}
	op.End = m.tick()
	m.run.Ops = append(m.run.Ops, op)
	turn := history.Turn{Op: op.Op, Key: key, Told: op.Told}
	if op.Told == history.ToldOK {
		turn.Nonce = nonce
	}
	return turn
}

func (m *model) execute(rollout, key, nonce string, sequence int64, again bool) {
	m.effect(rollout, history.EffectBegin, key, "", false)
	if !again {
		m.effect(rollout, history.EffectCommit, key, nonce, false)
		m.run.Effects[len(m.run.Effects)-1].Sequence = sequence
	}
	m.effect(rollout, history.EffectAnswer, key, nonce, again)
}

func (m *model) attempt(op *history.Op, fate int) {
	at := history.Attempt{Arm: "main", Op: op.Op, Rollout: op.Rollout, Attempt: op.Attempts, Exchange: 1, Role: history.RoleCall,
		Server: "sim", Told: history.ToldOK, Trace: "answered", Written: 300, Read: 200, Start: m.tick(), End: m.tick()}
	w := history.Wire{Arm: "main", Server: "sim", Rollout: op.Rollout, Key: op.Key, Tool: "respond", Role: history.RoleCall,
		Hint: fmt.Sprintf("%s/s%s/a%d", op.Rollout, op.Op[len(op.Op)-2:], op.Attempts), Handed: fate > 0, Result: history.ResultNone, Up: 300}
	if fate > 0 {
		w.Result, w.Status = history.ResultOK, 200
	}
	if fate < 2 {
		cut := [2]string{"C1", "C4"}[fate]
		at.Told, at.Read, at.Cause = history.ToldUnknown, 0, &history.Cause{Class: "deadline"}
		at.Mark = &history.Mark{Rule: "r01", Cut: cut, Manner: "rst"}
		m.run.Faults = append(m.run.Faults, history.Fault{Arm: "main", Server: "sim", Rule: "r01", Op: op.Op, Rollout: op.Rollout,
			Attempt: op.Attempts, Role: history.RoleCall, Cut: cut, Manner: "rst", State: history.FaultDelivered, At: m.tick()})
	}
	m.run.Attempts = append(m.run.Attempts, at)
	m.run.Wire = append(m.run.Wire, w)
}

func (m *model) effect(rollout string, kind history.EffectKind, key, nonce string, replayed bool) {
	m.n++
	digest := "d-" + key
	if kind == history.EffectRefuse {
		digest = "other"
	}
	m.run.Effects = append(m.run.Effects, history.Effect{Arm: "main", Server: "sim", Kind: kind, N: m.n, Rollout: rollout, Key: key,
		Tool: "respond", Digest: digest, Nonce: nonce, Replayed: replayed})
}

func (m *model) tick() history.Instant {
	m.at += 1000
	return m.at
}

// mutation plants one wrong thing in a correct history. It reports false where
// the history has no place for it.
type mutation struct {
	name  string
	wrong string // the invariant that must see it
	plant func(run *history.Run, pick func(n int) int) bool
}

// where gives the index of one record for which fits holds, or -1.
func where[T any](list []T, pick func(n int) int, fits func(*T) bool) int {
	var found []int
	for i := range list {
		if fits(&list[i]) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return -1
	}
	return found[pick(len(found))]
}

func told(want history.Told) func(*history.Op) bool {
	return func(op *history.Op) bool { return op.Told == want }
}

func kind(want history.EffectKind) func(*history.Effect) bool {
	return func(e *history.Effect) bool { return e.Kind == want }
}

func turnsAtLeast(n int) func(*history.Rollout) bool {
	return func(r *history.Rollout) bool {
		nonces := 0
		for _, turn := range r.Turns {
			if turn.Nonce != "" {
				nonces++
			}
		}
		return nonces >= n
	}
}

var mutations = []mutation{
	{"a second commit of a key", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Effects, pick, kind(history.EffectCommit))
		if i < 0 {
			return false
		}
		again := run.Effects[i]
		again.Sequence, again.Nonce = again.Sequence+100, "again"
		run.Effects = append(run.Effects, again)
		return true
	}},
	{"a conflict served", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Effects, pick, kind(history.EffectAnswer))
		if i < 0 {
			return false
		}
		served := run.Effects[i]
		served.Digest = "other"
		run.Effects = append(run.Effects, served)
		return true
	}},
	{"a repeat that gets another turn", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Effects, pick, kind(history.EffectAnswer))
		if i < 0 {
			return false
		}
		run.Effects[i].Nonce = "another"
		return true
	}},
	{"a turn lost from the transcript", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Rollouts, pick, turnsAtLeast(2))
		if i < 0 {
			return false
		}
		run.Rollouts[i].Turns = slices.Delete(run.Rollouts[i].Turns, 0, 1)
		return true
	}},
	{"a turn twice in the transcript", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Rollouts, pick, turnsAtLeast(2))
		if i < 0 {
			return false
		}
		run.Rollouts[i].Turns[1].Nonce = run.Rollouts[i].Turns[0].Nonce
		return true
	}},
	{"a turn of nobody", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Rollouts, pick, turnsAtLeast(1))
		if i < 0 {
			return false
		}
		run.Rollouts[i].Turns[0].Nonce = "nobody"
		return true
	}},
	{"two advances beyond", "exactly-once-turns", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Effects, pick, kind(history.EffectCommit))
		if i < 0 {
			return false
		}
		next := run.Effects[i]
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
	{"a lie", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Ops, pick, told(history.ToldOK))
		if i < 0 {
			return false
		}
		run.Ops[i].Told = history.ToldNotExecuted
		return true
	}},
	{"a false success", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Ops, pick, told(history.ToldNotExecuted))
		if i < 0 || len(run.Effects) == 0 { // an empty log is no evidence
			return false
		}
		run.Ops[i].Told = history.ToldOK
		return true
	}},
	{"a commit lost from the log", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Ops, pick, told(history.ToldOK))
		if i < 0 {
			return false
		}
		op := run.Ops[i]
		run.Effects = slices.DeleteFunc(run.Effects, func(e history.Effect) bool {
			return e.Kind == history.EffectCommit && e.Rollout == op.Rollout && e.Key == op.Key
		})
		return true
	}},
	{"a hang", "no-hang", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Ops, pick, func(*history.Op) bool { return true })
		run.Ops[i].End = run.Ops[i].Start + 21*second
		return true
	}},
	{"an answer that never came", "no-hang", func(run *history.Run, pick func(int) int) bool {
		i := where(run.Ops, pick, func(*history.Op) bool { return true })
		run.Ops[i].Told = history.ToldNone
		return true
	}},
	{"a receipt lost", "coverage", func(run *history.Run, pick func(int) int) bool {
		if len(run.Faults) == 0 {
			return false
		}
		i := pick(len(run.Faults))
		run.Faults = slices.Delete(run.Faults, i, i+1)
		return true
	}},
	{"a rollout lost", "coverage", func(run *history.Run, pick func(int) int) bool {
		i := pick(len(run.Rollouts))
		run.Rollouts = slices.Delete(run.Rollouts, i, i+1)
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
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		for _, inv := range check.Evaluate(run, check.Options{All: true}).Invariants {
			noFault := inv.ID == "coverage" && len(run.Faults) == 0 // the plan's share met nobody
			if inv.Status == history.Fail && !noFault {
				t.Fatalf("%s: %s\n%+v", inv.ID, inv.Reason, inv.Proof)
			}
		}
	})
}

// One planted mistake is always seen, by the invariant that it breaks.
func TestPlantedMistakesAreSeen(t *testing.T) {
	for _, m := range mutations {
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
