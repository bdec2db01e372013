package ledger

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	refserver "mcpstorm/reference-servers"
)

// serve is a tool on this book.
func (b *book) serve(t tool) refserver.Tool {
	return refserver.Tool{
		Tool: t.spec,
		Call: func(ctx context.Context, arguments json.RawMessage) (*mcp.CallToolResult, error) {
			c, err := b.parse(t, arguments)
			if err != nil {
				return nil, c.steps.Refuse(err)
			}
			return b.execute(ctx, c)
		},
	}
}

// execute takes a call through its steps: it begins, takes its time, commits,
// and answers. Once begun it depends on nobody but settle; only closing the
// server ends it early, and the end of ctx, which is the client's cancel.
func (b *book) execute(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	b.server.enter(b, c)
	if err := b.begin(c); err != nil {
		return nil, err
	}
	if c.tool.mutates {
		if err := b.server.Pause(ctx, b.server.Config.ToolLatency); err != nil {
			return nil, c.steps.Abort(err)
		}
	}
	result, nonce, err := b.server.commit(b, c)
	if err != nil {
		return nil, c.steps.Abort(err)
	}
	if err := c.steps.Answer(nonce, false); err != nil {
		return nil, err
	}
	return refserver.JSONResult(result)
}

// begin refuses a call that has been settled, and records the beginning of any
// other, so that no call begins after its operation was settled.
func (b *book) begin(c call) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.open(c); err != nil {
		return c.steps.Refuse(err)
	}
	return c.steps.Begin()
}

// commit makes a call take effect, once that is on record: between the look at
// the operation's fate and the change, nothing else happens in the book. If it
// cannot be recorded, the book stays as it is.
func (b *book) commit(c call) (result any, nonce string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.open(c); err != nil {
		return nil, "", err
	}
	if !c.tool.mutates {
		err = c.steps.Commit(0, "")
	} else {
		sequence, state := b.mutations+1, b.after(c)
		nonce = b.nonce(sequence)
		if err = c.steps.CommitState(sequence, nonce, state.String()); err == nil {
			b.state = state
		}
	}
	if err != nil {
		return nil, "", err
	}
	return c.tool.run(b, c), nonce, nil
}
