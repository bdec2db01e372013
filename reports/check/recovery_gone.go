package check

import (
	"math"

	"mcpstorm/history"
)

// gone reports whether a server that does not serve may be down for a reason of its own,
// which is not for recovery to judge: there was a server that the fault layer could not
// reach, and this one was not well any more when its first fault came, or met none. One
// that was well then and never came back is what recovery is about, and so is one whose
// process a fault ended, or that ended by itself: only a signal from outside is no doing of
// its own. Connections that a fault refused, held up or orphaned are not
// among those that could not reach their server.
func (h *healing) gone(server string) bool {
	if died := h.arm.server(server).Died; died != nil && died.Signal > 0 {
		return true
	}
	if h.arm.DialErrors == 0 {
		return false
	}
	first := history.Instant(math.MaxInt64)
	for _, f := range h.arm.cuts {
		switch {
		case f.Server != server:
		case f.Cut == cutKill:
			return false
		default:
			first = min(first, f.At)
		}
	}
	return !h.wellAt(server, first)
}

// wellAt reports whether the last operation on the server that ended before a time was
// answered or, where none ended before it, whether any ever was.
func (h *healing) wellAt(server string, at history.Instant) bool {
	var last *history.Op
	ever := false
	for _, op := range h.arm.ops {
		if op.Server != server {
			continue
		}
		ever = ever || h.answered(op)
		if op.End < at && (last == nil || op.End >= last.End) {
			last = op
		}
	}
	if last == nil {
		return ever
	}
	return h.answered(last)
}
