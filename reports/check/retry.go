package check

import (
	"fmt"

	"mcpstorm/history"
)

const retryID = "bounded-retry"

// boundedRetry judges whether any operation was tried, or called, more often than
// its policy allows, or again without a reason.
func boundedRetry(ix *index) history.Invariant {
	j := perOperation(ix, retryID)
	for _, a := range ix.judged {
		for _, op := range a.ops {
			if op.Budget <= 0 {
				j.skip("its budget is not recorded")
				continue
			}
			j.add(op.Rollout, ix.overBudget(a, op))
		}
	}
	return j.invariant("no operation was recorded")
}

func (ix *index) overBudget(a *arm, op *history.Op) *violation {
	kind, text := "", ""
	calls := a.operations[baseOp(op.Op)].calls(op.Rollout)
	switch {
	case op.Attempts > op.Budget:
		kind = "more attempts than the policy allows"
		text = fmt.Sprintf("%s was tried %s, and its policy allows %d", op.Op, times(op.Attempts), op.Budget)
	case calls > op.Budget:
		kind = "more calls than the policy allows attempts"
		text = fmt.Sprintf("%s was called %s, and its policy allows %s", op.Op, times(calls), number(op.Budget, "attempt"))
	default:
		return ix.asksAgain(a, op)
	}
	return &violation{
		kind:   kind,
		weight: op.Attempts,
		prove:  func() history.Proof { return ix.proveRun(a, op, text) },
	}
}

// calls is how many call exchanges were made for the operation in one rollout.
func (o *operation) calls(rollout string) int {
	n := 0
	for _, at := range o.exchanges {
		if at.Role == history.RoleCall && at.Rollout == rollout {
			n++
		}
	}
	return n
}
