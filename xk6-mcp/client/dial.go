package client

import (
	"context"
	"net"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// Refuse is asked before a connection is opened for an exchange. The dial fails
// with its error; nil lets it go on. It may wait as long as ctx lasts, which is as
// long as a dial may take, and may be called from any goroutine. The tool is that
// of a tool call, else empty.
type Refuse func(ctx context.Context, ref wire.OpRef, role history.ExchangeRole, tool string) error

// opening is the exchange that a connection is opened for.
type opening struct {
	ctx  context.Context // the exchange's own
	ref  wire.OpRef
	role history.ExchangeRole
	tool string
}

// openingKey is where a context carries it to the dial.
type openingKey struct{}

// opens returns a context that tells a dial which exchange it is for.
func (c *Client) opens(ctx context.Context, a *attempt, q request) context.Context {
	return context.WithValue(ctx, openingKey{}, opening{ctx, a.ref, q.role, q.tool})
}

// dial opens one connection, unless it is refused first. It ends with its exchange:
// net/http would let it go on, and the next exchange would wait for it, as there is
// one connection at a time.
func (t *tracer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.dialTimeout)
	defer cancel()
	if o, ok := ctx.Value(openingKey{}).(opening); ok {
		defer context.AfterFunc(o.ctx, cancel)()
		if err := t.refused(ctx, o); err != nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: err}
		}
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, address)
}

// refused asks whether the dial for an exchange is to fail.
func (t *tracer) refused(ctx context.Context, o opening) error {
	if t.refuse == nil {
		return nil
	}
	return t.refuse(ctx, o.ref, o.role, o.tool)
}
