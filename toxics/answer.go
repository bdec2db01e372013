package toxics

import (
	"encoding/json"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// answer reads one HTTP answer as it passes and notices its result: the whole
// message of a plain answer, or the event of a stream that carries the JSON-RPC
// response.
type answer struct {
	id   json.RawMessage // of the request; empty takes any response
	keep bool            // keep the body, to say what kind of result it is

	status int
	sse    *wire.SSEDecoder // nil unless the answer is an event stream
	body   gather
	found  *wire.Message // the response, in an event stream
	seen   bool          // the result has been seen whole
	whole  bool          // the answer has ended in order
}

// frame takes note of the next frame.
func (a *answer) frame(f wire.Frame) {
	switch f.Kind {
	case wire.FrameHead:
		a.head(f.Head)
	case wire.FrameBody:
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
		m, err := wire.ParseMessage(event.Data)
		if err == nil && m.IsResponse() && (len(a.id) == 0 || m.Answers(a.id)) {
			a.found, a.seen = m, true
		}
	}
}

// result says what kind of answer it was, as far as it has come.
func (a *answer) result() history.ResultSeen {
	m := a.found
	if m == nil && a.whole && a.sse == nil {
		m, _ = wire.ParseMessage(a.body.bytes)
	}
	switch {
	case m != nil && m.IsResponse():
		return resultKind(m)
	case a.whole:
		return history.ResultAccepted
	}
	return history.ResultNone
}

// resultKind tells a result from a tool's error and from a protocol error.
func resultKind(m *wire.Message) history.ResultSeen {
	if m.Error != nil {
		return history.ResultRPCError
	}
	var flag struct {
		IsError bool `json:"isError"`
	}
	if json.Unmarshal(m.Result, &flag) == nil && flag.IsError {
		return history.ResultToolError
	}
	return history.ResultOK
}
