package check_test

import (
	"fmt"
	"strings"

	"mcpstorm/history"
)

// chance decides for the model: rapid in the property, a fixed pattern in the
// benchmark.
type chance func(label string, n int) int

// model writes the history of correct servers and an honest client whose exchanges
// break at random. A turn's key is committed once, repeated from the record, and
// refused to another message. A tool call that may have run is settled where that
// can be done, and told unknown where not. A task is restarted only while nothing
// that does harm was sent. Before all of it runs a control arm in which nothing
// breaks.
type model struct {
	run    *history.Run
	chance chance
	arm    *history.Arm
	n      int64 // effects so far
	at     history.Instant
}

func modelRun(rollouts int, chance chance) *history.Run {
	m := &model{run: emptyRun(), chance: chance}
	m.run.Manifest.Arms[0].Scenarios[0].Planned = int64(rollouts)
	m.run.Manifest.Arms[0].Scenarios[0].Executor = "shared-iterations"
	for _, cut := range []string{"C0", "C1", "C4"} {
		m.run.Plan = append(m.run.Plan, history.PlanRule{Arm: "main", Rule: "of " + cut, On: "sim", Cut: cut, Manner: "rst", At: history.RoleCall, Share: 0.02})
	}
	control := m.run.Manifest.Arms[0]
	control.Name, control.Control = "control", true
	m.run.Manifest.Arms = append([]history.Arm{control}, m.run.Manifest.Arms...)
	for i := range m.run.Manifest.Arms {
		m.arm = &m.run.Manifest.Arms[i]
		m.arm.Start = m.tick()
		for iteration := range rollouts {
			m.task(fmt.Sprintf("t%d%05d", 1-i, iteration))
		}
		m.resources()
		m.arm.End = m.tick()
	}
	return m.run
}

// resources counts what a server held over cycles of use: as much as the load needs,
// one more or less, and nothing once all is quiet.
func (m *model) resources() {
	count := func(phase history.ResourcePhase, cycle, n int) {
		m.run.Resources = append(m.run.Resources, history.Resource{
			Arm: m.arm.Name, Server: "tools", Process: 1, Phase: phase, Cycle: int64(cycle), At: m.tick(),
			Counts: map[string]int64{history.CountSockets: int64(n), history.CountSessions: int64(n)},
		})
	}
	count(history.ResourceBase, 0, 3)
	for cycle := range m.chance("cycles", 40) {
		count(history.ResourceCycle, cycle+1, 60+m.chance("held", 5))
	}
	count(history.ResourceEnd, 0, 3)
}

// stormRun is a run of the model with a fixed pattern of faults.
func stormRun(rollouts int) *history.Run {
	state := uint32(7)
	return modelRun(rollouts, func(_ string, n int) int {
		state = state*1664525 + 1013904223
		return int(state>>16) % n
	})
}

// task is one rollout, or two where the first failed before it did any harm.
func (m *model) task(task string) {
	r := m.rollout(task, 1)
	if r.Outcome == history.Failed && r.Turns[0].Told != history.ToldOK {
		m.rollout(task, 2)
	}
}

// rollout takes turns, each followed by a tool call, until one of them ends badly
// or the script is over. The script gives up without an error, or lets the error
// escape where it may: that of an honest unknown, and that of a first turn which a
// restart will take again.
func (m *model) rollout(task string, restart int) history.Rollout {
	r := history.Rollout{
		Arm: m.arm.Name, Scenario: "rollouts", Task: task, Rollout: fmt.Sprintf("%s.%d", task, restart),
		Outcome: history.Completed, Start: m.tick(),
	}
	escape := func(op *history.Op) {
		r.Outcome, r.Cause = history.Failed, &history.RolloutCause{Op: op.Op, Told: op.Told, Text: "an McpError escaped"}
	}
	turns := 1 + m.chance("turns", 4)
	for seq := 1; seq <= turns; seq++ {
		op, turn := m.turn(r.Rollout, seq)
		r.Turns = append(r.Turns, turn)
		if turn.Told != history.ToldOK {
			if restart == 1 && seq == 1 && m.chance("restart", 2) == 0 {
				escape(op)
			}
			break
		}
		m.strays(r.Rollout, turn)
		if m.chance("tool", 2) == 0 {
			continue
		}
		op = m.tool(r.Rollout, 2*seq)
		if op.Told == history.ToldUnknown && m.chance("escape", 3) > 0 {
			escape(op)
			break
		}
	}
	r.End = m.tick()
	m.run.Rollouts = append(m.run.Rollouts, r)
	return r
}

