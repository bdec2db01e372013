package client

import (
	"context"
	"errors"
	"net/http"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// maxResumes bounds how often the rest of one broken stream is asked for.
const maxResumes = 3

// resume asks for the rest of an answer whose stream broke after it had named an
// event, as the policy wants it: by GET, from that event on, and not before the
// time that the server asked for (2025-11-25, basic/transports, Resumability). The
// call is not sent again. What cannot be resumed keeps its verdict.
func (c *Client) resume(ctx context.Context, a *attempt, q request, r reply, v verdict) (reply, verdict) {
	if !c.options.Policy.Resume || c.stateless() {
		return r, v
	}
	last := r
	for n := 1; n <= maxResumes && last.message == nil && last.lastEvent != ""; n++ {
		if c.options.Clock.Sleep(ctx, max(last.retry, c.options.Policy.Backoff(n, c.options.Random))) != nil {
			break
		}
		rest, told := c.exchange(ctx, a, request{
			role: history.RoleGet, method: http.MethodGet, id: q.id, session: q.session, lastEvent: last.lastEvent,
		})
		if rest.message != nil {
			rest.written += r.written // the call itself did go out
			return rest, told
		}
		if rest.status == http.StatusOK && rest.lastEvent != "" {
			last = rest // it broke again, further on or not
		} else if rest.status != 0 {
			break // refused: there is no rest to be had
		}
	}
	return r, v
}

// cancel tells the server that its answer is no longer waited for, as the policy
// wants it (2025-11-25, basic/lifecycle, Timeouts). Nothing that happens here
// changes what the caller is told. In the stateless era closing the stream has told
// it already.
func (c *Client) cancel(ctx context.Context, a *attempt, q request, v verdict) {
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if !c.options.Policy.Cancels || c.stateless() || v.told == history.ToldOK || !late {
		return
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), c.options.Policy.Grace)
	defer end()
	c.exchange(ctx, a, request{
		role: history.RoleCancelled, method: http.MethodPost, session: q.session,
		body: []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(q.id) + `,"reason":"deadline"}}`),
	})
}

// inputRequired is the type of a result that asks for more before it is one.
const inputRequired = "input_required"

// unsupported is what a tool comes to that asks for input, which this client never
// gives: by the server's own word it has ended without its result, as a tool's
// error has (2026-07-28, basic/patterns/mrtr).
func unsupported(r reply) (verdict, *wire.ToolResult) {
	const text = "the tool asks for input (" + inputRequired + "), which this client does not give"
	cause := &history.Cause{Class: classUnsupported, Text: text, Status: r.status}
	result := &wire.ToolResult{IsError: true, Content: []wire.Content{{Type: "text", Text: text}}, ResultType: inputRequired}
	return verdict{told: history.ToldToolError, cause: cause}, result
}
