package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

const isolationID = "isolation"

// isolation judges whether anything of one rollout reached another: a result
// carries the nonce of its own call, a server records nothing in one rollout
// under an operation of another task, and no user turn stands in two transcripts.
func isolation(ix *index) history.Invariant {
	j := perOperation(ix, isolationID)
	for _, a := range ix.judged {
		echoes(ix, j, a)
		strangers(ix, j, a)
		turnsShared(ix, j, a)
	}
	return j.invariant("no result carries a nonce, and no record of a server names an operation")
}

// echoes judges every operation told ok whose arguments carried a nonce.
func echoes(ix *index, j *judgement, a *arm) {
	owners := map[string]*history.Op{}
	for _, op := range a.ops {
		if op.Nonce != "" {
			owners[op.Nonce] = op
		}
	}
	for _, op := range a.ops {
		switch {
		case op.Nonce == "" || op.Told != history.ToldOK:
		case op.Nonce == op.Echo:
			j.add(op.Rollout, nil)
		default:
			j.add(op.Rollout, ix.wrongEcho(a, op, owners[op.Echo]))
		}
	}
}

func (ix *index) wrongEcho(a *arm, op, owner *history.Op) *violation {
	kind := "the result carries another nonce"
	text := fmt.Sprintf("%s sent nonce %s and its result carries %s", op.Op, short(op.Nonce), short(op.Echo))
	var facts []string
	switch {
	case op.Echo == "":
		kind = "the result carries no nonce"
		text = fmt.Sprintf("%s sent nonce %s and its result carries none", op.Op, short(op.Nonce))
	case owner != nil:
		kind = "the result is another call's"
		text += fmt.Sprintf(", which is that of %s", owner.Op)
		facts = append(facts, fmt.Sprintf("%s of %s sent nonce %s", opText(owner), owner.Rollout, short(owner.Nonce)))
	}
	return &violation{
		kind:   kind,
		weight: op.Attempts,
		prove:  func() history.Proof { return ix.proveRun(a, op, text, facts...) },
	}
}

// strangers judges every identity whose key names an operation, by the server's
// own records. One that an echo has judged already counts only where it is wrong.
func strangers(ix *index, j *judgement, a *arm) {
	for _, c := range a.order {
		for _, id := range c.order {
			named := namedOp(id.key)
			switch {
			case named == "" || len(id.effects) == 0:
			case history.TaskOfOp(named) != history.TaskOfRollout(c.rollout):
				j.add(c.rollout, ix.stranger(c, id, named))
			case !id.echoed():
				j.add(c.rollout, nil)
			}
		}
	}
}

// namedOp is the operation that a key names, or nothing: t000017/s02 of
// arg:t000017/s02#2 and of settle:t000017/s02.
func namedOp(key string) string {
	_, value, _ := strings.Cut(key, ":")
	if strings.Contains(value, "#") {
		value, _ = wire.SplitGeneration(value)
	}
	if !isOpID(value) {
		return ""
	}
	return value
}

func (id *identity) echoed() bool {
	for _, op := range id.ops {
		if op.Nonce != "" && op.Told == history.ToldOK {
			return true
		}
	}
	return false
}

func (ix *index) stranger(c *conversation, id *identity, named string) *violation {
	return &violation{
		kind:   "an operation of one task reached another",
		weight: len(id.effects),
		prove: func() history.Proof {
			proof := &identity{effects: id.effects}
			if o := c.arm.operations[named]; o != nil {
				proof.ops = o.runs
			}
			return ix.prove(c.arm, c.rollout, proof, fmt.Sprintf("%s recorded %s, an operation of %s, in %s",
				c.server.Name, named, history.TaskOfOp(named), c.rollout))
		},
	}
}

// turnsShared judges every turn that carries the simulator's nonce.
func turnsShared(ix *index, j *judgement, a *arm) {
	turns := 0
	for _, r := range a.rollouts {
		turns += len(r.Turns)
	}
	first := make(map[string]*history.Rollout, turns)
	for _, r := range a.rollouts {
		for _, turn := range r.Turns {
			if turn.Nonce == "" {
				continue
			}
			owner, seen := first[turn.Nonce]
			if !seen {
				first[turn.Nonce] = r
			}
			if !seen || owner == r {
				j.add(r.Rollout, nil)
				continue
			}
			j.add(r.Rollout, ix.sharedTurn(a, r, owner, turn))
		}
	}
}

func (ix *index) sharedTurn(a *arm, r, owner *history.Rollout, turn history.Turn) *violation {
	return &violation{
		kind: "one turn stands in two transcripts",
		prove: func() history.Proof {
			text := fmt.Sprintf("the turn with nonce %s stands in the transcripts of %s and of %s", short(turn.Nonce), owner.Rollout, r.Rollout)
			fact := fmt.Sprintf("the transcript of %s holds nonce %s too", owner.Rollout, short(turn.Nonce))
			if o := a.operations[baseOp(turn.Op)]; o != nil && o.run(r.Rollout) != nil {
				return ix.proveRun(a, o.run(r.Rollout), text, fact)
			}
			return ix.prove(a, r.Rollout, &identity{}, text, fact)
		},
	}
}
