package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// What the history is made of: rollouts of five turns, so many at once, and every
// tenth call cut after it was executed.
const (
	turns      = 5
	atOnce     = 512
	cutEvery   = 10
	thinking   = history.Instant(200e6) // of a turn, in nanoseconds
	serverName = "sim"
	armName    = "main"
	control    = "control" // the arm without faults, of as many rollouts as run at once
)

// storm writes the records of a storm, in the order in which they would come.
type storm struct {
	w       *history.Writer
	effects *history.EffectLog
	events  int
	calls   int
	n       int64 // effects
	failed  error
	at      history.Instant // when the turn in hand began
	arm     string          // of the rollout in hand
}

// write makes a run directory with so many events, or the few more that make the last
// rollout whole, and says how many there are.
func write(dir string, events int) (int, error) {
	w, err := history.Create(dir, history.WriterOptions{PackAbove: -1})
	if err != nil {
		return 0, err
	}
	file, err := os.Create(filepath.Join(dir, history.EffectsFile(serverName, 1)))
	if err != nil {
		return 0, errors.Join(err, w.Close())
	}
	out := &buffered{bufio.NewWriterSize(file, 1<<20), file}
	s := &storm{w: w, effects: history.NewEffectLog(file.Name(), out)}
	for i := range atOnce {
		s.arm = control
		s.rollout(wire.TaskID(0, int64(i)), i)
	}
	rollouts := 0
	for s.arm = armName; s.events < events && s.failed == nil; rollouts++ {
		s.rollout(wire.TaskID(1, int64(rollouts)), rollouts)
	}
	w.Plan(history.PlanRule{Arm: armName, Rule: "r01", On: serverName, Cut: "C4", Manner: "rst", At: history.RoleCall, Share: 1.0 / cutEvery})
	if err := errors.Join(s.failed, s.effects.Close(), w.Close()); err != nil {
		return 0, err
	}
	m := manifest(rollouts)
	if err := m.Seal(dir); err != nil {
		return 0, err
	}
	return s.events, w.Manifest(m)
}

// buffered is a file that is written in large pieces: nobody kills this process for
// its effects.
type buffered struct {
	*bufio.Writer
	file *os.File
}

// Close implements io.Closer.
func (b *buffered) Close() error { return errors.Join(b.Flush(), b.file.Close()) }

func manifest(rollouts int) history.Manifest {
	return history.Manifest{
		ID: "checkbench", State: history.StateFinished,
		Arms: []history.Arm{armOf(control, 0, atOnce), armOf(armName, 1, rollouts)},
	}
}

func armOf(name string, block, rollouts int) history.Arm {
	return history.Arm{
		Name: name, Control: name == control, Judge: name != control, Policies: map[string]string{serverName: "settle"},
		Servers: []history.Server{{
			Name: serverName, Reference: "usersim", Era: wire.EraSessions, Effects: true, SeqArgument: "seq",
			Classes: map[string]history.ReplayClass{"respond": history.Keyed},
		}},
		Scenarios: []history.Scenario{{Name: "rollouts", Executor: "shared-iterations", VUs: atOnce, Planned: int64(rollouts), Block: block}},
	}
}

// rollout writes one rollout and everything in it.
func (s *storm) rollout(task string, i int) {
	s.at = history.Instant(i/atOnce) * (turns + 1) * thinking
	r := history.Rollout{
		Arm: s.arm, Scenario: "rollouts", Task: task, Rollout: task + ".1", Iteration: int64(i), VU: i % atOnce,
		Outcome: history.Completed, Ops: turns, Start: s.at,
	}
	for turn := range turns {
		r.Turns = append(r.Turns, s.turn(task, turn))
		s.at += thinking
	}
	r.End = s.at
	s.w.Rollout(r)
	s.events++
}

