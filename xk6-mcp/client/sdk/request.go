package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// errNoMethod is a request that the SDK's client has no call for.
var errNoMethod = errors.New("sdk: no such request")

// Request implements client.Caller.
func (c *Client) Request(ctx context.Context, step string, r client.Request) client.Result {
	return c.inSession(ctx, step, func(ctx context.Context) client.Result {
		var answers []json.RawMessage
		cursor := ""
		for n := 1; n <= client.MaxPages; n++ {
			answer, err := c.ask(ctx, r, cursor)
			if err != nil {
				return failed(ctx, err, toldByRequest(err))
			}
			answers = append(answers, answer)
			if cursor = client.NextCursor(answer); cursor == "" || n == r.Pages {
				return client.Result{Told: history.ToldOK, Answers: answers, Attempts: 1}
			}
		}
		err := fmt.Errorf("%s has more than %d pages, which is our own limit", r.Method, client.MaxPages)
		return failed(ctx, err, history.ToldUnknown)
	})
}

// ask makes the request for one page by the SDK's own call for it.
func (c *Client) ask(ctx context.Context, r client.Request, cursor string) (json.RawMessage, error) {
	switch r.Method {
	case "tools/list":
		return through(ctx, r, func(p *mcp.ListToolsParams) { at(&p.Cursor, cursor) }, c.session.ListTools)
	case "resources/list":
		return through(ctx, r, func(p *mcp.ListResourcesParams) { at(&p.Cursor, cursor) }, c.session.ListResources)
	case "resources/templates/list":
		return through(ctx, r, func(p *mcp.ListResourceTemplatesParams) { at(&p.Cursor, cursor) }, c.session.ListResourceTemplates)
	case "prompts/list":
		return through(ctx, r, func(p *mcp.ListPromptsParams) { at(&p.Cursor, cursor) }, c.session.ListPrompts)
	case "resources/read":
		return through(ctx, r, func(*mcp.ReadResourceParams) {}, c.session.ReadResource)
	case "prompts/get":
		return through(ctx, r, func(*mcp.GetPromptParams) {}, c.session.GetPrompt)
	case "ping":
		return json.RawMessage("{}"), c.session.Ping(ctx, nil)
	}
	return nil, fmt.Errorf("%w: %q", errNoMethod, r.Method)
}

// at sets the cursor of every page but the first, whose own the script may have
// given.
func at(cursor *string, next string) {
	if next != "" {
		*cursor = next
	}
}

// through turns the params of a request into the SDK's own, makes the call, and
// turns its result back into JSON.
func through[P, R any](ctx context.Context, r client.Request, page func(*P), call func(context.Context, *P) (R, error)) (json.RawMessage, error) {
	params := new(P)
	if len(r.Params) > 0 {
		if err := json.Unmarshal(r.Params, params); err != nil {
			return nil, err
		}
	}
	page(params)
	result, err := call(ctx, params)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// toldByRequest takes the SDK at its word: an error that the server answered is
// the server's own, and changes nothing.
func toldByRequest(err error) history.Told {
	told := toldBy(err)
	var answered *jsonrpc.Error
	if told == history.ToldUnknown && errors.As(err, &answered) {
		return history.ToldToolError
	}
	return told
}
