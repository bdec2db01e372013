package proxy

import (
	"context"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
)

// Refuse asks whether the connection that an exchange is about to open is to be
// refused, and records it if so. A client's dialer must call it before it dials,
// and fail with its error, which wraps syscall.ECONNREFUSED or, for a hold, says
// that no answer came before ctx or the hold ended. It is nil when the connection
// may be opened; while a killed server is down, none may. The tool is that of a tool
// call, else empty.
func (p *Proxy) Refuse(ctx context.Context, ref wire.OpRef, role history.ExchangeRole, tool string) error {
	if _, up := p.killed(); !up {
		p.hub.Refused(p.lastKill(), ref, role)
		return toxics.ErrRefused
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(context.Cause(p.ctx)) })()
	return p.hub.Refuse(ctx, p.opts.Clock, ref, role, tool)
}
