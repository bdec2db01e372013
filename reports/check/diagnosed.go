package check

import (
	"fmt"

	"mcpstorm/history"
)

// misdiagnosed is the violation of an operation whose client wrote something down of
// its failure that is not so: that it was not started, where the server's end saw its
// call; or no status, or another, where one had come. Whoever reads it decides by it
// what may be tried again.
func (ix *index) misdiagnosed(c *conversation, id *identity, op *history.Op) *violation {
	d := op.Diagnostics
	if d == nil {
		return nil
	}
	if d.Delivery == history.NotStarted && len(id.ops) == 1 && (id.handed > 0 || id.commits > 0) {
		return ix.wrongWords(c, id, op, "diagnosed as not started, and started",
			fmt.Sprintf("the diagnostics of %s say %s, and its call was handed to %s", op.Op, d.Delivery, c.server.Name))
	}
	status := c.arm.operations[baseOp(op.Op)].lastStatus(op)
	switch {
	case status == 0:
		return nil
	case d.StatusCode == nil:
		return ix.wrongWords(c, id, op, "diagnosed without its status",
			fmt.Sprintf("the diagnostics of %s give no status, and HTTP %d had come", op.Op, status))
	case *d.StatusCode != status:
		return ix.wrongWords(c, id, op, "diagnosed with another status",
			fmt.Sprintf("the diagnostics of %s say HTTP %d, and HTTP %d had come", op.Op, *d.StatusCode, status))
	}
	return nil
}

// lastStatus is the HTTP status of failure that the last failed exchange of an
// operation got; zero when it got none. What the client added to it is left out.
func (o *operation) lastStatus(op *history.Op) (status int) {
	for _, at := range o.exchanges {
		switch {
		case at.Rollout != op.Rollout || at.Op != op.Op || at.Cause == nil:
		case at.Role == history.RoleDelete, at.Role == history.RoleGet, at.Role == history.RoleCancelled:
		case at.Status >= 400:
			status = at.Status
		default:
			status = 0
		}
	}
	return status
}

func (ix *index) wrongWords(c *conversation, id *identity, op *history.Op, kind, text string) *violation {
	return &violation{
		kind:   kind,
		weight: op.Attempts + len(id.effects),
		prove: func() history.Proof {
			return ix.prove(c.arm, c.rollout, id, text, "the client wrote "+op.Diagnostics.Marker())
		},
	}
}
