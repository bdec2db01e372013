package check

import (
	"fmt"

	"mcpstorm/history"
)

const blastID = "blast-radius"

// blastRadius judges whether an operation that ended badly met a fault itself, or
// in its settling. One that did not was hit by somebody else's. Operations
// that were interrupted, or cancelled by their own caller, are left out.
func blastRadius(ix *index) history.Invariant {
	j := perOperation(ix, blastID)
	own := ix.ownFailures()
	for _, a := range ix.judged {
		if !a.exchanged() {
			j.skip("no exchange with a server was made in its arm")
			continue
		}
		for _, op := range a.ops {
			switch {
			case op.Interrupted, op.Cancelled > 0: // its caller ended it
			case op.Told == history.ToldOK, op.Told == history.ToldToolError:
				j.add(op.Rollout, nil)
			case a.operations[baseOp(op.Op)].receipt(op.Rollout) != nil:
				j.add(op.Rollout, nil)
			case a.lost(op):
				j.skip("its server was down")
			case a.unnamedBurst(a.operations[baseOp(op.Op)], op.Rollout):
				j.skip(unnamedReason)
			case a.server(op.Server).toxic && timedOut(op):
				j.skip("it timed out, and a toxic that leaves no receipt for each exchange slows every connection to its server")
			case a.failsAnyway(op, own):
				j.skip(failsAnyway)
			default:
				j.add(op.Rollout, ix.collateral(a, op))
			}
		}
	}
	return j.invariant("no operation ended by itself")
}

// timedOut reports whether the operation ended by its own deadline, which is all
// that latency can do to it.
func timedOut(op *history.Op) bool { return op.Cause != nil && op.Cause.Class == "deadline" }

func (ix *index) collateral(a *arm, op *history.Op) *violation {
	return &violation{
		kind:   fmt.Sprintf("told %s without a fault of its own", op.Told),
		weight: op.Attempts,
		prove: func() history.Proof {
			text := fmt.Sprintf("%s was told %s and no fault met it", op.Op, op.Told)
			if op.Cause != nil {
				text += ": " + causeText(op.Cause)
			}
			return ix.proveRun(a, op, text, a.neighbours(op)...)
		},
	}
}

// neighbours tells the faults that met others: first those of the same rollout,
// else those on the same server while the operation ran. Operations and faults
// are recorded by one process, whose clock places them.
func (a *arm) neighbours(op *history.Op) []string {
	near := a.faultsNear(func(f *history.Fault) bool { return f.Rollout == op.Rollout })
	if len(near) == 0 {
		near = a.faultsNear(func(f *history.Fault) bool {
			return f.Server == op.Server && f.At >= op.Start && f.At <= op.End
		})
	}
	if len(near) == 0 {
		return []string{"no fault met its rollout, nor its server while it ran"}
	}
	const most = 3
	if more := len(near) - most; more > 0 {
		near = append(near[:most], fmt.Sprintf("and %d more", more))
	}
	return near
}

// metText says what a fault met: an exchange or, for a burst, perhaps a connection
// on which none was under way.
func metText(f *history.Fault) string {
	switch {
	case f.Op != "" && f.Role != "":
		return fmt.Sprintf("%s of attempt %d at %s", f.Role, f.Attempt, f.Op)
	case f.Op != "":
		return fmt.Sprintf("attempt %d at %s", f.Attempt, f.Op)
	case f.Rollout != "":
		return fmt.Sprintf("an idle connection of %s to %s", f.Rollout, f.Server)
	}
	return "a connection to " + f.Server + " that had named no rollout"
}

func (a *arm) faultsNear(fits func(*history.Fault) bool) []string {
	var near []string
	for _, f := range a.cuts {
		if fits(f) {
			near = append(near, fmt.Sprintf("a neighbour, %s: %s", metText(f), faultText(f)))
		}
	}
	return near
}
