package refserver

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Core is the part that is the same in all reference servers: an endpoint for
// each rollout, the record of effects, and an end. It is a Server by itself. Its
// methods may be called from any goroutine.
type Core struct {
	*Rollouts
	Config  Config
	Effects *Recorder
	// Furnish adds to a rollout's server what is no tool: resources and prompts. It
	// is set before the first request, or nil, and called for several rollouts at
	// once.
	Furnish func(*mcp.Server)
	gauges  gauges

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
		endpoint := NewEndpoint(cfg, tools(c, rollout)...)
		endpoint.Handler = uncancelled(endpoint.Handler, cfg)
		if c.Furnish != nil {
			c.Furnish(endpoint.server)
		}
		return endpoint
	})
	return c
}

// Pause waits for d on the server's clock: the time that a call takes. If the
// server is closed first, it returns ErrClosed, and if the call's own context has
// ended when the time is over or before, ErrCancelled.
func (c *Core) Pause(ctx context.Context, d time.Duration) error {
	waiting, end := context.WithCancelCause(c.life)
	defer end(nil)
	defer context.AfterFunc(ctx, func() { end(ErrCancelled) })()
	if err := c.Config.Clock.Sleep(waiting, d); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ErrCancelled
	}
	return nil
}

// Close implements Server. Pauses under way end with ErrClosed.
func (c *Core) Close(ctx context.Context) error {
	c.end(ErrClosed)
	return errors.Join(c.Rollouts.Close(ctx), c.Effects.Err())
}
