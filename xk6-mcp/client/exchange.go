package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// maxAnswer bounds the bytes of one answer that the client reads.
const maxAnswer = 16 << 20

// errTooLarge is an answer beyond our own limit, which is not the server's loss.
var errTooLarge = fmt.Errorf("client: the answer is larger than %d bytes, which is our own limit", maxAnswer)

// readAll reads a body up to the limit.
func readAll(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		return nil, errTooLarge
	}
	return data, err
}

// sessionHeader carries the session id of the 2025-11-25 era.
const sessionHeader = "Mcp-Session-Id"

// request is one HTTP exchange to be made.
type request struct {
	role    history.ExchangeRole
	method  string // HTTP method
	rpc     string // JSON-RPC method, and the name that it is about: see rpc
	name    string
	tool    string // of a tool call
	body    []byte
	id      json.RawMessage // the JSON-RPC id whose answer is wanted; nil for a notification
	session string
	// lastEvent asks for the rest of a stream, from the event with this id on.
	lastEvent string
}

// toolOf is the tool that a request calls, or nothing.
func toolOf(method string, params json.RawMessage) string {
	if method != "tools/call" {
		return ""
	}
	call, _ := wire.ParseToolCall(params) // what cannot be read names none
	return call.Name
}

// reply is what one exchange came to.
type reply struct {
	traced
	status  int
	session string        // a session id that the server issued
	message *wire.Message // the whole answer, when one came
	flaw    string        // why a whole answer cannot be read, when that is known
	err     error         // the transport's error, when none did
	// lastEvent is the id of the last event of a stream, and retry how long the
	// server asked to wait before the rest is fetched.
	lastEvent string
	retry     time.Duration
}

// exchange makes one HTTP exchange of an attempt and records it.
func (c *Client) exchange(ctx context.Context, a *attempt, q request) (reply, verdict) {
	return c.record(ctx, a, q, func(ctx context.Context) reply { return c.roundTrip(ctx, a.ref, q) })
}

// record watches an exchange being made, judges it, and records it.
func (c *Client) record(ctx context.Context, a *attempt, q request, do func(context.Context) reply) (reply, verdict) {
	before := c.tracer.mark()
	start := c.options.Base.Nanos()
	r := do(c.opens(ctx, a, q))
	r.traced = c.tracer.since(before)
	v := c.flawed(q, &r, c.judge(ctx, q, &r))
	a.exchanges++
	record := history.Attempt{
		Op: a.ref.Op(), Rollout: a.ref.Rollout(), Attempt: a.ref.Attempt, Exchange: a.exchanges,
		Role: q.role, Tool: q.tool, Server: c.options.Server, Era: c.options.Era, Told: v.told, Trace: r.trace,
		ConnNew: r.connNew, Written: r.written, Read: r.read, Status: r.status, Cause: v.cause,
		Start: history.Instant(start), End: history.Instant(c.options.Base.Nanos()),
	}
	c.options.Recorder.Attempt(record)
	return r, v
}

func (c *Client) roundTrip(ctx context.Context, ref wire.OpRef, q request) reply {
	response, err := c.tracer.transport.RoundTrip(c.newRequest(ctx, ref, q))
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	r := reply{status: response.StatusCode, session: response.Header.Get(sessionHeader)}
	r.take(response, q.id)
	return r
}

// newRequest builds the HTTP request. net/http has no way to send it a second time
// by itself.
func (c *Client) newRequest(ctx context.Context, ref wire.OpRef, q request) *http.Request {
	r := c.blank.WithContext(ctx)
	r.Method, r.Header = q.method, c.header(ref, q)
	if q.body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(q.body)), int64(len(q.body))
	}
	onlyOnce(r)
	return r
}

// Values of header fields that never change. Requests share them.
var (
	acceptedTypes = []string{"application/json, text/event-stream"}
	jsonType      = []string{"application/json"}
	streamType    = []string{"text/event-stream"}
	spokenEras    = map[string][]string{wire.EraSessions: {wire.EraSessions}, wire.EraStateless: {wire.EraStateless}}
)

// header is the header of a request. Its names are in canonical form, and its
// values are shared with other requests: they may be replaced and not changed.
func (c *Client) header(ref wire.OpRef, q request) http.Header {
	const own = 7
	h := make(http.Header, len(c.options.Header)+own)
	maps.Copy(h, c.options.Header)
	h[wire.OpHeader] = []string{ref.String()}
	h["Accept"] = acceptedTypes
	if q.method == http.MethodGet {
		h["Accept"] = streamType
	}
	if q.body != nil {
		h["Content-Type"] = jsonType
	}
	if q.role != history.RoleInitialize {
		h["Mcp-Protocol-Version"] = spokenEras[c.options.Era]
	}
	if q.session != "" {
		h[sessionHeader] = []string{q.session}
	}
	if q.lastEvent != "" {
		h["Last-Event-Id"] = []string{q.lastEvent}
	}
	if c.stateless() {
		standAlone(h, q)
	}
	return h
}

