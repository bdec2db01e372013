package xk6mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/grafana/sobek"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// list is one of the four lists that a server can have.
type list struct {
	of     string // the script's function
	kind   history.Kind
	method string
	member string // of a page's result: what it lists
}

var (
	toolList     = list{"listTools", history.KindListTools, "tools/list", "tools"}
	resourceList = list{"listResources", history.KindListResources, "resources/list", "resources"}
	templateList = list{"listResourceTemplates", history.KindListTemplates, "resources/templates/list", "resourceTemplates"}
	promptList   = list{"listPrompts", history.KindListPrompts, "prompts/list", "prompts"}
)

// listTools is connection.listTools({cursor, pages}, {deadline, tags}).
func (c *connection) listTools(call sobek.FunctionCall) sobek.Value { return c.list(toolList, call) }

// listResources is connection.listResources({cursor, pages}, {deadline, tags}).
func (c *connection) listResources(call sobek.FunctionCall) sobek.Value {
	return c.list(resourceList, call)
}

// listResourceTemplates is connection.listResourceTemplates({cursor, pages},
// {deadline, tags}).
func (c *connection) listResourceTemplates(call sobek.FunctionCall) sobek.Value {
	return c.list(templateList, call)
}

// listPrompts is connection.listPrompts({cursor, pages}, {deadline, tags}).
func (c *connection) listPrompts(call sobek.FunctionCall) sobek.Value {
	return c.list(promptList, call)
}

// list fetches the pages of a list, all of them unless the script wants fewer.
func (c *connection) list(l list, call sobek.FunctionCall) sobek.Value {
	c.usable()
	given := c.user.optionsOf(l.of, call.Argument(0), "cursor", "pages")
	wanted := client.Request{Method: l.method, Pages: given.count("pages")}
	if cursor := given.text("cursor"); cursor != "" {
		wanted.Params = encoded(map[string]string{"cursor": cursor})
	}
	answers := c.request(l.of, l.kind, wanted, call.Argument(1))
	items := []sobek.Value{}
	cursor := ""
	for _, answer := range answers {
		var page map[string]json.RawMessage
		_ = json.Unmarshal(answer, &page) // what is no object lists nothing
		var some []json.RawMessage
		_ = json.Unmarshal(page[l.member], &some)
		for _, item := range some {
			items = append(items, c.user.plain(item))
		}
		cursor = client.NextCursor(answer)
	}
	result := map[string]any{l.member: c.user.array(items)}
	if cursor != "" {
		result["nextCursor"] = cursor
	}
	return c.user.vu.Value(l.of, result)
}

// readResource is connection.readResource({uri}, {deadline, tags}).
func (c *connection) readResource(call sobek.FunctionCall) sobek.Value {
	c.usable()
	const of = "readResource"
	given := c.user.optionsOf(of, call.Argument(0), "uri")
	wanted := client.Request{Method: "resources/read", Params: encoded(map[string]string{"uri": given.need("uri")})}
	answers := c.request(of, history.KindReadResource, wanted, call.Argument(1))
	result, _ := c.user.plain(answers[0]).(*sobek.Object)
	if result == nil {
		result = c.user.vu.Runtime().NewObject()
	}
	var read struct {
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
	}
	_ = json.Unmarshal(answers[0], &read) // what has no contents has no text
	texts := make([]string, 0, len(read.Contents))
	for _, content := range read.Contents {
		texts = append(texts, content.Text)
	}
	setOwn(result, "text", c.user.vu.Runtime().ToValue(strings.Join(texts, "\n")))
	return result
}

// getPrompt is connection.getPrompt({name, arguments}, {deadline, tags}).
func (c *connection) getPrompt(call sobek.FunctionCall) sobek.Value {
	c.usable()
	const of = "getPrompt"
	given := c.user.optionsOf(of, call.Argument(0), "name", "arguments")
	params := map[string]any{"name": given.need("name")}
	if arguments := given.texts("arguments"); arguments != nil {
		params["arguments"] = arguments
	}
	wanted := client.Request{Method: "prompts/get", Params: encoded(params)}
	return c.user.plain(c.request(of, history.KindGetPrompt, wanted, call.Argument(1))[0])
}

// ping is connection.ping({deadline, tags}): it returns true, or throws.
func (c *connection) ping(call sobek.FunctionCall) sobek.Value {
	c.usable()
	c.request("ping", history.KindPing, client.Request{Method: "ping"}, call.Argument(0))
	return c.user.vu.Runtime().ToValue(true)
}

// request makes one request that changes nothing, and returns its results.
func (c *connection) request(of string, kind history.Kind, wanted client.Request, options sobek.Value) []json.RawMessage {
	given := c.user.optionsOf(of+"'s options", options, callOptions...)
	o := &operation{
		kind: kind, class: history.ReadOnly, method: wanted.Method, deadline: given.deadline(), tags: given.tags(),
	}
	o.run = func(ctx context.Context, client client.Caller) client.Result {
		return client.Request(ctx, o.step, wanted)
	}
	w := c.operate(o)
	c.user.throwUnlessOK(w.record)
	return w.result.Answers
}

func encoded(params any) json.RawMessage {
	data, _ := json.Marshal(params) // texts and objects of texts always encode
	return data
}
