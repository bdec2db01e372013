package toxics

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// answer reads one HTTP answer as it passes and notices its result: the whole
// message of a plain answer, or the event of a stream that carries the JSON-RPC
// response.
type answer struct {
	method string          // of the request
	id     json.RawMessage // of the request; empty takes any response
	keep   bool            // keep the body, to say what kind of result it is

	status  int
	sized   bool             // its length is told
	chunked bool             // or its end is
	length  int              // of the body so far, without its transfer coding
	sse     *wire.SSEDecoder // nil unless the answer is an event stream
	body    gather
	found   *response // in an event stream
	seen    bool      // the result has been seen whole
	whole   bool      // the answer has ended in order
}

// frame takes note of the next frame.
func (a *answer) frame(f wire.Frame) {
	switch f.Kind {
	case wire.FrameHead:
		a.head(f.Head)
	case wire.FrameBody:
		a.length += len(f.Body)
		if a.sse != nil {
			a.events(f.Body)
		} else if a.keep {
			a.body.add(f.Body, MaxAnswer)
		}
	case wire.FrameEnd:
		a.whole = true
		a.seen = a.seen || a.sse == nil
	}
}

// head takes note of the final head.
func (a *answer) head(h *wire.Head) {
	if h.Informational() {
		return
	}
	a.status = h.Status
	a.sized, a.chunked = h.Length >= 0, h.Get("Transfer-Encoding") != ""
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") && h.Get("Content-Encoding") == "" {
		a.sse = wire.NewSSEDecoder(MaxAnswer)
	}
}

// events looks for the response in a stream.
func (a *answer) events(p []byte) {
	for !a.seen {
		n, event, ok := a.sse.Next(p)
		if !ok {
			return
		}
		p = p[n:]
		if r := readResponse(event.Data); r != nil && r.answers(a.id) {
			a.found, a.seen = r, true
		}
	}
}

// result says what kind of answer it was, as far as it has come.
func (a *answer) result() history.ResultSeen {
	r := a.found
	if r == nil && a.whole && a.sse == nil && !a.body.over {
		r = readResponse(a.body.bytes)
	}
	switch {
	case r != nil:
		return r.seen
	case !a.whole:
		return history.ResultNone
	case a.accepts():
		return history.ResultAccepted
	}
	return history.ResultOther
}

// accepts reports whether the status alone answers the request: a notification
// was taken, or what GET or DELETE asks for was done.
func (a *answer) accepts() bool {
	switch a.method {
	case "GET", "DELETE":
		return a.status/100 == 2
	}
	return a.status == 202
}

// response is what tells about a JSON-RPC response.
type response struct {
	id   json.RawMessage
	seen history.ResultSeen
}

// readResponse returns nil for what is no JSON-RPC response with an object for
// its result.
func readResponse(text []byte) *response {
	m, err := wire.ParseMessage(text)
	if err != nil || !m.IsResponse() {
		return nil
	}
	if m.Error != nil {
		return &response{m.ID, history.ResultRPCError}
	}
	isError, ok := wire.IsToolError(m.Result)
	switch {
	case !ok:
		return nil
	case isError:
		return &response{m.ID, history.ResultToolError}
	}
	return &response{m.ID, history.ResultOK}
}

// answers reports whether this is the response to a request; one whose id is not
// known is answered by any.
func (r *response) answers(id json.RawMessage) bool {
	return len(id) == 0 || bytes.Equal(bytes.TrimSpace(r.id), bytes.TrimSpace(id))
}