// strays are repeats that reach the simulator late, and other messages under a
// used key.
func (m *model) strays(rollout string, turn history.Turn) {
	if m.chance("late duplicate", 6) == 0 {
		m.effect(history.Effect{Server: "sim", Kind: history.EffectAnswer, Rollout: rollout, Key: turn.Key, Nonce: turn.Nonce, Replayed: true})
	}
	if m.chance("conflict", 8) == 0 {
		m.effect(history.Effect{Server: "sim", Kind: history.EffectRefuse, Rollout: rollout, Key: turn.Key, Digest: "other"})
	}
}

// budget is how often the model's client tries.
const budget = 3

func (m *model) op(rollout string, step int, server, tool string, class history.ReplayClass) history.Op {
	task, _, _ := strings.Cut(rollout, ".")
	return history.Op{
		Arm: m.arm.Name, Op: fmt.Sprintf("%s/s%02d", task, step), Rollout: rollout, Server: server, Kind: history.KindTool, Tool: tool,
		Class: class, Policy: "settle", Told: history.ToldUnknown, Deadline: int64(10 * second), Budget: budget, Start: m.tick(),
	}
}

func (m *model) ended(op history.Op) *history.Op {
	op.End = m.tick()
	m.run.Ops = append(m.run.Ops, op)
	return &m.run.Ops[len(m.run.Ops)-1]
}

// turn makes up to three attempts at one turn.
func (m *model) turn(rollout string, seq int) (*history.Op, history.Turn) {
	op := m.op(rollout, 2*seq-1, "sim", "respond", history.Keyed)
	op.Kind, op.Key = history.KindTurn, fmt.Sprintf("seq:%d", seq)
	nonce := fmt.Sprintf("%s-%d", rollout, seq)
	committed := false
	limit := 1 + m.chance("attempts", budget)
	for op.Attempts < limit && op.Told == history.ToldUnknown {
		op.Attempts++
		fate := m.fate(4) // 0 refused, 1 answer lost, 2 and 3 answered
		if fate > 0 {
			m.execute(op, op.Key, nonce, int64(seq), committed)
			committed = true
		}
		switch fate {
		case 0:
			m.exchange(&op, history.RoleCall, history.ToldUnknown, "C1")
		case 1:
			m.exchange(&op, history.RoleCall, history.ToldUnknown, "C4")
		default:
			op.Told = history.ToldOK
			m.exchange(&op, history.RoleCall, history.ToldOK, "")
		}
	}
	if op.Told == history.ToldUnknown && !committed && m.chance("says so", 2) == 0 {
		op.Told = history.ToldNotExecuted
	}
	turn := history.Turn{Op: op.Op, Key: op.Key, Told: op.Told}
	if op.Told == history.ToldOK {
		turn.Nonce = nonce
	}
	return m.ended(op), turn
}

// fate is how an exchange ends; the last one is always well, and in a control arm
// no other happens.
func (m *model) fate(n int) int {
	if m.arm.Control {
		return n - 1
	}
	return m.chance("fate", n)
}

// tool makes one tool call that does harm when it is repeated.
func (m *model) tool(rollout string, step int) *history.Op {
	class := [2]history.ReplayClass{history.Unsafe, history.Resolvable}[m.chance("class", 2)]
	op := m.op(rollout, step, "tools", "append", class)
	op.Key, op.Nonce = "arg:"+op.Op, "call-"+op.Op+rollout
	key, over := op.Key, false
	for generation := 1; op.Attempts < budget && !over; {
		op.Attempts++
		op.Told = history.ToldUnknown
		fate := m.fate(5) // 0 not sent, 1 lost on the way, 2 answer lost, 3 and 4 answered
		if fate > 1 {
			m.execute(op, key, "", 0, false)
		}
		switch fate {
		case 0:
			m.exchange(&op, history.RoleCall, history.ToldNotExecuted, "C0")
			op.Told = history.ToldNotExecuted
		case 1, 2:
			m.exchange(&op, history.RoleCall, history.ToldUnknown, [3]string{1: "C1", 2: "C4"}[fate])
			if over = m.settle(&op, fate == 2); !over {
				generation++
				key = fmt.Sprintf("%s#%d", op.Key, generation)
			}
		default:
			m.exchange(&op, history.RoleCall, history.ToldOK, "")
			op.Told, over = history.ToldOK, true
		}
	}
	if op.Told == history.ToldOK {
		op.Echo = op.Nonce
	}
	return m.ended(op)
}

