package community

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// protocolVersion is asked for: the last one with a ping, sessions and SSE.
const protocolVersion = "2025-11-25"

// closeGrace is how long a session may take to close before it is cut.
const closeGrace = 2 * time.Second

// session is one open MCP session, and everything that must end with it.
type session struct {
	mcp     *mcp.ClientSession
	end     context.CancelFunc // cuts its connections, or kills its process, at once
	process *process           // nil over HTTP
	http    *http.Client       // nil over stdio
}

// openSession connects to a server within the settings' timeout. The session
// outlives ctx.
func openSession(ctx context.Context, s *settings, console io.Writer) (*session, error) {
	life, end := context.WithCancel(context.Background())
	opened := &session{end: end}
	transport := opened.transport(life, s, console)
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	unlink := context.AfterFunc(ctx, end)
	var err error
	opened.mcp, err = mcp.NewClient(&mcp.Implementation{Name: "mcpstorm", Version: "1"}, nil).
		Connect(life, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
	switch {
	case !unlink(): // too late, whether or not there is a session in the end
		if err == nil {
			opened.close(ctx)
		}
		err = late(ctx, s)
	case err != nil:
		err = opened.because(err)
	default:
		return opened, nil
	}
	opened.abandon()
	return nil, fmt.Errorf("connecting: %w", err)
}

// transport makes the SDK's transport for a kind of client. Streams are not taken
// up again: a harness hides no retry.
func (o *session) transport(life context.Context, s *settings, console io.Writer) (t mcp.Transport) {
	if s.kind == stdio.class {
		o.process, t = newProcess(life, s, console)
		return t
	}
	o.http = newHTTPClient(life)
	if s.kind == sse.class {
		return &mcp.SSEClientTransport{Endpoint: s.baseURL, HTTPClient: o.http}
	}
	return &mcp.StreamableClientTransport{Endpoint: s.baseURL, HTTPClient: o.http, MaxRetries: -1}
}

// close closes the session: politely, and by force when ctx ends or the grace is
// over.
func (o *session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	unlink := context.AfterFunc(ctx, o.end)
	defer unlink()
	_ = o.mcp.Close() // what a server says to a farewell is no error of a call
	o.abandon()
}

// abandon drops whatever is left.
func (o *session) abandon() {
	o.end()
	if o.http != nil {
		o.http.CloseIdleConnections()
	}
}

// because adds to an error what became of the server's process.
func (o *session) because(err error) error {
	if o.process == nil {
		return err
	}
	if epitaph := o.process.epitaph(); epitaph != "" {
		return fmt.Errorf("%w; %s", err, epitaph)
	}
	return err
}

// late is the error of what took longer than it may, or was interrupted.
func late(ctx context.Context, s *settings) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w within %v", errDeadline, s.timeout)
	}
	return ctx.Err()
}

// answered reports whether an error is an answer, or of a request that the SDK
// could not send: in both the session is as good as before.
func answered(err error) bool {
	var answer *jsonrpc.Error
	return errors.As(err, &answer)
}
