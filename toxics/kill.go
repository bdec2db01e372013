package toxics

import (
	"context"
	"errors"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// Killer is the process of a server that a fault may end and start again. Its
// methods are called one at a time.
type Killer interface {
	// Kill ends the process at once, with no chance to finish anything, and returns
	// when it is gone.
	Kill() error
	// Start starts it again on the address that it had, and returns when connections
	// to it can be opened, or ctx ends.
	Start(ctx context.Context) error
}

// Why a server could not be killed.
var (
	ErrDown      = errors.New("toxics: the server was down already")
	ErrNoProcess = errors.New("toxics: the server has no process of its own that could be killed")
)

// kill asks the owner of the hub to kill the server.
func (h *Hub) kill(b plan.Burst, first func() error) error {
	if h.opts.Kill == nil {
		return ErrNoProcess
	}
	return h.opts.Kill(b, first)
}

// KillTimed records that a server was killed at the time of a rule, beside the
// records of its connections, or why it was not.
func (h *Hub) KillTimed(b plan.Burst, err error) {
	f := h.ofKill(b, "")
	if err != nil {
		f.State, f.Reason = history.FaultMissed, reasonOf(err)
	}
	h.receipt(f)
}

// Unreached records that a connection could not be opened, or not be kept, for its
// server was down.
func (h *Hub) Unreached(b plan.Burst, conn int64) {
	f := h.ofKill(b, deliveredDown)
	f.Conn = conn
	h.receipt(f)
}

// Refused records that the connection that an exchange was about to open was
// refused, for its server was down.
func (h *Hub) Refused(b plan.Burst, ref wire.OpRef, role history.ExchangeRole) {
	f := h.ofKill(b, deliveredDown)
	f.Op, f.Attempt, f.Rollout, f.Role = ref.Op(), ref.Attempt, ref.Rollout(), role
	h.receipt(f)
}

func (h *Hub) ofKill(b plan.Burst, reason string) history.Fault {
	return history.Fault{
		Rule: b.Rule, Cut: b.Cut(), Manner: b.Manner, State: history.FaultDelivered, Reason: reason, At: h.now(),
	}
}
