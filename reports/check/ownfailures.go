package check

import "mcpstorm/history"

// failsAnyway is why a failure is not judged that its server shows in a control arm too:
// whether a fault had a part in it cannot be told.
const failsAnyway = "its server fails in this way without any fault"

// failing is a way in which operations on a server end badly.
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

// ownFailures are the ways in which the targets failed in the control arms, without faults.
func (ix *index) ownFailures() map[failing]bool {
	own := map[failing]bool{}
	for _, a := range ix.declared {
		if a.Control {
			a.addOwnFailures(own)
		}
	}
	return own
}

func (a *arm) addOwnFailures(own map[failing]bool) {
	for _, op := range a.ops {
		if endedBadly(op) && a.failedByServer(op) {
			own[failingOf(op)] = true
		}
	}
}

// failedByServer reports whether an operation that no fault met ended badly by what its
// server did: by its answer, or because the witness saw none. A client that makes nothing
// of a good answer fails by itself.
func (a *arm) failedByServer(op *history.Op) bool {
	if op.Cause == nil {
		return false
	}
	switch op.Cause.Class {
	case "http_status", "rpc_error", "bad_answer", "other":
		return true
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
