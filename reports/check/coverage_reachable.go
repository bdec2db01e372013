package check

import (
	"fmt"

	"mcpstorm/history"
)

// reachable asks that every server could be reached for every connection: what
// was measured without one says nothing about the faults that were planned.
func reachable(ix *index) history.Clause {
	const name = "servers"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if a.down() && a.late() { // a dial that ended too late and one that was refused count alike
			return clause(name, false, fmt.Sprintf("the fault layer could not connect in time for %s (timers fired %s late; whether a server was down as well cannot be told)",
				number(int(a.DialErrors), "connection"), a.Lateness.P99))
		}
		if a.down() {
			return clause(name, false, "a server was down: the fault layer could not reach it for "+number(int(a.DialErrors), "connection"))
		}
		return clause(name, true, "every connection reached its server")
	})
}

// down reports whether a server was gone for a while by itself, and not because a
// fault ended its process.
func (a *arm) down() bool { return a.DialErrors > 0 && !a.kills }

// lost reports whether the operation may have ended on a server that was down or that
// somebody killed, or for want of a descriptor of ours: nothing of the plan met its last
// attempt.
func (a *arm) lost(op *history.Op) bool {
	died := a.server(op.Server).Died
	if !a.down() && a.AcceptErrors == 0 && (died == nil || died.Signal == 0) {
		return false
	}
	for _, f := range a.operations[baseOp(op.Op)].faults {
		if f.State == history.FaultDelivered && f.Rollout == op.Rollout && f.Attempt == op.Attempts {
			return false
		}
	}
	return true
}
