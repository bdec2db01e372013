package check

import (
	"fmt"
	"slices"

	"mcpstorm/history"
)

const recoveryID = "recovery"

// recovery judges the time after the faults: every rollout that was still running
// then ends, and the last operation on each server succeeds. Faults stop where the
// arm's heal phase begins or, without one, at the last that was delivered. Rollouts,
// operations and faults are recorded by one process, whose clock places them. Only a
// heal phase says how long that may take. An arm in which nothing was asked afterwards
// shows no recovery and is not judged.
func recovery(ix *index) history.Invariant {
	j := perRollout(recoveryID)
	j.unit = "survivors" // rollouts and servers that outlived the faults
	var measured []history.Clause
	for _, a := range ix.judged {
		h, skip := a.healing()
		if skip != "" {
			j.skip(skip)
			continue
		}
		h.judge(ix, j)
		measured = append(measured, clause("recovery time", true, h.text(len(ix.judged) > 1)))
	}
	inv := j.invariant("no fault was delivered")
	if inv.Status != history.NotEvaluated {
		inv.Clauses = append(inv.Clauses, measured...)
	}
	return inv
}

// recoveries are the measured times, for every judged arm that had to recover.
func recoveries(ix *index) []history.Recovery {
	var out []history.Recovery
	for _, a := range ix.judged {
		if h, skip := a.healing(); skip == "" {
			out = append(out, h.measured()...)
		}
	}
	return out
}

// healing is what an arm did once its faults had stopped.
type healing struct {
	arm      *arm
	stopped  history.Instant
	within   history.Instant // how long it may take; 0 is not bounded
	rollouts []*history.Rollout
	asked    map[string]history.Instant // by server: when it was first asked afterwards
	first    map[string]*history.Op     // by server: the first that was asked afterwards and answered
	last     map[string]*history.Op     // by server: the last to end that was asked afterwards
}

// healing gathers it, or says why there is nothing to judge.
func (a *arm) healing() (h *healing, skip string) {
	if len(a.cuts) == 0 && !a.healsToxics() {
		if a.installed() {
			return nil, "only toxics acted, and no heal phase says when they stopped"
		}
		return nil, "no fault was delivered"
	}
	h = &healing{arm: a, asked: map[string]history.Instant{}, first: map[string]*history.Op{}, last: map[string]*history.Op{}}
	for _, f := range a.cuts {
		h.stopped = max(h.stopped, f.At)
	}
	if a.Heal != nil {
		h.stopped = max(h.stopped, a.Start+history.Instant(a.Heal.At))
		h.within = history.Instant(a.Heal.Within)
	}
	for _, op := range a.ops {
		if op.Start > h.stopped {
			h.noteOp(op)
		}
	}
	if len(h.last) == 0 {
		return nil, "no operation began after the last fault"
	}
	for _, r := range a.rollouts {
		if r.Start <= h.stopped && h.stopped < r.End {
			h.rollouts = append(h.rollouts, r)
		}
	}
	return h, ""
}

// healsToxics reports whether a heal phase ended toxics, which leave no receipt but that
// they were installed.
func (a *arm) healsToxics() bool { return a.Heal != nil && a.installed() }

// installed reports whether a toxic was put on any connection.
func (a *arm) installed() bool {
	return slices.ContainsFunc(a.faults, func(f *history.Fault) bool { return f.State == history.FaultInstalled })
}

func (h *healing) noteOp(op *history.Op) {
	if asked, known := h.asked[op.Server]; !known || op.Start < asked {
		h.asked[op.Server] = op.Start
	}
	if last := h.last[op.Server]; last == nil || op.End >= last.End {
		h.last[op.Server] = op
	}
	if first := h.first[op.Server]; h.answered(op) && (first == nil || op.End < first.End) {
		h.first[op.Server] = op
	}
}

