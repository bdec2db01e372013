package xk6mcp

import (
	"context"
	"sync/atomic"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// operation is one of the script's calls on a connection.
type operation struct {
	step, tool, key, nonce string
	kind                   history.Kind
	class                  history.ReplayClass
	method                 string            // the JSON-RPC method that it is about
	deadline               time.Duration     // bounds an attempt in place of the policy's; zero for none
	cancelAfter            time.Duration     // when the script cancels it; zero for never
	tags                   map[string]string // that the script gave its samples
	// prepare completes the operation when it has its number; nil for nothing to do.
	prepare func()
	// run makes the operation with a client of the connection.
	run func(context.Context, client.Caller) client.Result
}

// harmful reports whether a repeat of the operation could do harm.
func (o *operation) harmful() bool {
	return (o.kind == history.KindTool || o.kind == history.KindTurn) && !o.class.ReplaySafe()
}

// underWay is an operation while it runs.
type underWay struct {
	*operation
	lane   *lane
	start  int64
	result client.Result
	record history.Op // once it has ended
	// cancelled is when the script cancelled it, in nanoseconds since the base; zero
	// where it did not, or too late.
	cancelled atomic.Int64
}

// start takes the operation's number, in the order in which the script makes its
// calls, and a lane for it.
func (c *connection) start(o *operation, beside bool) *underWay {
	o.step = c.rollout.step()
	if o.prepare != nil {
		o.prepare()
	}
	return c.enter(o, beside)
}

// enter begins an operation that has its number.
func (c *connection) enter(o *operation, beside bool) *underWay {
	w := &underWay{operation: o, lane: c.lane(o.step), start: c.user.target.Base().Nanos()}
	w.lane.begin(o, beside)
	return w
}

// work makes the operation. It may run on any goroutine.
func (w *underWay) work(ctx context.Context) {
	ctx, release := client.CancelAfter(client.WithDeadline(ctx, w.deadline), w.cancelAfter)
	defer release()
	note := func() {
		if client.Cancelled(ctx) {
			w.cancelled.CompareAndSwap(0, w.lane.user.target.Base().Nanos())
		}
	}
	done := context.AfterFunc(ctx, note)
	defer done()
	w.result = w.run(ctx, w.lane.client)
	note() // the other has perhaps not come to it yet
}

// finish records an operation that has ended, on the virtual user's goroutine.
func (c *connection) finish(w *underWay) {
	u, o, result := c.user, w.operation, w.result
	policy := c.server.Policy
	if o.deadline > 0 {
		policy.Deadline = o.deadline
	}
	w.record = history.Op{
		Arm: u.target.Arm(), Op: c.rollout.task + "/" + o.step, Rollout: c.rollout.record.Rollout,
		Server: c.server.Name, Kind: o.kind, Tool: o.tool, Key: o.key, Class: o.class,
		Policy: policy.Name, Told: result.Told, Deadline: int64(policy.OpDeadline(o.class)),
		Budget: policy.Attempts, Settled: result.Settled, Nonce: o.nonce, Echo: u.secrets.Redact(echoOf(o, result)),
		Attempts: result.Attempts, Knowable: result.Knowable && result.Told != history.ToldOK,
		Cause: result.Cause, Interrupted: result.Interrupted, Diagnostics: result.Diagnostics, Cancelled: history.Instant(w.cancelled.Load()),
		Start: history.Instant(w.start), End: history.Instant(u.target.Base().Nanos()),
	}
	if w.record.Told == history.ToldOK {
		w.record.Cause = nil
	}
	vetoes := w.record.Told == history.ToldUnknown && o.harmful() && !policy.Flaws.IgnoresVeto
	c.rollout.unknown = c.rollout.unknown || vetoes
	w.lane.end()
	u.target.Record().Op(w.record)
	u.metrics.operation(u.vu, w.record, o.tags)
	c.last = &ended{w.record, w.lane.seen}
}

// operate makes one operation while the script waits, and records it.
func (c *connection) operate(o *operation) *underWay { return c.await(c.start(o, false)) }

// await runs an operation that has begun while the script waits.
func (c *connection) await(w *underWay) *underWay {
	_ = c.user.vu.Block(func(ctx context.Context) error { // an ended context is in the result
		w.work(ctx)
		return nil
	})
	c.finish(w)
	return w
}
