package xk6mcp

import (
	"context"
	"encoding/json"

	"github.com/grafana/sobek"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/engine"
)

// callOptions are the keys of the options of one call, and toolOptions those of a
// call of a tool.
var (
	callOptions = []string{"deadline", "timeout", "tags"}
	toolOptions = append(callOptions[:3:3], "cancelAfter")
)

// callTool is connection.callTool({name, arguments}, {deadline, tags}).
func (c *connection) callTool(call sobek.FunctionCall) sobek.Value {
	w := c.operate(c.toolCall("callTool", call))
	c.user.throwUnlessAnswered(w.record)
	return c.user.toolResult(w.result.Tool)
}

// callToolAsync is connection.callToolAsync({name, arguments}, {deadline, tags}):
// it returns a promise at once, and other calls can be made meanwhile.
func (c *connection) callToolAsync(call sobek.FunctionCall) sobek.Value {
	w := c.start(c.toolCall("callToolAsync", call), true)
	return c.user.vu.Async(engine.AsyncCall{
		Work: w.work,
		Done: func() { c.finish(w) },
		Value: func() (any, *sobek.Object) {
			if thrown := c.user.unlessAnswered(w.record); thrown != nil {
				return nil, thrown
			}
			return c.user.toolResult(w.result.Tool), nil
		},
	})
}

// toolCall reads what a script said of a tool call.
func (c *connection) toolCall(of string, call sobek.FunctionCall) *operation {
	c.usable()
	if absent(call.Argument(0)) {
		c.user.mistake("%s needs {name, arguments}", of)
	}
	given := c.user.optionsOf(of, call.Argument(0), "name", "arguments")
	wanted := wire.ToolCall{Name: given.need("name"), Arguments: given.arguments()}
	return c.tool(history.KindTool, wanted, c.user.optionsOf(of+"'s options", call.Argument(1), toolOptions...))
}

// arguments are a tool's arguments as JSON; nil when there are none.
func (o options) arguments() json.RawMessage {
	v := o.get("arguments")
	if v == nil {
		return nil
	}
	object, ok := v.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		o.user.mistake("%s: arguments is an object, got %s", o.of, v)
	}
	data, err := json.Marshal(object)
	if err != nil {
		o.user.mistake("%s: the arguments cannot be written as JSON: %v", o.of, err)
	}
	return data
}

// tool is the operation of one tool call. What the server wants in its arguments
// and the script left out is filled in when the operation has its number.
func (c *connection) tool(kind history.Kind, wanted wire.ToolCall, given options) *operation {
	o := &operation{
		kind: kind, tool: wanted.Name, class: c.server.class(wanted.Name), method: "tools/call",
		deadline: given.deadline(), cancelAfter: given.cancelAfter(), tags: given.tags(),
	}
	o.prepare = func() {
		r := c.rollout
		wanted.Arguments, o.nonce = c.server.complete(wanted, r.task+"/"+o.step, r.record.Rollout)
		o.key = r.key(c.server, wanted)
	}
	o.run = func(ctx context.Context, client client.Caller) client.Result {
		return client.CallTool(ctx, o.step, o.class, wanted)
	}
	return o
}

// toolResult is a tool's result as the script sees it.
func (u *virtualUser) toolResult(tool *wire.ToolResult) sobek.Value {
	return u.vu.Value("result", map[string]any{
		"text":              tool.Text(),
		"isError":           tool.IsError,
		"content":           contentOf(tool),
		"structuredContent": u.plain(tool.StructuredContent),
	})
}

func contentOf(result *wire.ToolResult) []any {
	content := make([]any, 0, len(result.Content))
	for _, block := range result.Content {
		content = append(content, map[string]any{"type": block.Type, "text": block.Text})
	}
	return content
}