// answered reports whether the server answered the operation, be it with an error
// of its own.
func (h *healing) answered(op *history.Op) bool {
	return op.Told == history.ToldOK || op.Told == history.ToldToolError || h.arm.operations[baseOp(op.Op)].answeredByServer(op)
}

func (h *healing) judge(ix *index, j *judgement) {
	for _, r := range h.rollouts {
		switch {
		case r.End-h.stopped > h.within && h.within > 0:
			j.add(r.Rollout, h.late(ix, r))
		case r.Outcome == history.Interrupted:
			j.skip("it was interrupted before it had to end")
		default:
			j.add(r.Rollout, nil)
		}
	}
	for _, s := range h.arm.serverOrder {
		last := h.last[s.Name]
		switch {
		case last == nil:
		case s.toxic && h.arm.Heal == nil:
			j.skip("a toxic that has no end acts on every connection to " + s.Name)
		case h.answered(last) && !h.slow(s.Name):
			j.add(last.Rollout, nil)
		case last.Interrupted:
			j.skip("the last operation on " + s.Name + " was interrupted")
		case h.gone(s.Name):
			j.skip(s.Name + " was down by itself")
		default:
			j.add(last.Rollout, h.unwell(ix, s.Name))
		}
	}
}

// slow reports whether the server took longer to serve again than it may.
func (h *healing) slow(server string) bool {
	return h.first[server] == nil || h.within > 0 && h.served(server) > h.within
}

// served is how long the server took from when it was first asked to its answer.
func (h *healing) served(server string) history.Instant {
	return h.first[server].End - h.asked[server]
}

func (h *healing) late(ix *index, r *history.Rollout) *violation {
	return &violation{
		kind: "a rollout did not end in time",
		prove: func() history.Proof {
			text := fmt.Sprintf("%s ran on for %s after the faults had stopped, and %s are allowed",
				r.Rollout, elapsed(h.stopped, r.End), elapsed(0, h.within))
			return ix.prove(h.arm, r.Rollout, &identity{}, text, fmt.Sprintf("%s ended %s", r.Rollout, r.Outcome))
		},
	}
}

func (h *healing) unwell(ix *index, server string) *violation {
	last := h.last[server]
	kind := "a server does not serve again"
	text := fmt.Sprintf("%s, the last operation on %s after the faults had stopped, was told %s", last.Op, server, last.Told)
	if h.answered(last) {
		kind = "a server serves again too late"
		text = fmt.Sprintf("%s served again only %s after it was first asked without faults, and %s are allowed",
			server, elapsed(0, h.served(server)), elapsed(0, h.within))
	}
	return &violation{
		kind:   kind,
		weight: last.Attempts,
		prove:  func() history.Proof { return ix.proveRun(h.arm, last, text) },
	}
}

// measured are the times that it took.
func (h *healing) measured() []history.Recovery {
	var out []history.Recovery
	ended := h.stopped
	for _, r := range h.rollouts {
		ended = max(ended, r.End)
	}
	for _, s := range h.arm.serverOrder {
		if h.first[s.Name] != nil {
			out = append(out, history.Recovery{
				Arm: h.arm.Name, Server: s.Name, Served: int64(h.served(s.Name)),
				Rollouts: len(h.rollouts), Ended: int64(ended - h.stopped),
			})
		}
	}
	return out
}

// text says them.
func (h *healing) text(named bool) string {
	var parts []string
	ended := history.Instant(0)
	for _, m := range h.measured() {
		parts = append(parts, fmt.Sprintf("%s served again after %s", m.Server, elapsed(0, history.Instant(m.Served))))
		ended = history.Instant(m.Ended)
	}
	if len(parts) == 0 {
		parts = append(parts, "no server served again")
	}
	text := enumerate(parts)
	if n := len(h.rollouts); n > 0 {
		text += fmt.Sprintf("; %s then running ended within %s", number(n, "rollout"), elapsed(0, ended))
	}
	if named {
		text = "arm " + h.arm.Name + ": " + text
	}
	return text
}
