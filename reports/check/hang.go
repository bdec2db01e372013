package check

import (
	"fmt"
	"time"

	"mcpstorm/history"
)

// noHang judges whether every operation ended within the observer's bound, twice
// its own deadline, and was told something. Start and end of an operation are of
// one process and may be compared.
func noHang(ix *index) history.Invariant {
	j := perOperation(ix, noHangID)
	for _, a := range ix.judged {
		for _, op := range a.ops {
			found := ix.hang(a, op)
			switch {
			case found != nil:
				j.add(op.Rollout, found)
			case op.Told == history.ToldNone:
				j.skip("it was interrupted within its bound, and before it was told anything")
			case op.Deadline <= 0:
				j.skip("it has no deadline")
			default:
				j.add(op.Rollout, nil)
			}
		}
	}
	inv := j.invariant("no operation was recorded")
	if inv.Status != history.NotEvaluated {
		inv.Clauses = append(inv.Clauses, notEvaluated("rollouts and teardowns",
			"rollouts and teardowns have no recorded bound, for how long a script thinks between its operations is not known"))
	}
	return inv
}

// boundFactor is how many of its own deadlines an operation may take before the
// observer calls it hung.
const boundFactor = 2

func (ix *index) hang(a *arm, op *history.Op) *violation {
	took := int64(op.End - op.Start)
	switch {
	case op.Deadline > 0 && took > boundFactor*op.Deadline && op.Told == history.ToldNone:
		return ix.hung(a, op, "was told nothing within its bound", fmt.Sprintf("%s was told nothing in %s, and its deadline is %s",
			op.Op, elapsed(op.Start, op.End), time.Duration(op.Deadline)))
	case op.Deadline > 0 && took > boundFactor*op.Deadline:
		return ix.hung(a, op, "ended long after its deadline", fmt.Sprintf("%s took %s, and its deadline is %s",
			op.Op, elapsed(op.Start, op.End), time.Duration(op.Deadline)))
	case op.Told == history.ToldNone && !op.Interrupted:
		return ix.hung(a, op, "was never told anything", fmt.Sprintf("%s was told nothing in %s, and the run was not stopped",
			op.Op, elapsed(op.Start, op.End)))
	}
	return nil
}

func (ix *index) hung(a *arm, op *history.Op, kind, text string) *violation {
	return &violation{
		kind:   kind,
		weight: op.Attempts,
		prove:  func() history.Proof { return ix.proveRun(a, op, text) },
	}
}
