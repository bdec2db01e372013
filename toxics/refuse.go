package toxics

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// ErrRefused says that the plan refuses the connection of an exchange. It wraps
// syscall.ECONNREFUSED.
var ErrRefused = fmt.Errorf("toxics: refused by the plan: %w", syscall.ECONNREFUSED)

// errSilent says that a dial got no answer, as from a host that is not there.
var errSilent = errors.New("toxics: no answer to the dial, by the plan")

// Refuse asks whether the connection that an exchange is about to open is to be
// refused (C0), and puts it on record if so. A client's dialer calls it before it
// dials, and fails with its error, which is nil for a connection that may be
// opened. With the manner hold it returns when ctx ends, or the hold does.
//
// An exchange on a connection that is open already opens none: its mark is
// recorded as missed once its request comes.
func (h *Hub) Refuse(ctx context.Context, c clock.Clock, ref wire.OpRef, role history.ExchangeRole, tool string) error {
	decider := h.opts.Decider
	if decider == nil {
		return nil
	}
	mark, ok := decider.Decide(plan.Exchange{Server: h.opts.Server, Ref: ref, Role: role, Tool: tool})
	if !ok || mark.Cut != plan.C0 || !decider.Window(mark.Rule).Armed(h.Elapsed(), ref.Step, mark.Draw) {
		return nil
	}
	h.receipt(history.Fault{
		Rule: mark.Rule, Cut: mark.Cut, Manner: mark.Manner, State: history.FaultDelivered, At: h.now(),
		Op: ref.Op(), Attempt: ref.Attempt, Rollout: ref.Rollout(), Role: role,
	})
	if mark.Manner != plan.Hold {
		return ErrRefused
	}
	if mark.For == 0 {
		<-ctx.Done()
		return errors.Join(errSilent, context.Cause(ctx))
	}
	return errors.Join(errSilent, c.Sleep(ctx, mark.For))
}
