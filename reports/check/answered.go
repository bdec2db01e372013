package check

import (
	"fmt"

	"mcpstorm/history"
)

// asksAgain is the violation of an operation that was called again though its answer
// had come, or after its caller had cancelled it: no retry that is counted well or
// badly, but one for which there was no reason. Exchanges and operations are of one
// process, whose clock places them.
func (ix *index) asksAgain(a *arm, op *history.Op) *violation {
	var final *history.Attempt
	for _, at := range a.operations[baseOp(op.Op)].exchanges {
		if at.Rollout != op.Rollout || at.Written == 0 {
			continue
		}
		late := op.Cancelled > 0 && at.Start > op.Cancelled
		if late && (at.Role == history.RoleCall || at.Role == history.RoleInitialize) {
			return ix.needless(a, op, "sent after its caller had cancelled it",
				fmt.Sprintf("%s was cancelled by its caller, and %s after that attempt %d of it was sent", op.Op, elapsed(op.Cancelled, at.Start), at.Attempt))
		}
		if settled(at) {
			final = nil // voided for good, or else there would be no call after it
		}
		if at.Role != history.RoleCall {
			continue
		}
		if final != nil {
			return ix.needless(a, op, "called again after its answer",
				fmt.Sprintf("%s had its answer by attempt %d (%s), and attempt %d asked for it again", op.Op, final.Attempt, answerOf(final), at.Attempt))
		}
		if answered(at) {
			final = at
		}
	}
	return nil
}

func (ix *index) needless(a *arm, op *history.Op, kind, text string) *violation {
	return &violation{
		kind:   kind,
		weight: op.Attempts,
		prove:  func() history.Proof { return ix.proveRun(a, op, text) },
	}
}

// answered reports whether what came of a call is the last word on it, so that asking
// again brings the same: a result, a tool's error, an answered JSON-RPC error, or a
// definite refusal. A session that was forgotten (404) can be opened anew.
func answered(at *history.Attempt) bool {
	switch {
	case at.Told == history.ToldOK, at.Told == history.ToldToolError:
		return true
	case at.Cause == nil:
		return false
	case at.Cause.Class == "rpc_error":
		return true
	}
	return at.Cause.Class == "http_status" && at.Cause.Status != 404 && definiteRefusal(at.Cause.Status, at.Told, at.Era)
}

func answerOf(at *history.Attempt) string {
	if at.Cause != nil {
		return causeText(at.Cause)
	}
	return string(at.Told)
}
