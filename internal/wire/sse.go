package wire

import (
	"bytes"
	"strconv"
	"time"
)

// DefaultSSELimit bounds one server-sent event, in bytes.
const DefaultSSELimit = 8 << 20

// SSEEvent is one server-sent event. It belongs to the caller.
type SSEEvent struct {
	ID   string // the last event id that the stream has named so far
	Type string // "message" unless the event names another
	Data []byte // its data lines joined by line feeds; empty for a bare "data:"
	// TooLong is true when the event was over the limit; Data is then nil.
	TooLong bool
}

// SSEDecoder reads a text/event-stream by the rules of the HTML standard
// (section 9.2.6), fed in pieces of any size. It accepts LF, CRLF and CR. It
// belongs to one stream and is not safe for concurrent use.
type SSEDecoder struct {
	limit   int
	line    []byte
	long    bool // the line under way was over the limit
	skipLF  bool // a CR ended the last line; a LF here belongs to it
	started bool // a line has been read, so that no byte order mark can follow

	id      string // the last that was read, maybe of the event under way
	lastID  string // that of the last event that ended
	retry   time.Duration
	kind    string
	data    []byte
	hasData bool
	tooLong bool
	partial bool // some field of an event has been read
}

// NewSSEDecoder returns a decoder that holds at most about limit bytes of one
// event; zero means DefaultSSELimit.
func NewSSEDecoder(limit int) *SSEDecoder {
	if limit <= 0 {
		limit = DefaultSSELimit
	}
	return &SSEDecoder{limit: limit}
}

// LastEventID is the id that a client would resume from: an event that the stream
// ends within has not come, and its id does not count.
func (d *SSEDecoder) LastEventID() string { return d.lastID }

// Retry is the reconnection time that the stream has asked for; zero if none.
func (d *SSEDecoder) Retry() time.Duration { return d.retry }

// Pending reports whether the stream so far ends within an event, which is lost
// if nothing more comes.
func (d *SSEDecoder) Pending() bool { return d.partial || len(d.line) > 0 || d.long }

// Next reads on in p. It uses n bytes and reports an event if those bytes
// complete one; call it with the rest of p until ok is false, and n is then
// len(p).
func (d *SSEDecoder) Next(p []byte) (n int, event SSEEvent, ok bool) {
	for n < len(p) {
		if d.skipLF {
			d.skipLF = false
			if p[n] == '\n' {
				n++
				continue
			}
		}
		end := bytes.IndexAny(p[n:], "\r\n")
		if end < 0 {
			d.extend(p[n:])
			return len(p), SSEEvent{}, false
		}
		d.extend(p[n : n+end])
		n += end + 1
		d.skipLF = p[n-1] == '\r'
		if event, ok := d.endLine(); ok {
			return n, event, true
		}
	}
	return n, SSEEvent{}, false
}

// extend appends to the line under way, up to the limit. The first byte is
// always kept, because it tells a comment.
func (d *SSEDecoder) extend(p []byte) {
	least := 0
	if len(d.line) == 0 {
		least = 1
	}
	room := max(d.limit-len(d.line)-len(d.data), least)
	if len(p) > room {
		p, d.long = p[:room], true
	}
	d.line = append(d.line, p...)
}

// endLine acts on a complete line; an empty one dispatches the event.
func (d *SSEDecoder) endLine() (SSEEvent, bool) {
	line, long := d.line, d.long
	d.line, d.long = d.line[:0], false
	if !d.started {
		d.started = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	switch {
	case len(line) == 0 && !long:
		return d.dispatch()
	case len(line) > 0 && line[0] == ':':
	case long:
		d.tooLong, d.partial = true, true
	default:
		d.partial = true
		name, value, _ := bytes.Cut(line, []byte(":"))
		d.field(string(name), bytes.TrimPrefix(value, []byte(" ")))
	}
	return SSEEvent{}, false
}

// field acts on one field of the event under way.
func (d *SSEDecoder) field(name string, value []byte) {
	switch name {
	case "data":
		if d.hasData {
			d.data = append(d.data, '\n')
		}
		d.data, d.hasData = append(d.data, value...), true
	case "event":
		d.kind = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			d.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			d.retry = time.Duration(ms) * time.Millisecond
		}
	}
}

// dispatch ends the event under way. An event without data is none.
func (d *SSEDecoder) dispatch() (SSEEvent, bool) {
	d.lastID = d.id
	event := SSEEvent{ID: d.lastID, Type: d.kind, Data: d.data, TooLong: d.tooLong}
	ok := d.hasData || d.tooLong
	if event.Type == "" {
		event.Type = "message"
	}
	if event.TooLong {
		event.Data = nil
	}
	d.kind, d.data, d.hasData, d.tooLong, d.partial = "", nil, false, false, false
	return event, ok
}
