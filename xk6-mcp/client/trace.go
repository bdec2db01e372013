package client

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// How far an exchange got, as history.Attempt.Trace has it. It is read off our
// own connection wrapper: net/http's trace hooks report a request as written
// before its bytes reach the socket.
const (
	traceDialFailed = "dial_failed"
	traceNoByte     = "no_byte_written"
	traceWrote      = "wrote"
	traceFirstByte  = "first_byte"
	traceAnswered   = "answered"
)

// tracer owns the transport of one client and counts what really passed its
// sockets. A client runs one exchange at a time, and its transport holds one
// connection at a time, so what the latest connection counts between two moments
// belongs to the exchange between them. What an earlier one still counts, while an
// abandoned exchange ends on it, belongs to no exchange any more.
type tracer struct {
	transport   *http.Transport
	dialTimeout time.Duration
	refuse      Refuse // nil lets every dial go on

	mu     sync.Mutex
	dials  int
	failed bool         // the last dial failed
	latest *countedConn // the connection that was opened last; nil before the first
}

func newTracer(dialTimeout time.Duration, refuse Refuse) *tracer {
	t := &tracer{dialTimeout: dialTimeout, refuse: refuse}
	t.transport = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := t.dial(ctx, network, address)
			if err != nil {
				t.dialled(nil)
				return nil, err
			}
			counted := &countedConn{Conn: conn}
			t.dialled(counted)
			return counted, nil
		},
		MaxConnsPerHost:     1,
		MaxIdleConnsPerHost: 1,
		DisableCompression:  true,
		ForceAttemptHTTP2:   false,
		Proxy:               nil,
		WriteBufferSize:     4 << 10,
		ReadBufferSize:      4 << 10,
	}
	return t
}

// dialled takes note of a dial: of the connection that it opened, or nil when it
// failed.
func (t *tracer) dialled(opened *countedConn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dials++
	if t.failed = opened == nil; !t.failed {
		t.latest = opened
	}
}

// mark is a reading of the counters.
type mark struct {
	dials         int
	failed        bool
	conn          *countedConn // whose counts these are
	written, read int64
}

func (t *tracer) mark() mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := mark{dials: t.dials, failed: t.failed, conn: t.latest}
	if t.latest != nil {
		m.written, m.read = t.latest.written.Load(), t.latest.read.Load()
	}
	return m
}

// since says what passed after an earlier reading and how far that got.
func (t *tracer) since(before mark) (seen traced) {
	now := t.mark()
	seen.connNew = now.dials > before.dials
	seen.written, seen.read = now.written, now.read
	if now.conn == before.conn {
		seen.written -= before.written
		seen.read -= before.read
	}
	switch {
	case seen.read > 0:
		seen.trace = traceFirstByte
	case seen.written > 0:
		seen.trace = traceWrote
	case seen.connNew && now.failed:
		seen.trace = traceDialFailed
	default:
		seen.trace = traceNoByte
	}
	return seen
}

// traced is what one exchange left on its connection.
type traced struct {
	trace         string
	connNew       bool
	written, read int64
}

// unsent reports whether no request byte was handed to the kernel.
func (t traced) unsent() bool { return t.written == 0 }

// countedConn counts the bytes that really passed one connection.
type countedConn struct {
	net.Conn
	written, read atomic.Int64
}

// Read implements net.Conn.
func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// Write implements net.Conn. It counts before it writes and takes back what was
// not written: the answer can be here before Write has returned, and a byte that
// was sent must never look unsent.
func (c *countedConn) Write(p []byte) (int, error) {
	c.written.Add(int64(len(p)))
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n - len(p)))
	return n, err
}
