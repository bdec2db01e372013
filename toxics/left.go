package toxics

import (
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// Aftermath is what came from the server of a connection after it had been told that
// its client is gone. All times count from that moment and are lower bounds: however
// late this program is in reading a socket, no byte seems later than it was.
type Aftermath struct {
	// Gone says that certainly nobody takes what the server sends any more. After a FIN
	// alone a client may still read: it may only have said that it sends no more.
	Gone bool
	// Bytes is how many came, and Last how long after the FIN the last of them did.
	Bytes int64
	Last  time.Duration
	// Message is the same of the last JSON-RPC message that began in them, as far as they
	// can be read; zero where none did.
	Message time.Duration
	// Watched is how long everything that came has been read, and Ended says that
	// nothing can follow: the server has ended its side.
	Watched time.Duration
	Ended   bool
}

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
	if p.answer.whole && after.Bytes == 0 {
		return nil
	}
	if p == t.alone {
		left.Gone, left.Ended = after.Gone, after.Ended
		left.Bytes, left.Last = after.Bytes, int64(after.Last)
		left.Message, left.Watched = int64(after.Message), int64(after.Watched)
	}
	return &left
}

// inStatelessEra reports whether a request says that it is of an era in which a
// disconnect is a cancel (2026-07-28, streamable HTTP, Protocol Version Header).
func inStatelessEra(h *wire.Head) bool { return h.Get("Mcp-Protocol-Version") >= wire.EraStateless }
