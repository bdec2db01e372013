package check

import (
	"slices"

	"mcpstorm/history"
)

// targetFails leads what is said of a run whose target fails in the control arm.
const targetFails = "the target fails without any fault"

// failsAnyway is why an error is not judged that its server gives in a control arm too:
// whether a fault had a part in it cannot be told. Of a server that gives no answer that
// is not said: nothing real was given, with faults or without (design, no-spurious-failure).
const failsAnyway = "its server fails in this way without any fault"

// failing is an error that a server gives, by which operations on it end badly.
type failing struct {
	server, class string
	status, code  int
}

func failingOf(op *history.Op) failing {
	f := failing{server: op.Server}
	if c := op.Cause; c != nil {
		f.class, f.status, f.code = c.Class, c.Status, c.Code
	}
	return f
}

// ownFailures are the errors that the targets gave in the control arms, without faults.
func (ix *index) ownFailures() map[failing]bool {
	own := map[failing]bool{}
	for _, a := range ix.declared {
		if !a.Control {
			continue
		}
		for _, op := range a.ops {
			if endedBadly(op) && givenByServer(op) {
				own[failingOf(op)] = true
			}
		}
	}
	return own
}

// targetFails reports whether an operation of the arm, which has no faults, failed by what
// its server did.
func (a *arm) targetFails() bool {
	return slices.ContainsFunc(a.ops, func(op *history.Op) bool { return endedBadly(op) && a.failedByServer(op) })
}

// givenByServer reports whether an operation that no fault met ended by an answer.
func givenByServer(op *history.Op) bool {
	if op.Cause == nil {
		return false
	}
	switch op.Cause.Class {
	case "http_status", "rpc_error", "bad_answer", "other":
		return true
	}
	return false
}

// failedByServer reports whether an operation that no fault met ended badly by what its
// server did: by its answer, or because the witness saw none. A client that makes nothing
// of a good answer fails by itself.
func (a *arm) failedByServer(op *history.Op) bool {
	if op.Cause == nil || givenByServer(op) {
		return op.Cause != nil
	}
	switch op.Cause.Class {
	case "deadline", "eof", "reset", "truncated":
		c := a.conversations[place{op.Server, op.Rollout}]
		return c == nil || op.Key == "" || c.lookup(op.Key).results == 0
	}
	return false
}

// endedBadly reports whether an operation ended without an answer of the tool's, and not
// by its caller's own doing.
func endedBadly(op *history.Op) bool {
	return op.Told != history.ToldOK && op.Told != history.ToldToolError && op.Cancelled == 0 && !op.Interrupted
}

// failsAnyway reports whether an operation of an arm with faults failed in a way in which
// its server fails without any.
func (a *arm) failsAnyway(op *history.Op, own map[failing]bool) bool {
	return !a.Control && endedBadly(op) && own[failingOf(op)]
}

// unreadable reports whether an operation failed by an answer of the server's own that
// was none of MCP: no fault met the operation in the rollout.
func (o *operation) unreadable(run *history.Op) bool {
	if run.Cause == nil || o.receipt(run.Rollout) != nil {
		return false
	}
	switch run.Cause.Class {
	case "bad_answer":
		return true
	case "other": // such as what is no HTTP
		for _, at := range o.exchanges {
			if at.Rollout == run.Rollout && at.Attempt == run.Attempts && at.Cause != nil && at.Read > 0 {
				return true
			}
		}
	}
	return false
}
