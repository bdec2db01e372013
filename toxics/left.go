package toxics

import (
	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// Leave says that the server is told at this moment that its client is gone, by a FIN or
// an RST of ours. It reports whether what the server sends from now on is worth watching
// for a while: whether a single exchange is under way, of an era in which that cancels
// it. Only the first call counts. It may be called from any goroutine, and calls no Legs.
func (c *Conn) Leave(manner string) (watch bool) { return c.tap.leave(manner) }

// leave takes note of the exchanges that the client left. Where there are several, the
// bytes that follow cannot be told apart.
func (t *tapper) leave(manner string) (watch bool) {
	now := t.hub.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left || t.lost {
		return false
	}
	t.left = true
	for _, p := range t.open {
		p.record.Left = &history.Left{At: now, Manner: manner}
	}
	if manner != plan.FIN || len(t.open) != 1 {
		return false
	}
	t.alone = t.open[0]
	return t.alone.stateless
}

// aftermath completes what is recorded of an exchange that the client left. It is nil if
// the whole answer had come before: then nothing was cut short.
func (t *tapper) aftermath(p *passage, left history.Left) *history.Left {
	after := t.legs.After()
	switch {
	case p.answer.whole && after.Bytes == 0:
		return nil
	case p == t.alone:
		after.At, after.Manner = left.At, left.Manner
		return &after
	}
	return &left
}

// inStatelessEra reports whether a request says that it is of an era in which a
// disconnect is a cancel (2026-07-28, streamable HTTP, Protocol Version Header).
func inStatelessEra(h *wire.Head) bool { return h.Get("Mcp-Protocol-Version") >= wire.EraStateless }
