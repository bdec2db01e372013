package toxics

import (
	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// unholdable is why a request cannot be held back, or nothing. One that waits for
// leave to send its body would wait for ever.
func (u *cutUp) unholdable(h *wire.Head) (why string) {
	switch {
	case u.isLost():
		return missedLost
	case h.Get("Expect") != "":
		return missedExpect
	case h.Length > MaxRequest:
		return missedTooLong
	}
	return ""
}

// release lets the request under way through. Where there is a reason to name, it
// is looked at as it passes: its mark, if it has one, is missed for that reason.
func (u *cutUp) release(why string, out *output) {
	u.begin(u.current)
	u.holding, u.excuse = false, why
	u.pass(u.held, out)
	u.held = nil
	u.glimpse(false)
}

// glimpse tries to tell the role of a request that passes from the beginning of
// its body, or all of it, and records its mark.
func (u *cutUp) glimpse(all bool) {
	if u.excuse == "" {
		return
	}
	begun := readBeginning(u.body.bytes)
	rpc := begun.method
	if rpc == "" && !all && len(u.body.bytes) < maxGlimpse {
		return // more may tell
	}
	x, why := u.current, u.excuse
	u.excuse, u.body, x.tool = "", gather{}, begun.tool
	u.understood(x, exchangeRole(x.method, rpc, x.ref.Step), x.upEnd)
	if mark := u.mark(x); mark != nil {
		u.record(x, *mark, history.FaultMissed, why)
	}
}
