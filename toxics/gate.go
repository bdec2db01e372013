package toxics

import (
	"context"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/toxics/plan"
)

// Gate is open while the window of one rule is, and lets its toxic act. All methods
// may be called from any goroutine.
type Gate struct {
	hub          *Hub
	rule         plan.Rule
	opened, shut chan struct{} // closed when it has been opened, and shut for good
}

// makeGates makes a gate for every toxic of the hub's server that has a window.
func (h *Hub) makeGates() {
	for _, r := range h.opts.Toxics {
		if r.Windowed() && r.On == h.opts.Server {
			h.gates = append(h.gates, &Gate{hub: h, rule: r, opened: make(chan struct{}), shut: make(chan struct{})})
		}
	}
}

// Gates are those of the hub's toxics, in order of declaration. Each must be run once,
// when the arm has begun. The slice must not be changed.
func (h *Hub) Gates() []*Gate { return h.gates }

// gate is that of a rule, or nil.
func (h *Hub) gate(rule string) *Gate {
	for _, g := range h.gates {
		if g.rule.ID == rule {
			return g
		}
	}
	return nil
}

// Run opens the gate when its window begins and shuts it when that ends, or when ctx
// does, and returns then.
func (g *Gate) Run(ctx context.Context, clk clock.Clock) {
	defer close(g.shut)
	window := g.rule.During
	if clk.Sleep(ctx, window.From-g.hub.Elapsed()) == nil {
		close(g.opened)
		_ = clk.Sleep(ctx, window.To-g.hub.Elapsed()) // whatever ends it
	}
}

// acts records that the toxic acts on a connection from now on.
func (g *Gate) acts(c *Conn) {
	g.hub.receipt(history.Fault{
		Rule: g.rule.ID, Toxic: g.rule.Toxic, State: history.FaultInstalled,
		Reason: g.rule.During.String(), Conn: c.id, At: g.hub.now(),
	})
}
