// Package sdk drives the client of the official Go SDK as something to test: one
// session that is kept, no retry of its own, and told as its errors say it.
package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// rejectedByTransport is the code under which the SDK returns any failure of a
// request. Its documentation says that the request did not reach the server; the
// harness holds it to that.
const rejectedByTransport = -32005

// Client is one SDK session of one rollout with one server. It belongs to one
// goroutine.
type Client struct {
	options   client.Options
	recording *client.Recording
	session   *mcp.ClientSession
}

var _ client.Caller = (*Client)(nil)

// New makes a client. It opens nothing yet. Its error wraps client.ErrOptions.
func New(o client.Options) (*Client, error) {
	recording, err := client.NewRecording(o)
	if err != nil {
		return nil, err
	}
	return &Client{options: o, recording: recording}, nil
}

// Connect implements client.Caller: it opens the session.
func (c *Client) Connect(ctx context.Context, step string) client.Result {
	return c.operate(ctx, step, c.open)
}

// open opens the session.
func (c *Client) open(ctx context.Context) client.Result {
	transport := &mcp.StreamableClientTransport{
		Endpoint:   c.options.URL,
		HTTPClient: &http.Client{Transport: outgoing{c.era(), c.options.Header, c.recording}},
		MaxRetries: -1, DisableStandaloneSSE: true,
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "mcpstorm-sdk", Version: "1"}, nil).
		Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: c.era()})
	if err != nil {
		return failed(ctx, err, history.ToldNotExecuted)
	}
	c.session = session
	return client.Result{Told: history.ToldOK, Attempts: 1}
}

// inSession runs one operation in the session, which it opens first where the
// script's own connection is not what the operation runs on.
func (c *Client) inSession(ctx context.Context, step string, run func(context.Context) client.Result) client.Result {
	return c.operate(ctx, step, func(ctx context.Context) client.Result {
		if c.session == nil {
			if opened := c.open(ctx); opened.Told != history.ToldOK {
				return opened
			}
		}
		return run(ctx)
	})
}

// CallTool implements client.Caller.
func (c *Client) CallTool(ctx context.Context, step string, _ history.ReplayClass, call wire.ToolCall) client.Result {
	return c.inSession(ctx, step, func(ctx context.Context) client.Result {
		answer, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		if err != nil {
			return failed(ctx, err, toldBy(err))
		}
		return resultOf(answer)
	})
}

// operate runs one operation under the policy's deadline.
func (c *Client) operate(ctx context.Context, step string, run func(context.Context) client.Result) client.Result {
	ctx, cancel := context.WithTimeout(c.recording.Begin(ctx, step), client.DeadlineOf(ctx, c.options.Policy.Deadline))
	defer cancel()
	result := run(ctx)
	result.Cause = c.recording.Redact(result.Cause)
	c.recording.Flush()
	return result
}

// Close implements client.Caller. The SDK takes as long as it likes to close a
// session; when the grace is over, the connection is dropped under it.
func (c *Client) Close(ctx context.Context, _ string) client.Result {
	defer c.recording.Flush()
	if c.session == nil {
		c.recording.Abandon()
		return client.Result{Told: history.ToldOK}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.Policy.Grace)
	defer cancel()
	defer context.AfterFunc(ctx, c.recording.Abandon)()
	err := c.session.Close()
	c.session = nil
	c.recording.Abandon()
	if err != nil {
		result := failed(ctx, err, history.ToldUnknown)
		result.Cause = c.recording.Redact(result.Cause)
		return result
	}
	return client.Result{Told: history.ToldOK, Attempts: 1}
}

// toldBy takes the SDK at its word.
func toldBy(err error) history.Told {
	var answered *jsonrpc.Error
	if errors.As(err, &answered) && answered.Code == rejectedByTransport {
		return history.ToldNotExecuted
	}
	return history.ToldUnknown
}

func failed(ctx context.Context, err error, told history.Told) client.Result {
	cause := &history.Cause{Class: "sdk", Text: err.Error()}
	if errors.Is(ctx.Err(), context.Canceled) {
		return client.Result{Told: history.ToldNone, Cause: cause, Attempts: 1, Interrupted: true}
	}
	return client.Result{Told: told, Cause: cause, Attempts: 1}
}

// resultOf turns the SDK's result into what the wire carried.
func resultOf(answer *mcp.CallToolResult) client.Result {
	data, err := json.Marshal(answer)
	var tool wire.ToolResult
	if err == nil {
		err = json.Unmarshal(data, &tool)
	}
	switch {
	case err != nil:
		return client.Result{Told: history.ToldUnknown, Cause: &history.Cause{Class: "bad_answer", Text: err.Error()}, Attempts: 1}
	case tool.IsError:
		return client.Result{Told: history.ToldToolError, Tool: &tool, Cause: &history.Cause{Class: "tool_error", Text: tool.Text()}, Attempts: 1}
	}
	return client.Result{Told: history.ToldOK, Tool: &tool, Attempts: 1}
}

// era is the era that the session is pinned to.
func (c *Client) era() string { return cmp.Or(c.options.Era, wire.EraSessions) }

// errOtherEra is a request of another era than the session's: when discovering
// fails in any way, the SDK tries the older era unasked, also where it is pinned.
var errOtherEra = errors.New("sdk: the era is pinned")

// outgoing puts the options' headers on every request, and lets none go out that is
// not of the era.
type outgoing struct {
	era  string
	add  http.Header
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (o outgoing) RoundTrip(r *http.Request) (*http.Response, error) {
	if version := r.Header.Get("Mcp-Protocol-Version"); o.era == wire.EraStateless && version != o.era {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read from it
		}
		return nil, fmt.Errorf("%w: the session is of %s, and a request of %q is none of it", errOtherEra, o.era, version)
	}
	r = r.Clone(r.Context())
	for name, values := range o.add {
		r.Header[name] = values
	}
	return o.next.RoundTrip(r)
}
