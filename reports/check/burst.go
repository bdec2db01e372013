package check

import (
	"cmp"
	"slices"

	"mcpstorm/history"
)

// The cuts of connections, as the plan has them.
const (
	cutBurst  = "burst"  // many that are open together
	cutIdle   = "idle"   // one that nothing is under way on
	cutAccept = "accept" // those that come while none is accepted
	// cutKill ends a server's process: connections that cannot reach it are then the
	// fault's doing.
	cutKill = "kill"
)

// ofConnection reports whether a fault is one of connections and not of exchanges: a
// burst on many that are open together, one that is idle, those that come while none
// is accepted, or the end of their server's process. No mark names them, and what is
// said of a burst holds for all. The one exchange that a server was killed for has its
// mark, and gives no other reason.
func ofConnection(f *history.Fault) bool {
	switch f.Cut {
	case cutBurst, cutIdle, cutAccept:
		return true
	case cutKill:
		return f.Op == "" || f.State == history.FaultDelivered && f.Reason != ""
	}
	return false
}

// connectionReason is why an exchange on a cut connection met no fault of its own.
func connectionReason(f *history.Fault) string {
	switch f.Cut {
	case cutIdle:
		return "the connection was closed while it was idle"
	case cutKill:
		return "its server was killed first"
	}
	return "a burst cut the connection first"
}

// attachBursts gives each burst that met an idle connection to the operation that
// the connection was next used for, or was in use for unseen: the first of its
// rollout on that server that had not ended. The client and the fault layer are
// parts of one process, whose clock places both.
func (a *arm) attachBursts() {
	idle := map[place][]*history.Fault{}
	for _, f := range a.cuts {
		if ofConnection(f) && f.Op == "" && f.Rollout != "" {
			at := place{f.Server, f.Rollout}
			idle[at] = append(idle[at], f)
		}
	}
	if len(idle) == 0 {
		return
	}
	next := map[*history.Fault]*history.Op{}
	for _, op := range a.ops {
		for _, f := range idle[place{op.Server, op.Rollout}] {
			if op.End >= f.At && (next[f] == nil || op.Start < next[f].Start) {
				next[f] = op
			}
		}
	}
	for _, f := range a.cuts {
		if op := next[f]; op != nil {
			o := a.operation(op.Op)
			o.faults = append(o.faults, f)
		}
	}
}

// cutBy reports whether a burst cut the connection of an exchange: the one that it
// found under way, or one that was to use the idle connection next. A burst can
// come when so little of a request is there that its role is not known.
func cutBy(f *history.Fault, at *history.Attempt) bool {
	if f.Op == "" {
		return f.Rollout == at.Rollout && f.At <= at.End && lostConnection(at)
	}
	return f.Op == at.Op && f.Rollout == at.Rollout && f.Attempt == at.Attempt && (f.Role == "" || f.Role == at.Role)
}

// lostConnection reports whether the exchange ended with its connection.
func lostConnection(at *history.Attempt) bool {
	if at.Cause == nil {
		return false
	}
	switch at.Cause.Class {
	case "dial", "no_byte_written", "reset", "eof", "truncated":
		return true
	}
	return false
}

// matchUnnamed gives each burst that cut a connection before anything had named its
// rollout to an exchange that it may have met: one that died without a fault of its
// own, on a new connection to that server, while the burst came. A burst record is
// of one connection and so of one exchange; earliest ends go first, which leaves as
// few exchanges as can be without a burst.
func (a *arm) matchUnnamed() {
	var bursts []*history.Fault
	for _, f := range a.cuts {
		if ofConnection(f) && f.Op == "" && f.Rollout == "" && f.Manner != "hold" && !ofServer(f) { // what was only held up did not die
			bursts = append(bursts, f)
		}
	}
	if len(bursts) == 0 {
		return
	}
	slices.SortStableFunc(bursts, func(x, y *history.Fault) int { return cmp.Compare(x.At, y.At) })
	died := a.diedAsNew()
	a.unnamed = map[*history.Attempt]*history.Fault{}
	for _, f := range bursts {
		for _, at := range died {
			if at.Server == f.Server && at.Start <= f.At && f.At <= at.End && a.unnamed[at] == nil {
				a.unnamed[at] = f
				break
			}
		}
	}
}

// ofServer reports whether the record is that of a kill at its time, and of no
// connection.
func ofServer(f *history.Fault) bool {
	return f.Cut == cutKill && f.Op == "" && f.Rollout == "" && f.Reason == ""
}

// diedAsNew are the exchanges that died on a new connection and without a fault of
// their own, in order of their end.
func (a *arm) diedAsNew() []*history.Attempt {
	var died []*history.Attempt
	for _, o := range a.opOrder {
		for _, at := range o.exchanges {
			if at.ConnNew && lostConnection(at) && !o.faulted(at) {
				died = append(died, at)
			}
		}
	}
	slices.SortStableFunc(died, func(x, y *history.Attempt) int { return cmp.Compare(x.End, y.End) })
	return died
}

// faulted reports whether the exchange has a receipt of its own.
func (o *operation) faulted(at *history.Attempt) bool {
	return slices.ContainsFunc(o.faults, func(f *history.Fault) bool {
		return f.State == history.FaultDelivered && f.Op == at.Op && concerns(f, at)
	})
}

// unnamedBurst reports whether a burst that could not tell whose connection it cut
// may have met an exchange of the operation in a rollout.
func (a *arm) unnamedBurst(o *operation, rollout string) bool {
	return slices.ContainsFunc(o.exchanges, func(at *history.Attempt) bool {
		return at.Rollout == rollout && a.unnamed[at] != nil
	})
}

// unnamedReason is why an operation that such a burst may have met is not judged.
const unnamedReason = "a burst cut a connection that had not named its rollout, while one of its new connections died"
