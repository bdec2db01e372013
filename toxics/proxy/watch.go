package proxy

import (
	"bytes"
	"errors"
	"os"
	"time"

	"mcpstorm/history"
)

// Where a disconnect is a cancel, the server's leg is read for a while after the FIN, to
// see whether the server goes on sending. At each tick it is seen whether all that had
// come by then was read.
const (
	watching = 3 * time.Second
	tick     = 100 * time.Millisecond
)

// watch is what is seen of the server after it has been told that the client is gone. The
// pair's mutex guards it.
type watch struct {
	told  time.Time // when; zero before
	until time.Time // how long the leg is kept for it; zero when it is not
	// drained is the latest moment known at which all that had come was read: what is
	// read after it came after it.
	drained time.Time
	seen    history.Left // what has come since, and whether the server has ended its side
	tail    []byte       // the end of what came last, in which a message may begin
	refused bool         // the client's socket has refused what was written to it
}

// tell notes that the server is told now that its client is gone. The caller holds the
// mutex, and sends the FIN or the RST.
func (p *pair) tell(manner string) {
	if !p.watch.told.IsZero() || p.server.left || p.conn == nil {
		return
	}
	now := p.clock.Now()
	p.watch.told = now
	if p.conn.Leave(manner) {
		p.watch.until = now.Add(watching)
		_ = p.server.sock.SetReadDeadline(now.Add(tick)) // fails only on a closed socket
	}
}

// watches reports whether the server's leg is kept to see what still comes. The caller
// holds the mutex.
func (p *pair) watches() bool { return !p.watch.until.IsZero() }

// After implements toxics.Legs.
func (p *pair) After() history.Left {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.watch.seen
	left.Gone = p.cut || p.client.void || p.client.failed || p.watch.refused
	left.Watched = p.watch.watched()
	return left
}

// watched is how long everything that came has been read since the server was told, in
// nanoseconds.
func (w *watch) watched() int64 { return int64(max(w.drained.Sub(w.told), 0)) }

// came takes note of bytes that were read of a leg. They were asked for at some moment, and all
// says that nothing was left in the socket. It reports whether they are dropped: after a
// cut the connection is over, for the witness as for the peers.
func (l *leg) came(data []byte, asked time.Time, all bool) (dropped bool) {
	p := l.pair
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := &p.watch; l == &p.server && !w.told.IsZero() {
		w.seen.Bytes += int64(len(data))
		w.seen.Last = w.watched()
		if w.speaks(data) {
			w.seen.Message = w.seen.Last
		}
		if all {
			w.drained = asked
		}
	}
	return p.cut
}

// speaks reports whether a JSON-RPC message begins in what came. HTTP may have to end an
// answer that says nothing, and a stream be kept alive by comments.
func (w *watch) speaks(data []byte) bool {
	mark := []byte(`"jsonrpc"`)
	text := append(w.tail, data...)
	w.tail = bytes.Clone(text[max(len(text)-len(mark)+1, 0):])
	return bytes.Contains(text, mark)
}

// ticked reports whether reading goes on after an error, which was then a tick of the
// watch. When the watch is over, a server that nobody reads is let go.
func (l *leg) ticked(err error) bool {
	p := l.pair
	p.mu.Lock()
	defer p.mu.Unlock()
	if l != &p.server || !p.watches() || p.shot() || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	now := p.clock.Now()
	if drained(l.sock) {
		p.watch.drained = now
	}
	if now.Before(p.watch.until) {
		_ = l.sock.SetReadDeadline(now.Add(tick))
		return true
	}
	p.watch.until = time.Time{}
	switch {
	case p.cut:
		return false
	case p.client.failed && !p.held:
		p.abort()
		return false
	}
	_ = l.sock.SetReadDeadline(time.Time{})
	return true
}
