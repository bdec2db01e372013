package check

import (
	"fmt"

	"mcpstorm/history"
)

const replayID = "no-unsafe-replay"

// noUnsafeReplay judges every operation whose repeat does harm, over all rollouts
// of its task: nothing of it was sent while an earlier call of it was told
// unknown, and it was not executed twice. A settle that voided the operation, and
// a definite refusal, make it safe to send again. An operation whose tool says that a
// repeat changes nothing is judged by whether that is so.
func noUnsafeReplay(ix *index) history.Invariant {
	j := perOperation(ix, replayID)
	for _, a := range ix.judged {
		for _, o := range a.opOrder {
			switch {
			case o.claims():
				if found, skip := ix.changedAgain(a, o); skip != "" {
					j.skip(skip)
				} else {
					j.add(o.rollout(), found)
				}
			case !o.harmful():
			case len(o.exchanges) == 0 && !o.recorded():
				j.skip("neither an exchange nor an execution of it was recorded")
			default:
				j.add(o.rollout(), ix.replayed(a, o))
			}
		}
	}
	return j.invariant("no operation whose repeat does harm was recorded")
}

// harmful reports whether a repeat of the operation does harm by its server's
// contract. A tool that declares nothing is unsafe.
func (o *operation) harmful() bool {
	for _, op := range o.runs {
		switch {
		case op.Kind != history.KindTurn && op.Kind != history.KindTool:
		case op.Class == history.Unsafe, op.Class == history.Resolvable, op.Class == "":
			return true
		}
	}
	return false
}

func (ix *index) replayed(a *arm, o *operation) *violation {
	if d := o.tooOften(); d != nil {
		return ix.replay(a, o, "executed twice or more", fmt.Sprintf("%s was wanted once and %s executed it %s%s",
			o.id, o.runs[0].Server, times(d.lo), d.among()))
	}
	earlier, again := o.repeated()
	if again == nil {
		return nil
	}
	where := ""
	if again.Rollout != earlier.Rollout {
		where = " in " + again.Rollout
	}
	return ix.replay(a, o, "sent again while unknown", fmt.Sprintf("%s was sent again%s though attempt %d in %s was told %s and nothing had settled it",
		o.id, where, earlier.Attempt, earlier.Rollout, earlier.Told))
}

// among says that the executions of several equal operations were counted.
func (d *deed) among() string {
	if len(d.operations) == 1 {
		return ""
	}
	return fmt.Sprintf(", counting %s with the same arguments", number(len(d.operations), "operation"))
}

// resent gives the first call that was sent while an earlier one may have been
// executed for all that the client knew, and that earlier call. Calls that were sent
// after one that is excused are counted instead.
func (o *operation) resent(excuse func(*history.Attempt) bool) (excused int, earlier, again *history.Attempt) {
	var open *history.Attempt
	for _, at := range o.exchanges {
		if settled(at) && o.voided(at) {
			open = nil
		}
		if !sent(at) {
			continue
		}
		if open != nil && !excuse(open) {
			return excused, open, at
		}
		if open != nil {
			excused++
			open = nil
		}
		if (at.Told == history.ToldUnknown || at.Told == history.ToldNone) && !refused(at) {
			open = at
		}
	}
	return excused, nil, nil
}

// repeated gives the same, with nothing excused but what the run's setting does.
func (o *operation) repeated() (earlier, again *history.Attempt) {
	excuse := func(*history.Attempt) bool { return false }
	if o.reissued > 0 {
		excuse = lostWithItsStream
	}
	_, earlier, again = o.resent(excuse)
	return earlier, again
}

func (ix *index) replay(a *arm, o *operation, kind, text string) *violation {
	weight := len(o.exchanges)
	for _, d := range o.deeds {
		weight += len(d.effects)
	}
	return &violation{
		kind:   kind,
		weight: weight,
		prove:  func() history.Proof { return ix.proveOperation(a, o, text) },
	}
}
