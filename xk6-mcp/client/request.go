package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// MaxPages bounds how many pages of one list are fetched: a server whose cursors
// never end would keep a client for ever.
const MaxPages = 1000

// Request is a JSON-RPC request that changes nothing at the server: a list, a
// resource, a prompt or a ping.
type Request struct {
	// Method is the JSON-RPC method, such as tools/list or resources/read.
	Method string
	// Params is a JSON object, or nil for none.
	Params json.RawMessage
	// Pages is the most pages of a list that are fetched, one after the other
	// through the server's cursors; zero means all. The pages of one attempt are
	// fetched in one session, because a cursor means nothing in another
	// (2025-11-25, server/utilities/pagination).
	Pages int
}

// Request makes a request, as often as the policy lets it for what is read-only.
func (c *Client) Request(ctx context.Context, step string, r Request) Result {
	result := c.run(ctx, step, history.ReadOnly, func(ctx context.Context, a *attempt) attemptResult {
		tried := c.inSession(ctx, a, func(s *session) attemptResult { return c.pages(ctx, a, s, r) })
		tried.final = c.options.Policy.Flaws.ListsOnce
		return tried
	}, nil)
	result.Diagnostics = c.diagnose("list_tools", history.ReadOnly, result)
	return result
}

// pages makes the request for one page after the other.
func (c *Client) pages(ctx context.Context, a *attempt, s *session, r Request) attemptResult {
	q := ask{history.ExchangeRole(wire.MethodRole(http.MethodPost, r.Method)), r.Method, r.Params}
	if q.params == nil {
		q.params = json.RawMessage("{}")
	}
	var answers []json.RawMessage
	for n := 1; ; n++ {
		reply, v := c.send(ctx, a, s, q)
		if v.told != history.ToldOK {
			return attemptResult{verdict: c.answered(reply, v), sent: n > 1 || !reply.unsent()}
		}
		answers = append(answers, bytes.Clone(reply.message.Result))
		cursor := NextCursor(reply.message.Result)
		switch {
		case cursor == "" || n == r.Pages:
			return attemptResult{verdict: v, sent: true, answers: answers}
		case n == MaxPages:
			cause := &history.Cause{Class: classOwnLimit, Text: fmt.Sprintf("%s has more than %d pages, which is our own limit", r.Method, MaxPages)}
			return attemptResult{verdict: verdict{history.ToldUnknown, cause, false}, sent: true}
		}
		q.params = withCursor(r.Params, cursor)
	}
}

// answered is what a failed exchange tells of a request that changes nothing: an
// error that the server answered is its own word, as a tool's error is, and no
// doubt is left. Where there are sessions, an error that comes with a status of
// failure may be about the session instead; where there are none, the errors of a
// request come with 400 and 404 (2026-07-28, basic/transports/streamable-http).
func (c *Client) answered(r reply, v verdict) verdict {
	own := r.status == http.StatusOK
	if c.stateless() {
		own = own || r.status == http.StatusBadRequest || r.status == http.StatusNotFound
	}
	if own && r.message != nil && r.message.Error != nil {
		v.told = history.ToldToolError
	}
	return v
}

// NextCursor is the cursor of the page after the one whose result this is; empty
// when it is the last, or no list at all.
func NextCursor(result json.RawMessage) string {
	var page struct {
		NextCursor string `json:"nextCursor"`
	}
	if json.Unmarshal(result, &page) != nil {
		return ""
	}
	return page.NextCursor
}

// withCursor is the params of the request for the page at a cursor. What else they
// hold stays as it was written.
func withCursor(params json.RawMessage, cursor string) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if len(params) > 0 && (json.Unmarshal(params, &fields) != nil || fields == nil) {
		return params
	}
	fields["cursor"], _ = json.Marshal(cursor) // a string always encodes
	out, err := json.Marshal(fields)
	if err != nil {
		return params
	}
	return out
}

// deadlineKey is where a context carries the deadline of one operation's attempts.
type deadlineKey struct{}

// WithDeadline returns a context under which every attempt at an operation is
// bounded by d in place of its policy's deadline. A d of zero or less changes
// nothing.
func WithDeadline(ctx context.Context, d time.Duration) context.Context {
	if d <= 0 {
		return ctx
	}
	return context.WithValue(ctx, deadlineKey{}, d)
}

// DeadlineOf is what bounds an attempt under ctx: what WithDeadline said, else the
// policy's deadline.
func DeadlineOf(ctx context.Context, policy time.Duration) time.Duration {
	if d, ok := ctx.Value(deadlineKey{}).(time.Duration); ok {
		return d
	}
	return policy
}
