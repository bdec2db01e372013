package check

import (
	"fmt"

	"mcpstorm/history"
)

// recorded asks that every call which a rollout counted has left an operation: what
// was never recorded can violate nothing. A rollout that counted none says nothing.
func recorded(ix *index) history.Clause {
	const name = "operations"
	return ix.eachArm(name, func(a *arm) history.Clause {
		kept := make([]int, len(ix.numbers))
		for _, op := range a.ops {
			kept[ix.numbers[op.Rollout]]++
		}
		made, lost := 0, 0
		for _, r := range a.rollouts {
			made += r.Ops
			lost += max(r.Ops-kept[ix.numbers[r.Rollout]], 0)
		}
		if made == 0 {
			return notEvaluated(name, "no rollout counted its calls")
		}
		return clause(name, lost == 0, fmt.Sprintf("%d of %s recorded", made-lost, number(made, "call")))
	})
}
