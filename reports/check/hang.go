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
	j := perOperation(noHangID)
	for i := range ix.run.Ops {
		op := &ix.run.Ops[i]
		if a := ix.arms[op.Arm]; a == nil || !a.judged {
			continue
		}
		found := ix.hang(op)
		if found == nil && op.Deadline <= 0 && op.Told != history.ToldNone {
			j.skip("it has no deadline")
			continue
		}
		j.add(op.Rollout, found)
	}
	return j.invariant("no operation was recorded")
}

// boundFactor is how many of its own deadlines an operation may take before the
// observer calls it hung.
const boundFactor = 2

func (ix *index) hang(op *history.Op) *violation {
	took := int64(op.End - op.Start)
	switch {
	case op.Deadline > 0 && took > boundFactor*op.Deadline:
		return ix.hung(op, "ended long after its deadline", fmt.Sprintf("%s took %s, and its deadline is %s",
			op.Op, elapsed(op.Start, op.End), time.Duration(op.Deadline)))
	case op.Told == history.ToldNone && !op.Interrupted:
		return ix.hung(op, "was never told anything", fmt.Sprintf("%s was told nothing in %s, and the run was not stopped",
			op.Op, elapsed(op.Start, op.End)))
	}
	return nil
}

func (ix *index) hung(op *history.Op, kind, text string) *violation {
	return &violation{
		kind:   kind,
		weight: op.Attempts,
		prove: func() history.Proof {
			id := &identity{key: op.Key, ops: []*history.Op{op}}
			if c := ix.arms[op.Arm].conversations[place{op.Server, op.Rollout}]; c != nil && op.Key != "" {
				id.effects = c.lookup(op.Key).effects
			}
			return ix.prove(op.Rollout, id, text)
		},
	}
}
