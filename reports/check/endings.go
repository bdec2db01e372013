package check

import "mcpstorm/history"

// fate is what stands behind the end of a task's last rollout.
type fate string

// The fates. An unclear one cannot be judged, and an idle one shows nothing.
const (
	fateCompleted fate = "completed"
	fateIdle      fate = "idle"
	fateGenuine   fate = "genuine"
	fateHonest    fate = "honest unknown"
	fateSpurious  fate = "spurious"
	fateUnclear   fate = "unclear"
)

// ending is how a task ended: by its last rollout.
type ending struct {
	fate    fate
	why     string // for a spurious or an unclear one: the same for all of its kind
	rollout *history.Rollout
	run     *history.Op // the operation that failed it, or nil
}

// The kinds of spurious failure.
const (
	nothingRan       = "nothing ran and the client could know"
	toldNothingRan   = "told that nothing ran, and not tried again"
	anotherClass     = "another class than unsafe"
	alreadyDelivered = "the answer had already been delivered"
	noReceipt        = "no receipt on any attempt"
	unanswered       = "its server did not answer, and no fault met it"
	toldNothing      = "it was told nothing"
)

// lastRollouts are the last rollouts of the arm's tasks, in order of the tasks'
// first appearance.
func (a *arm) lastRollouts() []*history.Rollout {
	at := make(map[string]int, len(a.rollouts))
	last := make([]*history.Rollout, 0, len(a.rollouts))
	for _, r := range a.rollouts {
		i, seen := at[r.Task]
		switch {
		case !seen:
			at[r.Task] = len(last)
			last = append(last, r)
		case byRestart(r.Rollout, last[i].Rollout) > 0:
			last[i] = r
		}
	}
	return last
}

// endings is how tasks ended whose last rollouts these are. One that was interrupted, or
// ended in an error of the script, says nothing of the system and is left out.
func (a *arm) endings(last []*history.Rollout) []ending {
	all := make([]ending, 0, len(last))
	busy, own := a.busy(), a.index.ownFailures()
	for _, r := range last {
		switch r.Outcome {
		case history.Completed:
			if !busy[a.index.numbers[r.Rollout]] {
				all = append(all, ending{fate: fateIdle, why: "it asked nothing of any server", rollout: r})
				continue
			}
			all = append(all, ending{fate: fateCompleted, rollout: r})
		case history.Failed:
			e := a.failure(r, own)
			e.rollout = r
			all = append(all, e)
		}
	}
	return all
}

// failure says what stands behind a failed rollout. The script's own decision to
// fail, or to cancel a call, an answer of the server, and a server that was down are
// genuine causes.
func (a *arm) failure(r *history.Rollout, own map[failing]bool) ending {
	if r.Cause == nil {
		return ending{fate: fateUnclear, why: "the cause of its failure is not recorded"}
	}
	if r.Cause.Op == "" {
		return ending{fate: fateGenuine}
	}
	o := a.operations[baseOp(r.Cause.Op)]
	if o == nil || o.run(r.Rollout) == nil {
		return ending{fate: fateUnclear, why: "the operation that failed it is not recorded"}
	}
	run := o.run(r.Rollout)
	switch {
	case run.Cancelled > 0 || o.answeredByServer(run) || o.unreadable(run) || a.lost(run):
		return ending{fate: fateGenuine, run: run}
	case a.failsAnyway(run, own):
		return ending{fate: fateUnclear, why: failsAnyway, run: run}
	}
	switch why := o.spurious(run, a.server(run.Server)); {
	case why == noReceipt && a.unnamedBurst(o, run.Rollout):
		return ending{fate: fateUnclear, why: unnamedReason, run: run}
	case why != "":
		return ending{fate: fateSpurious, why: why, run: run}
	}
	return ending{fate: fateHonest, run: run}
}

// answeredByServer reports whether the operation failed by an answer that was the
// server's own, and not one that a fault gave in its place.
func (o *operation) answeredByServer(run *history.Op) bool {
	if run.Cause == nil {
		return false
	}
	switch run.Cause.Class {
	case "rpc_error", "tool_error":
		return true
	case "http_status":
		return !o.answeredByFault(run.Rollout)
	}
	return false
}

// spurious says why the failure of an operation is no honest unknown, or nothing
// where it is one: an unsafe operation that was sent, met a fault, and whose
// answer never came.
func (o *operation) spurious(run *history.Op, s *server) string {
	calls, delivered, voided := 0, run.Settled == settledResult, false
	for _, at := range o.exchanges {
		switch {
		case at.Rollout != run.Rollout:
		case settled(at):
			voided = o.voided(at)
		case at.Role != history.RoleCall:
		default:
			if at.Written > 0 {
				calls++
				voided = false
			}
			delivered = delivered || at.Told == history.ToldOK || at.Told == history.ToldToolError
		}
	}
	switch {
	case run.Knowable, calls == 0, voided:
		return nothingRan
	case run.Told == history.ToldNotExecuted:
		return toldNothingRan
	case run.Told == history.ToldNone:
		return toldNothing
	case o.receipt(run.Rollout) == nil && timedOut(run) && !s.toxic:
		return unanswered
	case !o.harmful():
		return anotherClass
	case delivered:
		return alreadyDelivered
	case o.receipt(run.Rollout) == nil && !(s.toxic && timedOut(run)):
		return noReceipt
	}
	return ""
}
