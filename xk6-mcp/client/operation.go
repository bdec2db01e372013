package client

import (
	"context"
	"encoding/json"
	"net/http"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// attempt is one try at an operation while it runs.
type attempt struct {
	ref       wire.OpRef
	exchanges int
}

// attemptResult is what one attempt came to.
type attemptResult struct {
	verdict
	tool    *wire.ToolResult
	answers []json.RawMessage // of a Request, one a page
	// sent is true when the call itself, not only its session's set-up, was tried
	// and any byte of it left.
	sent bool
	// final is true when the client never makes another attempt after this one.
	final bool
}

// Connect opens a connection for the script. Under a persistent policy it opens
// the session; under a per-call policy there is nothing to do yet. In the stateless
// era it discovers what the server speaks.
func (c *Client) Connect(ctx context.Context, step string) Result {
	if c.stateless() {
		return c.run(ctx, step, history.Unsafe, c.discover, nil)
	}
	if c.options.Policy.Session == PerCall {
		return Result{Told: history.ToldOK}
	}
	return c.run(ctx, step, history.Unsafe, func(ctx context.Context, a *attempt) attemptResult {
		return attemptResult{verdict: neverSent(c.setUp(ctx, a, &c.session))}
	}, nil)
}

// CallTool calls a tool, as often as the policy lets it for this replay class.
func (c *Client) CallTool(ctx context.Context, step string, class history.ReplayClass, call wire.ToolCall) Result {
	w := &wanted{client: c, step: step, role: history.RoleCall, call: call, class: class, generation: 1}
	result := c.options.Policy.Flaws.flatten(c.run(ctx, step, class, w.try, w.learnFate))
	result.Diagnostics = c.diagnose("call_tool", class, result)
	if c.options.Policy.Mistake == AlwaysUnknown && result.Told == history.ToldOK {
		result.Told, result.Tool = history.ToldUnknown, nil
	}
	return result
}

// wanted is a tool call that may be tried more than once.
type wanted struct {
	client *Client
	step   string
	role   history.ExchangeRole
	call   wire.ToolCall
	class  history.ReplayClass
	// generation counts the operation ids that the call has gone out under: one
	// that was voided is never used again.
	generation int
	asked      int // attempts at asking for the fate so far
	offset     int // added to the number of every attempt
}

// try is one attempt at the call.
func (w *wanted) try(ctx context.Context, a *attempt) attemptResult {
	a.ref.Attempt += w.offset
	params, err := w.call.Params()
	if err != nil {
		return attemptResult{verdict: verdict{history.ToldNotExecuted, &history.Cause{Class: classOther, Text: err.Error()}, true}}
	}
	return w.client.options.Policy.Flaws.reparse(w.class, w.client.once(ctx, a, ask{w.role, "tools/call", params}, readToolResult))
}

// Close ends the connection. It closes a held session, within the policy's
// grace; a per-call policy has none.
func (c *Client) Close(ctx context.Context, step string) Result {
	defer c.Abandon()
	if c.session.id == "" {
		return Result{Told: history.ToldOK}
	}
	a := &attempt{ref: c.ref(step, 1)}
	v := c.tearDown(ctx, a, &c.session)
	return Result{Told: v.told, Cause: c.redact(v.cause), Attempts: 1, Knowable: v.refused}
}

// fate asks what became of an operation whose attempt may have run. It fills in
// the result and reports whether the operation is over, or may be sent again.
type fate func(ctx context.Context, result *Result) (over bool)

// run makes attempts at an operation until one ends it or the policy gives up.
func (c *Client) run(ctx context.Context, step string, class history.ReplayClass, try func(context.Context, *attempt) attemptResult, learn fate) Result {
	p := c.options.Policy
	p.Deadline = DeadlineOf(ctx, p.Deadline)
	result := Result{Knowable: true, Told: history.ToldNotExecuted}
	for n := 1; ; n++ {
		a, begun := &attempt{ref: c.ref(step, n)}, c.options.Base.Nanos()
		tryCtx, cancel := context.WithTimeout(ctx, p.Deadline)
		r := try(tryCtx, a)
		cancel()
		r.cause = c.redact(r.cause)
		result.fold(r, n)
		if r.told == history.ToldNone {
			return c.stuck(ctx, begun, result)
		}
		again := p.again(n, class, r)
		reissue := p.reissues(n, c.options.Era, r)
		if !reissue && learn != nil && ctx.Err() == nil && p.asks(class, r.told) {
			if learn(ctx, &result) {
				return result
			}
			again = n < p.Attempts
		}
		again = again || reissue
		if Cancelled(ctx) && p.Flaws.RetriesCancelled {
			ctx = context.WithoutCancel(ctx)
		}
		if ctx.Err() != nil {
			return result.ended(ctx)
		}
		if !again {
			return result
		}
		if !c.pause(ctx, n) {
			return result.ended(ctx)
		}
	}
}

// fold takes one more attempt into the operation's result. An attempt that may
// have run is not undone by a later one that certainly did not.
func (r *Result) fold(a attemptResult, n int) {
	maybeRan := r.Told == history.ToldUnknown
	r.Attempts, r.Cause, r.Tool, r.Answers = n, a.cause, a.tool, a.answers
	r.Knowable = r.Knowable && (a.refused || !a.sent)
	r.Sent = r.Sent || a.sent
	r.Told = a.told
	if maybeRan && a.told == history.ToldNotExecuted {
		r.Told = history.ToldUnknown
	}
}

// ended is an operation whose context has ended: one that its caller cancelled keeps
// what is known of it so far.
func (r Result) ended(ctx context.Context) Result {
	if Cancelled(ctx) {
		return r
	}
	return r.interrupted()
}

// interrupted marks an operation that was not over when its caller's time was,
// unless its answer had already come.
func (r Result) interrupted() Result {
	if r.Told == history.ToldOK || r.Told == history.ToldToolError {
		return r
	}
	r.Told, r.Interrupted, r.Knowable = history.ToldNone, true, false
	return r
}

// ask is one JSON-RPC request that an attempt makes in its session.
type ask struct {
	role   history.ExchangeRole
	method string
	params json.RawMessage
}

// once is one attempt at a request: the session that it needs, the request, and
// the closing of a session that is not kept. read says what its answer means.
func (c *Client) once(ctx context.Context, a *attempt, q ask, read func(reply, verdict) attemptResult) attemptResult {
	return c.inSession(ctx, a, func(s *session) attemptResult { return read(c.send(ctx, a, s, q)) })
}

// inSession does what an attempt is made for in the session that it needs: the
// held one, or one of its own that is closed afterwards.
func (c *Client) inSession(ctx context.Context, a *attempt, do func(*session) attemptResult) (result attemptResult) {
	s := &c.session
	if c.stateless() {
		return do(s) // which only counts the ids
	}
	if c.options.Policy.Session == PerCall {
		s = &session{}
		defer func() {
			v := c.tearDown(ctx, a, s)
			switch {
			case v.told == history.ToldNone:
				result.verdict, result.tool = v, nil
			case c.options.Policy.Mistake == TeardownMasks && v.told != history.ToldOK:
				result.verdict, result.tool = verdict{history.ToldUnknown, v.cause, false}, nil
			}
		}()
	}
	if !s.open {
		c.tearDown(ctx, a, s) // one that was opened half way is not left behind
		if v := c.setUp(ctx, a, s); v.told != history.ToldOK {
			return attemptResult{verdict: neverSent(v)}
		}
	}
	if s.broken != nil { // it takes the call itself for what failed
		return attemptResult{verdict: verdict{told: history.ToldUnknown, cause: s.broken}, sent: true}
	}
	return do(s)
}

// send makes one request in an open session, and does what the policy says about
// an answer that breaks or does not come.
func (c *Client) send(ctx context.Context, a *attempt, s *session, q ask) (reply, verdict) {
	wanted := c.post(s, q)
	r, v := c.exchange(ctx, a, wanted)
	r, v = c.resume(ctx, a, wanted, r, v)
	c.cancel(ctx, a, wanted, v)
	if r.status == http.StatusNotFound && s.id != "" {
		*s = session{} // the server has forgotten it: the next attempt opens another
	}
	return r, v
}

// neverSent turns the failure of a session's set-up into what it means for the
// operation: the call was never sent, so it did not run.
func neverSent(v verdict) verdict {
	if v.told != history.ToldOK && v.told != history.ToldNone {
		v.told, v.refused = history.ToldNotExecuted, true
	}
	return v
}

func readToolResult(r reply, v verdict) attemptResult {
	result := attemptResult{verdict: v, sent: !r.unsent()}
	if v.told != history.ToldOK {
		return result
	}
	tool, err := wire.ParseToolResult(r.message.Result)
	if err != nil {
		result.verdict = verdict{told: history.ToldUnknown, cause: badAnswer(r.status, "%v", err)}
		return result
	}
	if tool.ResultType == inputRequired {
		result.verdict, result.tool = unsupported(r)
		return result
	}
	result.tool = tool
	if tool.IsError {
		result.told = history.ToldToolError
		result.cause = &history.Cause{Class: classToolError, Text: tool.Text()}
	}
	return result
}
