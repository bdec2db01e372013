package check

import (
	"cmp"
	"fmt"

	"mcpstorm/history"
)

const truthID = "truthful-outcome"

// undecided is why an operation is not judged when its truth is an interval that
// holds both answers.
const undecided = "the witness cannot tell whether it was executed"

// truthfulOutcome compares what the caller was told about each operation with how
// often it was executed. A lie is an execution of what was told not_executed: it
// invites a replay. A false success is no execution of what was told ok.
// A server that begins an operation and ends it neither way is judged here too, in
// both eras: no word to the caller is true of it. So is one that sends on after a
// cancel, in the era in which a disconnect is one. What the client wrote down of a
// failure is held to what is on record. Over-caution is a rate and never a violation.
func truthfulOutcome(ix *index) history.Invariant {
	j := perOperation(ix, truthID)
	for _, a := range ix.judged {
		for _, c := range a.order {
			for _, id := range c.order {
				if id.key != "" && len(id.ops) > 0 {
					judgeTruth(ix, j, c, id)
				}
			}
		}
	}
	return j.invariant("no operation with a key was recorded")
}

// judgeTruth judges the operations of one identity against its truth.
func judgeTruth(ix *index, j *judgement, c *conversation, id *identity) {
	lo, hi, known := c.truth(id)
	if !known {
		for range id.ops {
			j.skip(fmt.Sprintf("nothing trustworthy was recorded at %s's end", c.server.Name))
		}
		return
	}
	if c.cutOff(id) {
		for range id.ops {
			j.skip(fmt.Sprintf("the process of %s died in the middle of it", c.server.Name))
		}
		return
	}
	falseSuccesses := id.falseSuccesses(hi)
	late, unknown := c.afterCancel(id)
	unsound := cmp.Or(c.halfDone(id), late)
	if unknown {
		j.skip(unheard)
	}
	for i, op := range id.ops {
		if unsound != nil && i == 0 {
			j.add(op.Rollout, unsound)
			continue
		}
		if wrong := ix.misdiagnosed(c, id, op); wrong != nil {
			j.add(op.Rollout, wrong)
			continue
		}
		switch op.Told {
		case history.ToldNone:
			j.skip("it was told nothing, which is for no-hang to judge")
		case history.ToldOK:
			switch {
			case falseSuccesses > 0:
				falseSuccesses--
				j.add(op.Rollout, ix.falseSuccess(c, id, op, hi))
			case lo == 0 && hi > 0:
				j.skip(undecided)
			default:
				j.add(op.Rollout, nil)
			}
		case history.ToldNotExecuted:
			judgeDenial(ix, j, c, id, op, lo, hi)
		default: // unknown and tool_error promise nothing about the execution
			j.add(op.Rollout, nil)
		}
	}
}

// falseSuccesses is how many of the identity's operations told ok certainly were
// not executed. Operations that share a digest each need an execution of their
// own; under one real key a single execution serves them all.
func (id *identity) falseSuccesses(hi int) int {
	ok := id.toldHow(history.ToldOK)
	if id.shared() {
		return max(ok-hi, 0)
	}
	if hi == 0 {
		return ok
	}
	return 0
}

func (id *identity) toldHow(told history.Told) int {
	n := 0
	for _, op := range id.ops {
		if op.Told == told {
			n++
		}
	}
	return n
}

// judgeDenial judges an operation told not_executed. Where others share its
// identity and may account for the executions, nothing can be said of it.
func judgeDenial(ix *index, j *judgement, c *conversation, id *identity, op *history.Op, lo, hi int) {
	denied := id.toldHow(history.ToldNotExecuted)
	switch {
	case hi == 0:
		j.add(op.Rollout, nil)
	case lo == 0:
		j.skip(undecided)
	case lo <= len(id.ops)-denied:
		j.add(op.Rollout, nil)
	case denied < len(id.ops):
		j.skip("another operation with the same arguments may account for the execution")
	case frontEndLied(c.arm, op):
		j.skip("a front end refused it after forwarding it, so the lie is the front end's")
	default:
		j.add(op.Rollout, ix.lie(c, id, op, lo))
	}
}

func (ix *index) falseSuccess(c *conversation, id *identity, op *history.Op, executed int) *violation {
	return &violation{
		kind:   "told ok and not executed",
		weight: op.Attempts + len(id.effects),
		prove: func() history.Proof {
			text := fmt.Sprintf("%s was told ok and %s never executed it", op.Op, c.server.Name)
			if len(id.ops) > 1 {
				text = fmt.Sprintf("%s were told ok and %s executed only %d of them",
					number(id.toldHow(history.ToldOK), "equal operation"), c.server.Name, executed)
			}
			return ix.prove(c.arm, c.rollout, id, text)
		},
	}
}

func (ix *index) lie(c *conversation, id *identity, op *history.Op, executed int) *violation {
	return &violation{
		kind:   "told not_executed and executed",
		weight: op.Attempts + len(id.effects),
		prove: func() history.Proof {
			return ix.prove(c.arm, c.rollout, id, fmt.Sprintf("%s was told not_executed and %s executed it %s: a caller that believes it will send it again",
				op.Op, c.server.Name, times(executed)))
		},
	}
}

// frontEndLied reports whether the client was given a definite refusal by a fault
// that answered in the server's place: it could not know better.
func frontEndLied(a *arm, op *history.Op) bool {
	o := a.operations[baseOp(op.Op)]
	return op.Cause != nil && definiteRefusal(op.Cause.Status, op.Told, a.server(op.Server).Era) && o.answeredByFault(op.Rollout)
}
