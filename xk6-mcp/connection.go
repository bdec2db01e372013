package xk6mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grafana/sobek"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// connection is one connection of a rollout to one server.
type connection struct {
	user    *virtualUser
	rollout *rollout
	client  client.Caller
	server  Server
	step    string // the step that connected
	turns   turns
}

// Attempt implements client.Recorder: every exchange becomes samples and a line
// of the history.
func (u *virtualUser) Attempt(a history.Attempt) {
	u.metrics.request(u.vu, a)
	u.target.Record().Attempt(a)
}

// connect is rollout.connect(server, {policy}).
func (u *virtualUser) connect(r *rollout, call sobek.FunctionCall) sobek.Value {
	u.current(r)
	name := call.Argument(0)
	if sobek.IsUndefined(name) || sobek.IsNull(name) {
		u.vu.Throw(errNoServer, "", nil)
	}
	policy := u.policyOf(call.Argument(1))
	c := &connection{user: u, rollout: r, step: r.step()}
	var err error
	c.client, c.server, err = u.target.Dial(Dial{
		Task: r.task, Restart: r.restart, Step: c.step,
		Server: name.String(), Policy: policy, Recorder: u,
	})
	if err != nil {
		u.vu.Throw(err, "", nil)
	}
	r.conns = append(r.conns, c)
	_, record := c.operate(operation{step: c.step, kind: history.KindConnect}, c.client.Connect)
	u.throwUnlessAnswered(record)
	return u.vu.Value("connection", map[string]any{
		"respond":  c.respond,
		"callTool": c.callTool,
		"close":    c.closeConnection,
	})
}

// policyOf reads connect's options, which may be absent. What it does not know
// it refuses.
func (u *virtualUser) policyOf(options sobek.Value) string {
	if sobek.IsUndefined(options) || sobek.IsNull(options) {
		return ""
	}
	object, ok := options.(*sobek.Object)
	if !ok {
		u.vu.Throw(fmt.Errorf("%w, got %s", errConnectOptions, options), "TypeError", nil)
	}
	for _, key := range object.Keys() {
		if key != "policy" {
			u.vu.Throw(fmt.Errorf("%w, got the key %q", errConnectOptions, key), "TypeError", nil)
		}
	}
	policy := object.Get("policy")
	if policy == nil || sobek.IsUndefined(policy) {
		return ""
	}
	return policy.String()
}

// callTool is connection.callTool({name, arguments}).
func (c *connection) callTool(call sobek.FunctionCall) sobek.Value {
	c.user.current(c.rollout)
	var wanted wire.ToolCall
	given, err := json.Marshal(call.Argument(0))
	if err == nil {
		err = json.Unmarshal(given, &wanted)
	}
	if err != nil || wanted.Name == "" {
		c.user.vu.Throw(errNoTool, "TypeError", nil)
	}
	result, record := c.call(history.KindTool, wanted)
	c.user.throwUnlessAnswered(record)
	return c.user.vu.Value("result", map[string]any{
		"text":              result.Tool.Text(),
		"isError":           result.Tool.IsError,
		"content":           contentOf(result.Tool),
		"structuredContent": structuredOf(result.Tool),
	})
}

// call runs one tool call as an operation of its own.
func (c *connection) call(kind history.Kind, wanted wire.ToolCall) (client.Result, history.Op) {
	r, class := c.rollout, c.server.class(wanted.Name)
	o := operation{step: r.step(), kind: kind, tool: wanted.Name, class: class}
	wanted.Arguments, o.nonce = c.server.complete(wanted, r.task+"/"+o.step, r.record.Rollout)
	o.key = r.key(c.server, wanted)
	return c.operate(o, func(ctx context.Context, step string) client.Result {
		return c.client.CallTool(ctx, step, class, wanted)
	})
}

// closeConnection is connection.close().
func (c *connection) closeConnection(sobek.FunctionCall) sobek.Value {
	c.user.current(c.rollout)
	_, record := c.operate(operation{step: c.rollout.step(), kind: history.KindClose}, c.client.Close)
	c.user.throwUnlessAnswered(record)
	return sobek.Undefined()
}

// operation is one of the script's calls before it runs.
type operation struct {
	step, tool, key, nonce string
	kind                   history.Kind
	class                  history.ReplayClass
}

// harmful reports whether a repeat of the operation could do harm.
func (o operation) harmful() bool {
	return (o.kind == history.KindTool || o.kind == history.KindTurn) && !o.class.ReplaySafe()
}

// operate runs one operation and records it.
func (c *connection) operate(o operation, run func(context.Context, string) client.Result) (client.Result, history.Op) {
	u := c.user
	base := u.target.Base()
	start := base.Nanos()
	var result client.Result
	_ = u.vu.Block(func(ctx context.Context) error { // an ended context is in the result
		result = run(ctx, o.step)
		return nil
	})
	record := history.Op{
		Arm: u.target.Arm(), Op: c.rollout.task + "/" + o.step, Rollout: c.rollout.record.Rollout,
		Server: c.server.Name, Kind: o.kind, Tool: o.tool, Key: o.key, Class: o.class,
		Policy: c.server.Policy.Name, Told: result.Told, Deadline: int64(c.server.Policy.OpDeadline(o.class)),
		Budget: c.server.Policy.Attempts, Settled: result.Settled, Nonce: o.nonce, Echo: echoOf(o, result),
		Attempts: result.Attempts, Knowable: result.Knowable && result.Told != history.ToldOK,
		Cause: result.Cause, Interrupted: result.Interrupted,
		Start: history.Instant(start), End: history.Instant(base.Nanos()),
	}
	if record.Told == history.ToldOK {
		record.Cause = nil
	}
	c.rollout.unknown = c.rollout.unknown || (record.Told == history.ToldUnknown && o.harmful())
	u.target.Record().Op(record)
	u.metrics.operation(u.vu, record)
	return result, record
}

// throwUnlessAnswered throws the McpError of an operation that ended neither in
// ok nor in tool_error.
func (u *virtualUser) throwUnlessAnswered(o history.Op) {
	if o.Told == history.ToldOK || o.Told == history.ToldToolError {
		return
	}
	e := &Error{Op: o.Op, Told: o.Told, Attempts: o.Attempts, Cause: o.Cause}
	properties := map[string]any{"told": string(o.Told), "op": o.Op, "attempts": o.Attempts}
	if o.Cause != nil {
		properties["cause"] = map[string]any{
			"class": o.Cause.Class, "text": o.Cause.Text, "status": o.Cause.Status, "code": o.Cause.Code,
		}
	}
	u.vu.Throw(e, "McpError", properties)
}

func contentOf(result *wire.ToolResult) []any {
	content := make([]any, 0, len(result.Content))
	for _, block := range result.Content {
		content = append(content, map[string]any{"type": block.Type, "text": block.Text})
	}
	return content
}

func structuredOf(result *wire.ToolResult) any {
	var structured any
	if json.Unmarshal(result.StructuredContent, &structured) != nil {
		return nil
	}
	return structured
}

// release gives a connection up at the end of its rollout. A session that the
// script left open is closed within the policy's grace, as real clients do; that
// is no operation of the script and takes no number.
func (c *connection) release(ctx context.Context) { c.client.Close(ctx, c.step+".close") }
