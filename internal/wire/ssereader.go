package wire

import (
	"errors"
	"io"
	"time"
)

// ErrEventTooLong says that one server-sent event was over the limit. The
// reader can go on after it.
var ErrEventTooLong = errors.New("wire: server-sent event over the limit")

// SSEReader reads server-sent events from a stream as they come. It belongs to
// one goroutine.
type SSEReader struct {
	from io.Reader
	dec  *SSEDecoder
	buf  []byte
	rest []byte // read and not yet decoded
	err  error  // what the stream ended with
}

// NewSSEReader reads from a response's body. The limit bounds one event, in
// bytes; zero means DefaultSSELimit. The reader does not close the body.
func NewSSEReader(from io.Reader, limit int) *SSEReader {
	return &SSEReader{from: from, dec: NewSSEDecoder(limit), buf: make([]byte, 4<<10)}
}

// LastEventID is the id that a client would resume from.
func (r *SSEReader) LastEventID() string { return r.dec.LastEventID() }

// Retry is the reconnection time that the stream has asked for; zero if none.
func (r *SSEReader) Retry() time.Duration { return r.dec.Retry() }

// Next waits for the next event. At the end of the stream it returns io.EOF, or
// io.ErrUnexpectedEOF if that is within an event; any other error is the
// stream's own, except ErrEventTooLong.
func (r *SSEReader) Next() (SSEEvent, error) {
	for {
		n, event, ok := r.dec.Next(r.rest)
		r.rest = r.rest[n:]
		if ok && event.TooLong {
			return event, ErrEventTooLong
		}
		if ok {
			return event, nil
		}
		if r.err != nil {
			return SSEEvent{}, r.ending()
		}
		n, r.err = r.from.Read(r.buf)
		r.rest = r.buf[:n]
	}
}

// ending is what the caller is told about the end of the stream.
func (r *SSEReader) ending() error {
	if r.err == io.EOF && r.dec.Pending() {
		return io.ErrUnexpectedEOF
	}
	return r.err
}
