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
// connection at a time, so the counts between two moments belong to the
// exchange between them.
type tracer struct {
	transport   *http.Transport
	dialTimeout time.Duration
	refuse      Refuse // nil lets every dial go on
	written     atomic.Int64
	read        atomic.Int64

	mu     sync.Mutex
	dials  int
	failed bool // the last dial failed
}

func newTracer(dialTimeout time.Duration, refuse Refuse) *tracer {
	t := &tracer{dialTimeout: dialTimeout, refuse: refuse}
	t.transport = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := t.dial(ctx, network, address)
			t.dialled(err)
			if err != nil {
				return nil, err
			}
			return &countedConn{Conn: conn, tracer: t}, nil
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

func (t *tracer) dialled(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dials++
	t.failed = err != nil
}

// mark is a reading of the counters.
type mark struct {
	dials         int
	failed        bool
	written, read int64
}

func (t *tracer) mark() mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return mark{t.dials, t.failed, t.written.Load(), t.read.Load()}
}

// since says what passed after an earlier reading and how far that got.
func (t *tracer) since(before mark) (seen traced) {
	now := t.mark()
	seen.connNew = now.dials > before.dials
	seen.written = now.written - before.written
	seen.read = now.read - before.read
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
	tracer *tracer
}

// Read implements net.Conn.
func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.tracer.read.Add(int64(n))
	return n, err
}

// Write implements net.Conn. It counts before it writes and takes back what was
// not written: the answer can be here before Write has returned, and a byte that
// was sent must never look unsent.
func (c *countedConn) Write(p []byte) (int, error) {
	c.tracer.written.Add(int64(len(p)))
	n, err := c.Conn.Write(p)
	c.tracer.written.Add(int64(n - len(p)))
	return n, err
}