// settle asks what became of a call that may have run, where that can be done. It
// reports false where the call was voided and may be made again.
func (m *model) settle(op *history.Op, executed bool) (over bool) {
	if op.Class != history.Resolvable {
		return true
	}
	if m.chance("settle", 3) == 0 {
		m.exchange(op, history.RoleSettle, history.ToldUnknown, "C4")
		return true
	}
	m.exchange(op, history.RoleSettle, history.ToldOK, "")
	if executed {
		op.Settled, op.Told = "result", history.ToldOK
		return true
	}
	op.Settled, op.Told = "voided", history.ToldNotExecuted
	return false
}

func (m *model) execute(op history.Op, key, nonce string, sequence int64, again bool) {
	e := history.Effect{Server: op.Server, Rollout: op.Rollout, Key: key, Tool: op.Tool}
	e.Kind = history.EffectBegin
	m.effect(e)
	e.Nonce = nonce
	if !again {
		e.Kind, e.Sequence = history.EffectCommit, sequence
		m.effect(e)
	}
	e.Kind, e.Sequence, e.Replayed = history.EffectAnswer, 0, again
	m.effect(e)
}

// exchange records one exchange of the operation's attempt, with the fault that
// broke it and what the witness saw of it.
func (m *model) exchange(op *history.Op, role history.ExchangeRole, told history.Told, cut string) {
	at := history.Attempt{
		Arm: op.Arm, Op: op.Op, Rollout: op.Rollout, Attempt: op.Attempts, Exchange: 1, Role: role,
		Server: op.Server, Told: told, Trace: "answered", Written: 300, Read: 200, Start: m.tick(), End: m.tick(),
	}
	if role != history.RoleCall {
		at.Op += "." + string(role)
	}
	if cut == "C0" {
		at.Written = 0
	}
	if cut != "" {
		at.Read, at.Cause = 0, &history.Cause{Class: [3]string{"reset", "eof", "deadline"}[m.chance("cause", 3)]}
		at.Mark = &history.Mark{Rule: "of " + cut, Cut: cut, Manner: "rst"}
		m.run.Faults = append(m.run.Faults, history.Fault{
			Arm: op.Arm, Server: op.Server, Rule: "of " + cut, Op: at.Op, Rollout: op.Rollout,
			Attempt: op.Attempts, Role: role, Cut: cut, Manner: "rst", State: history.FaultDelivered, At: m.tick(),
		})
	}
	m.run.Attempts = append(m.run.Attempts, at)
	if cut == "C0" || role != history.RoleCall {
		return
	}
	w := history.Wire{
		Arm: op.Arm, Server: op.Server, Rollout: op.Rollout, Key: op.Key, Tool: op.Tool, Role: role,
		Hint: fmt.Sprintf("%s/s%s/a%d", op.Rollout, op.Op[len(op.Op)-2:], op.Attempts), Handed: cut != "C1", Result: history.ResultNone, Up: 300,
	}
	if w.Handed {
		w.Result, w.Status = history.ResultOK, 200
	}
	m.run.Wire = append(m.run.Wire, w)
}

func (m *model) effect(e history.Effect) {
	m.n++
	e.Arm, e.N = m.arm.Name, m.n
	if e.Tool == "" {
		e.Tool = "respond"
	}
	if e.Digest == "" {
		e.Digest = "d-" + e.Key
	}
	m.run.Effects = append(m.run.Effects, e)
}

func (m *model) tick() history.Instant {
	m.at += 1000
	return m.at
}
