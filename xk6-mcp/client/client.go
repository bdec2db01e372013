// Package client is a recording MCP client over net/http. What it does when
// something goes wrong is a Policy; what it tells its caller is decided only
// from what its own connections saw and from a closed list of definite
// refusals. It sends nothing again that its policy does not say, knows no toxic
// and no server, and hands every exchange to a Recorder.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
)

// dialTimeout bounds the opening of one connection.
const dialTimeout = 5 * time.Second

// ErrOptions says that a client cannot be made from its options.
var ErrOptions = errors.New("client: bad options")

// Recorder takes in every exchange as it ends. It is called on the goroutine of
// the caller and may make it wait.
type Recorder interface {
	Attempt(history.Attempt)
}

// Options say whom a client talks to, and how.
type Options struct {
	// Server is the server's name in the script.
	Server string
	// Era is the protocol version to speak, one of wire.Eras; empty is the oldest.
	Era string
	// URL is the rollout's own endpoint, the fault layer's address in front.
	URL string
	// Task and Restart name the rollout that the client serves.
	Task    string
	Restart int
	Policy  Policy
	// Header is sent with every request. Secrets in it are never recorded.
	Header http.Header
	// Secrets are what the run knows of credentials. The client adds those in its URL
	// and its header, and lets no recorded text hold one; nil keeps its own alone.
	Secrets  *Secrets
	Recorder Recorder
	Clock    clock.Clock
	Base     *clock.Base
	// Random scatters the pauses between attempts; the client owns it.
	Random *rand.Rand
	// Fates are the server's tools that tell an operation's fate.
	Fates Fates
	// Refuse is asked before a connection is opened; nil lets all be opened.
	Refuse Refuse
}

// Fates says how a server is asked about the fate of an operation.
type Fates struct {
	// OpArgument is the argument that carries the operation's id in every tool.
	OpArgument string
	// Settle and LookUp are tools; empty where the server has none.
	Settle, LookUp string
}

// Caller is one connection of one rollout to one server, under any client. It
// belongs to one goroutine: it runs one operation at a time.
type Caller interface {
	// Connect opens the connection for the script.
	Connect(ctx context.Context, step string) Result
	// CallTool calls a tool of this replay class.
	CallTool(ctx context.Context, step string, class history.ReplayClass, call wire.ToolCall) Result
	// Request makes a request that changes nothing: it lists, reads or pings.
	Request(ctx context.Context, step string, r Request) Result
	// Close ends the connection, within the policy's grace.
	Close(ctx context.Context, step string) Result
}

var _ Caller = (*Client)(nil)

// Client is one connection of one rollout to one server. It belongs to one
// goroutine: it runs one operation at a time.
type Client struct {
	options Options
	blank   *http.Request // what every request has in common; never changed
	tracer  *tracer
	// session is the held session of a persistent policy; in the stateless era it
	// only counts ids.
	session session
	// listening is the session's stream for what the server says unasked, or nil.
	listening *listener
}

// New makes a client. It opens nothing yet. Its error wraps ErrOptions.
func New(o Options) (*Client, error) {
	blank, err := http.NewRequest(http.MethodPost, o.URL, nil)
	if err != nil || blank.URL.Scheme != "http" || blank.URL.Host == "" {
		return nil, fmt.Errorf("%w: the URL of %s is %q, want http://HOST:PORT/PATH", ErrOptions, o.Server, o.URL)
	}
	if o.Era == "" {
		o.Era = wire.EraSessions
	}
	if !slices.Contains(wire.Eras(), o.Era) {
		return nil, fmt.Errorf("%w: the era of %s is %q, want one of %s", ErrOptions, o.Server, o.Era, strings.Join(wire.Eras(), ", "))
	}
	if o.Secrets == nil {
		o.Secrets = &Secrets{}
	}
	c := &Client{options: o, blank: blank, tracer: newTracer(dialTimeout, o.Refuse)}
	o.Secrets.addHeader(o.Header)
	o.Secrets.addURL(blank.URL, c.ref("", 0).Rollout())
	return c, nil
}

// Abandon drops the client's connection without a word to the server. It is
// safe to call more than once.
func (c *Client) Abandon() {
	c.hush()
	c.tracer.transport.CloseIdleConnections()
}

// Result is what an operation came to.
type Result struct {
	Told history.Told
	Tool *wire.ToolResult // the tool's result, when told ok or tool_error
	// Answers are the results of a Request that was told ok: one for each page of
	// a list, else a single one.
	Answers  []json.RawMessage
	Cause    *history.Cause // why it did not end in ok
	Attempts int
	// Knowable is true when the client could know that nothing ran.
	Knowable bool
	// Interrupted is true when the caller's context ended first.
	Interrupted bool
	// Settled is how an unknown operation was settled: "result", "voided" or empty.
	Settled string
	// Sent is true when any byte of the call itself has left.
	Sent bool
	// Diagnostics are what the client writes down of a failure, where it does.
	Diagnostics *history.Diagnostics
}

// ref names one attempt at one step.
func (c *Client) ref(step string, n int) wire.OpRef {
	return wire.OpRef{Task: c.options.Task, Restart: c.options.Restart, Step: step, Attempt: n}
}

// pause waits between two attempts and reports whether to go on.
func (c *Client) pause(ctx context.Context, n int) bool {
	return c.options.Clock.Sleep(ctx, c.options.Policy.Backoff(n, c.options.Random)) == nil
}