// take reads the whole answer to the request with this id. A body that ends
// early is an error even when the status was fine; a whole body without the
// answer gives no message and no error. Nor does one in a content coding, none of
// which the client reads (RFC 9110 section 8.4), or JSON that is not UTF-8 (RFC 8259
// section 8.1): of an event stream, the invalid bytes count as U+FFFD (HTML, event
// stream interpretation).
func (r *reply) take(response *http.Response, id json.RawMessage) {
	kind := mediaType(response.Header.Get("Content-Type"))
	if coding := response.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		r.flaw = fmt.Sprintf("an answer in the content coding %.40q", coding)
		_, r.err = readAll(response.Body)
		return
	}
	if kind == streamType[0] && id != nil {
		r.readStream(response.Body, id)
		return
	}
	var data []byte
	if data, r.err = readAll(response.Body); r.err != nil || id == nil || kind != jsonType[0] {
		return
	}
	if !utf8.Valid(data) {
		r.flaw = "an answer that is not UTF-8"
		return
	}
	if message, err := wire.ParseMessage(data); err == nil && message.Answers(id) {
		r.message = message
	}
}

// mediaType is a content type without its parameters. Nearly every answer has
// the one that needs no parser, which would take it apart and copy it.
func mediaType(contentType string) string {
	if contentType == jsonType[0] {
		return contentType
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind
}

// readStream reads events until the one that carries the answer. What the
// stream holds after it changes nothing.
func (r *reply) readStream(body io.Reader, id json.RawMessage) {
	events := wire.NewSSEReader(body, maxAnswer)
	for {
		event, err := events.Next()
		r.lastEvent, r.retry = events.LastEventID(), events.Retry()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.err = err
			return
		}
		if message, err := wire.ParseMessage(event.Data); err == nil && message.Answers(id) {
			r.message = message
			return
		}
	}
}

// verdict is what one exchange alone tells the caller.
type verdict struct {
	told  history.Told
	cause *history.Cause
	// refused is true when the closed list of definite refusals has this answer,
	// whatever the policy makes of it.
	refused bool
}

// judge decides what an exchange tells, from what the trace saw and from the
// closed list of definite refusals (design: "Words"), and from nothing else.
func (c *Client) judge(ctx context.Context, q request, r *reply) verdict {
	switch {
	case r.status == 0 && r.unsent():
		return verdict{history.ToldNotExecuted, c.redact(transportCause(c.ended(ctx, r.err), r.trace)), true}
	case r.err != nil:
		return verdict{history.ToldUnknown, c.redact(transportCause(c.ended(ctx, r.err), r.trace)), false}
	case r.status < 200 || r.status > 299:
		if c.refusedError(r.message) { // whose status is the era's own choice
			return verdict{c.toldRefused(true), c.redact(rpcCause(r)), true}
		}
		refused := refusedStatus(r.status, q.session != "")
		return verdict{c.toldRefused(refused), c.redact(statusCause(r)), refused}
	case q.id == nil:
		return verdict{told: history.ToldOK}
	case r.message == nil && r.flaw != "":
		return verdict{history.ToldUnknown, badAnswer(r.status, "%s", r.flaw), false}
	case r.message == nil:
		return verdict{history.ToldUnknown, badAnswer(r.status, "a whole answer without the result of request %s", q.id), false}
	case r.message.Error != nil:
		r.trace = traceAnswered
		refused := c.refusedError(r.message)
		return verdict{c.toldRefused(refused), c.redact(rpcCause(r)), refused}
	}
	r.trace = traceAnswered
	return verdict{told: history.ToldOK}
}

// toldRefused is what a definite refusal tells under the policy's reading.
func (c *Client) toldRefused(refused bool) history.Told {
	if refused && c.options.Policy.Refusals == RefusalsListed {
		return history.ToldNotExecuted
	}
	return history.ToldUnknown
}

// ended prefers the reason that the context ended for over the transport's
// own words for the same thing.
func (c *Client) ended(ctx context.Context, err error) error {
	if Cancelled(ctx) {
		return context.Canceled
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func rpcCause(r *reply) *history.Cause {
	e := r.message.Error
	return &history.Cause{
		Class: classRPC, Text: "JSON-RPC " + strconv.Itoa(e.Code) + ": " + e.Message,
		Status: r.status, Code: e.Code,
	}
}
