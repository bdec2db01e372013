package refserver

import (
	"context"
	"errors"
	"time"
)

// Core is the part that is the same in all reference servers: an endpoint for
// each rollout, the record of effects, and an end. It is a Server by itself. Its
// methods may be called from any goroutine.
type Core struct {
	*Rollouts
	Config  Config
	Effects *Recorder

	life context.Context // ends when the server is closed
	end  context.CancelCauseFunc
}

// NewCore makes the core of a server that was opened with a completed
// configuration. It calls tools once for each rollout, on the rollout's first
// request and for several rollouts at once.
func NewCore(cfg Config, tools func(core *Core, rollout string) []Tool) *Core {
	c := &Core{Config: cfg, Effects: NewRecorder(cfg)}
	c.life, c.end = context.WithCancelCause(context.Background())
	c.Rollouts = NewRollouts(cfg.MaxRollouts, func(rollout string) *Endpoint {
		return NewEndpoint(cfg, tools(c, rollout)...)
	})
	return c
}

// Pause waits for d on the server's clock, whoever goes away meanwhile. If the
// server is closed first, it returns ErrClosed.
func (c *Core) Pause(d time.Duration) error { return c.Config.Clock.Sleep(c.life, d) }

// Close implements Server. Pauses under way end with ErrClosed.
func (c *Core) Close(ctx context.Context) error {
	c.end(ErrClosed)
	return errors.Join(c.Rollouts.Close(ctx), c.Effects.Err())
}