func (s *storm) turn(task string, turn int) history.Turn {
	op := history.Op{
		Arm: s.arm, Op: fmt.Sprintf("%s/s%02d", task, turn+2), Rollout: task + ".1", Server: serverName, Kind: history.KindTurn, Tool: "respond",
		Key: fmt.Sprintf("seq:%d", 2*turn), Class: history.Keyed, Policy: "settle", Told: history.ToldOK, Deadline: 73_500_000_000, Attempts: 1, Budget: 6,
		Start: s.at, End: s.at + thinking/2,
	}
	s.calls++
	nonce := fmt.Sprintf("%016x", s.calls)
	s.effect(op, history.Effect{Kind: history.EffectBegin})
	s.effect(op, history.Effect{Kind: history.EffectCommit, Sequence: int64(turn) + 1, Nonce: nonce})
	s.effect(op, history.Effect{Kind: history.EffectAnswer, Nonce: nonce})
	if cut := s.calls%cutEvery == 0 && s.arm != control; cut {
		s.attempt(op, true)
		op.Attempts++
		s.effect(op, history.Effect{Kind: history.EffectAnswer, Nonce: nonce, Replayed: true})
	}
	s.attempt(op, false)
	s.w.Op(op)
	s.events++
	return history.Turn{Op: op.Op, Key: op.Key, Told: op.Told, Nonce: nonce}
}

// attempt writes the three exchanges of an attempt, as both ends saw them. A cut one
// loses the answer of its call.
func (s *storm) attempt(op history.Op, cut bool) {
	for i, role := range []history.ExchangeRole{history.RoleInitialize, history.RoleInitialized, history.RoleCall} {
		s.at += 1000
		at := history.Attempt{
			Arm: op.Arm, Op: op.Op, Rollout: op.Rollout, Attempt: op.Attempts, Exchange: i + 1, Role: role, Server: op.Server, Era: wire.EraSessions,
			Told: history.ToldOK, Trace: "answered", ConnNew: i == 0, Written: 361, Read: 627, Status: 200, Start: s.at, End: s.at + 900,
		}
		seen := history.Wire{
			Arm: op.Arm, Server: op.Server, Conn: int64(s.calls), Exchange: i + 1, Rollout: op.Rollout, Hint: fmt.Sprintf("%s/%s/a%d", op.Rollout, op.Op[len(op.Op)-3:], op.Attempts),
			Method: "POST", RPC: string(role), Role: role, Handed: true, Status: 200, Result: history.ResultOK, Up: 361, Down: 627, Start: s.at, End: s.at + 800,
		}
		if role == history.RoleCall {
			seen.Key, seen.Tool, seen.RPC, at.Tool = op.Key, op.Tool, "tools/call", op.Tool
			if cut {
				s.cut(&at)
			}
		}
		s.w.Attempt(at)
		s.w.Wire(seen)
		s.events += 2
	}
}

func (s *storm) cut(at *history.Attempt) {
	at.Told, at.Read, at.Status, at.Trace = history.ToldUnknown, 0, 0, "wrote"
	at.Cause = &history.Cause{Class: "reset", Text: "read: connection reset by peer"}
	at.Mark = &history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"}
	s.w.Fault(history.Fault{
		Arm: at.Arm, Server: at.Server, Rule: "r01", Op: at.Op, Rollout: at.Rollout, Attempt: at.Attempt, Role: at.Role, Cut: "C4", Manner: "rst",
		State: history.FaultDelivered, Conn: int64(s.calls), Exchange: at.Exchange, Up: at.Written, At: at.Start + 500,
	})
	s.events++
}

func (s *storm) effect(op history.Op, e history.Effect) {
	s.n++
	e.Arm, e.Server, e.N, e.Rollout, e.Key, e.Tool, e.At = op.Arm, op.Server, s.n, op.Rollout, op.Key, op.Tool, s.at
	e.Digest = fmt.Sprintf("%016x", s.calls*7919)
	s.failed = errors.Join(s.failed, s.effects.Effect(e))
	s.events++
}
