package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"mcpstorm/history"
)

// Flaws are faults of clients that people have shipped, beside what a policy means to
// do. The zero value has none. Each is an exhibit of mcpstorm museum.
type Flaws struct {
	// Wedges waits for ever for an answer that came and cannot be read: a body that
	// ends early, no JSON, another id (MCP Python SDK 1.28.1; FM-26).
	Wedges bool
	// HangsOnClose does not bound the closing of a session, and keeps the result back
	// until it is closed (every release of verifiers; FM-10, FM-17).
	HangsOnClose bool
	// Flattens hands a tool's error on as a result like any other (verifiers before
	// pull request 2138; FM-23).
	Flattens bool
	// CancelsOwner lets the failure of a transport cancel the loop that would have
	// tried again (verifiers 0.2.1 to 0.3.0; FM-16).
	CancelsOwner bool
	// Reparses asks once more for a turn whose answer came and is no JSON (verifiers
	// pull request 2062 at dc1a15bc6; FM-08).
	Reparses bool
	// ListsOnce never tries a list again, whatever the policy does with calls.
	ListsOnce bool
	// LateInitialized does not wait for the initialized notification, and notices its
	// failure only when the call fails with it.
	LateInitialized bool
	// IgnoresVeto lets its rollout be run again after a mutation of unknown delivery (FM-20).
	IgnoresVeto bool
	// RetriesCancelled takes a cancel by the caller for one more failure (FM-18).
	RetriesCancelled bool
}

// OnPythonSDK is the policy as it is when the MCP Python SDK 1.28.1 is under it: all
// clients of verifiers up to main were measured so. The presets without it are those
// policies on a transport that ends by itself, so that what they decide can be seen.
func (p Policy) OnPythonSDK() Policy {
	p.Flaws.Wedges, p.Flaws.HangsOnClose, p.Flaws.Flattens = true, true, true
	return p
}

// patience is how long an observer waits for one attempt that never ends, of which
// the client's own deadline is not aware.
func (p Policy) patience() time.Duration { return 2 * (p.Deadline + p.Grace) }

// flawed is the verdict on an exchange as a client with flaws sees it.
func (c *Client) flawed(q request, r *reply, v verdict) verdict {
	f := c.options.Policy.Flaws
	switch {
	case v.cause == nil:
	case f.Wedges && r.status == http.StatusOK && q.id != nil && r.message == nil:
		return verdict{told: history.ToldNone, cause: v.cause}
	case f.CancelsOwner && q.id != nil && v.cause.Class != classRPC && r.status != http.StatusNotFound:
		v.cause = &history.Cause{Class: classCancelled, Text: "CancelledError: " + v.cause.Text, Status: v.cause.Status}
	}
	return v
}

// stuck is an attempt that never ends: an observer gives it up in the end, and the
// caller is told nothing.
func (c *Client) stuck(ctx context.Context, begun int64, result Result) Result {
	p := c.options.Policy
	p.Deadline = DeadlineOf(ctx, p.Deadline)
	waiting := ctx
	if Cancelled(ctx) { // which does not end it either
		waiting = context.WithoutCancel(ctx)
	}
	waited := time.Duration(c.options.Base.Nanos() - begun)
	if c.options.Clock.Sleep(waiting, p.patience()-waited) != nil {
		return result.interrupted()
	}
	result.Told, result.Tool, result.Answers, result.Knowable = history.ToldNone, nil, nil, false
	return result
}

// reparse is what comes of a turn whose text is no JSON where parsing stands within
// the loop that tries again.
func (f Flaws) reparse(class history.ReplayClass, r attemptResult) attemptResult {
	if !f.Reparses || class != history.Keyed || r.tool == nil || json.Valid([]byte(r.tool.Text())) {
		return r
	}
	r.verdict = verdict{told: history.ToldUnknown, cause: badAnswer(http.StatusOK, "the text of the answer is no JSON")}
	return r
}

// flatten is a result of which nobody can tell any more that the tool failed.
func (f Flaws) flatten(r Result) Result {
	if f.Flattens && r.Told == history.ToldToolError && r.Tool != nil {
		plain := *r.Tool
		plain.IsError = false
		r.Told, r.Tool, r.Cause = history.ToldOK, &plain, nil
	}
	return r
}
