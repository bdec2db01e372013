package proxy

import (
	"errors"
	"io"
	"net"
	"os"

	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// leg is one socket of a pair, as toxiproxy's links see it. It never returns an
// error to a link but io.EOF: a link that fails half way leaves its goroutines
// behind. What can no longer be written is dropped instead, and the pair sees to
// it that reading ends.
type leg struct {
	pair  *pair
	other *leg
	sock  *net.TCPConn

	// Guarded by the pair's mutex.
	written int64 // bytes that the kernel has taken
	failed  bool  // a write failed: the rest is dropped
	void    bool  // held: what comes for it is dropped, and it stays open
	left    bool  // reading has ended: the peer sends no more
	broke   bool  // and it did not end in order
	done    bool  // the link that writes here has ended
}

func (l *leg) count() int64 {
	l.pair.mu.Lock()
	defer l.pair.mu.Unlock()
	return l.written
}

// Read implements io.Reader. What comes after a cut is read and dropped: the
// connection is over, for the witness as for the peers.
func (l *leg) Read(b []byte) (int, error) {
	for {
		asked := l.pair.clock.Now()
		n, err := l.sock.Read(b)
		switch {
		case err == nil && !l.came(b[:n], asked, n < len(b)):
			return n, nil
		case err != nil && !l.ticked(err):
			l.readEnded(err)
			return 0, io.EOF
		}
	}
}

// readEnded takes note of how reading ended.
func (l *leg) readEnded(err error) {
	l.pair.mu.Lock()
	defer l.pair.mu.Unlock()
	if l.pair.shot() {
		return // we ended it ourselves
	}
	l.left = true
	l.broke = !errors.Is(err, io.EOF)
	if l == &l.pair.server {
		l.pair.watch.seen.Ended = !errors.Is(err, os.ErrDeadlineExceeded)
	}
	l.pair.turn.Broadcast()
}

// Write implements io.Writer. It reports everything as written.
func (l *leg) Write(b []byte) (int, error) {
	err := l.send(b)
	if err == nil {
		return len(b), nil
	}
	p := l.pair
	p.mu.Lock()
	defer p.mu.Unlock()
	l.failed = true
	if l == &p.client && !p.cut && !p.shot() && !p.server.void && !p.watches() {
		p.abort() // the server must not go on sending to nobody
	}
	p.turn.Broadcast()
	return len(b), nil
}

// mute reports whether bytes for this leg are dropped. The caller holds the
// pair's mutex.
func (l *leg) mute() bool { return l.failed || l.void || l.pair.cut || l.pair.shot() }

// took counts bytes that the kernel has taken. The caller holds the pair's mutex.
func (l *leg) took(n int) {
	l.written += int64(n)
	l.pair.turn.Broadcast()
}

// Close says that the link that writes here has ended. The peer is told what the
// other peer told us: that no more will come, or that the connection broke. A leg
// that is held is told nothing, and its link ends with the hold. When both links
// have ended, so has the pair.
func (l *leg) Close() error {
	p := l.pair
	p.mu.Lock()
	l.awaitRelease()
	l.done = true
	if l == &p.client && !p.watch.told.IsZero() {
		p.watch.refused = refused(l.sock)
	}
	switch {
	case l.other.done:
		p.close()
	case p.cut, p.shot():
	case l.other.broke:
		p.abort()
	default:
		if l == &p.server {
			p.tell(plan.FIN)
		}
		_ = l.sock.CloseWrite() // the peer may have closed it already
		if l.other.failed {
			_ = l.sock.SetReadDeadline(p.clock.Now().Add(lingering))
		}
	}
	ended := l.other.done
	p.turn.Broadcast()
	p.mu.Unlock()
	if ended {
		p.ended()
	}
	return nil
}

// WriteTo implements io.WriterTo, so that a link reads with our buffer. It is
// small while the connection moves small messages, and never over MaxChunk.
func (l *leg) WriteTo(w io.Writer) (int64, error) {
	const small = 4 << 10
	return pump(w, l, make([]byte, small))
}

// ReadFrom implements io.ReaderFrom, so that a link writes with our buffer.
func (l *leg) ReadFrom(r io.Reader) (int64, error) {
	return pump(l, r, make([]byte, toxics.MaxChunk))
}

// pump copies until the reader ends. A full buffer makes way for the largest.
func pump(w io.Writer, r io.Reader, buf []byte) (total int64, err error) {
	for {
		n, err := r.Read(buf)
		if n > 0 {
			m, werr := w.Write(buf[:n])
			total += int64(m)
			if werr != nil {
				return total, werr
			}
		}
		switch {
		case err == io.EOF:
			return total, nil
		case err != nil:
			return total, err
		case n == len(buf) && n < toxics.MaxChunk:
			buf = make([]byte, toxics.MaxChunk)
		}
	}
}
