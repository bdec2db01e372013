package check

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// prove writes the proof of one violation: the sentence, then what the client did
// for the operations of the identity, then what the server recorded under it,
// then facts from elsewhere. Client and server are told one after the other, for
// nothing says how their times relate. Where several arms are judged the sentence
// names the arm, and where several rollouts are told every event names its own.
func (ix *index) prove(a *arm, rollout string, id *identity, text string, facts ...string) history.Proof {
	if len(ix.judged) > 1 {
		text = "arm " + a.Name + ": " + text
	}
	proof := history.Proof{Task: history.TaskOfRollout(rollout), Text: text}
	if len(id.ops) > 0 {
		proof.Op = id.ops[0].Op
	}
	d := gather(ix.run, proof.Task)
	where := func(string) string { return "" }
	if id.rollouts() > 1 {
		where = func(rollout string) string { return rollout + ", " }
	}
	for _, op := range id.ops {
		for _, line := range d.story(op) {
			proof.Events = append(proof.Events, where(op.Rollout)+line)
		}
	}
	for _, e := range id.effects {
		proof.Events = append(proof.Events, where(e.Rollout)+effectText(e))
	}
	for _, fact := range append(facts, a.killed(id)...) {
		if !slices.Contains(proof.Events, fact) {
			proof.Events = append(proof.Events, fact)
		}
	}
	return proof
}

// killed says how often the servers of an identity were killed, if one was: what they
// did before and after that stands side by side in a proof.
func (a *arm) killed(id *identity) (facts []string) {
	for _, op := range id.ops {
		kills := 0
		for _, f := range a.cuts {
			if f.Server == op.Server && f.Cut == cutKill && f.Reason == "" {
				kills++
			}
		}
		if kills > 0 {
			facts = append(facts, fmt.Sprintf("%s was killed %s in this arm, and started again", op.Server, times(kills)))
		}
	}
	return facts
}

// proveOperation proves something about an operation in all its rollouts.
func (ix *index) proveOperation(a *arm, o *operation, text string, facts ...string) history.Proof {
	id := &identity{ops: o.runs}
	for _, d := range o.deeds {
		id.effects = append(id.effects, d.effects...)
	}
	return ix.prove(a, o.rollout(), id, text, facts...)
}

// proveRun proves something about an operation in one rollout.
func (ix *index) proveRun(a *arm, op *history.Op, text string, facts ...string) history.Proof {
	id := &identity{key: op.Key, ops: []*history.Op{op}}
	if c := a.conversations[place{op.Server, op.Rollout}]; c != nil && op.Key != "" {
		id.effects = c.lookup(op.Key).effects
	}
	return ix.prove(a, op.Rollout, id, text, facts...)
}

// rollouts is how many rollouts the identity's operations belong to.
func (id *identity) rollouts() int {
	seen := map[string]bool{}
	for _, op := range id.ops {
		seen[op.Rollout] = true
	}
	return len(seen)
}

// story is what the client did for one operation, one line an attempt, and what
// it was told in the end. Exchanges that went well and carried nothing are left
// out.
func (d *dossier) story(op *history.Op) []string {
	var lines []string
	for _, at := range d.attemptsOf(op.Rollout, op.Op) {
		faults := d.faultsOf(at)
		setup := at.Role != history.RoleCall && at.Role != history.RoleSettle
		if setup && at.Cause == nil && len(faults) == 0 {
			continue
		}
		lines = append(lines, d.exchange(op, at, faults))
	}
	return append(lines, opText(op)+" was "+toldText(op))
}

// exchange is one exchange as all who saw it tell it, in one sentence.
func (d *dossier) exchange(op *history.Op, at *history.Attempt, faults []*history.Fault) string {
	name := fmt.Sprintf("attempt %d of %s", at.Attempt, stepOf(at.Op))
	if op.Key != "" {
		name += " (" + op.Key + ")"
	}
	if at.Role != history.RoleCall {
		name += ", " + string(at.Role)
	}
	var parts []string
	if w := d.witnessOf(at); w != nil {
		parts = append(parts, wireText(w.Wire))
	}
	for _, f := range faults {
		parts = append(parts, faultText(f))
	}
	parts = append(parts, "the client "+attemptText(at))
	return name + ": " + strings.Join(parts, "; ")
}
