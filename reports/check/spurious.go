package check

import (
	"fmt"

	"mcpstorm/history"
)

const spuriousID = "no-spurious-failure"

// noSpuriousFailure judges each task by its last rollout: where that failed,
// something real was wrong. Every clause counts one kind of failure.
func noSpuriousFailure(ix *index) history.Invariant {
	j := perRollout(spuriousID)
	fates := map[fate]int{}
	for _, a := range ix.judged {
		for _, e := range a.ends {
			fates[e.fate]++
			switch e.fate {
			case fateUnclear, fateIdle:
				j.skip(e.why)
			case fateSpurious:
				j.add(e.rollout.Rollout, ix.spuriousFailure(a, e))
			default:
				j.add(e.rollout.Rollout, nil)
			}
		}
	}
	inv := j.invariant("no rollout ended by itself")
	if inv.Status == history.NotEvaluated {
		return inv
	}
	count := func(f fate, text string) {
		if n := fates[f]; n > 0 {
			inv.Clauses = append(inv.Clauses, clause(string(f), true, number(n, "rollout")+" "+text))
		}
	}
	count(fateGenuine, "failed for a genuine cause")
	count(fateHonest, "failed after an honest unknown")
	for _, kind := range j.kinds.order {
		inv.Clauses = append(inv.Clauses, clause(string(fateSpurious), false, number(j.kinds.count[kind], "rollout")+": "+kind))
	}
	return inv
}

func (ix *index) spuriousFailure(a *arm, e ending) *violation {
	return &violation{
		kind:   e.why,
		weight: e.run.Attempts,
		prove: func() history.Proof {
			found := "and nothing real was wrong"
			if e.why == unanswered || e.why == noReceipt {
				found = "and no fault of the plan was the cause"
			}
			text := fmt.Sprintf("%s failed on %s, %s: %s", e.rollout.Rollout, e.run.Op, found, e.why)
			return ix.proveRun(a, e.run, text, fmt.Sprintf("%s failed: %s", e.rollout.Rollout, e.rollout.Cause.Text))
		},
	}
}
