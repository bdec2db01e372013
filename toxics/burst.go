package toxics

import (
	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// burst cuts the connection, and finds the exchange that was under way on it.
// What is marked here and has not met its fault is missed from then on.
func (c *cutter) burst(b plan.Burst) (record func()) {
	c.mu.Lock()
	err := c.legs.Cut(b.Manner, plan.Detail{For: b.For})
	f := c.underWay()
	missed := missedBurst
	if b.Kill {
		missed, f.Reason = missedKill, deliveredKill
	}
	if err == nil {
		c.struck = missed
	}
	c.mu.Unlock()
	f.Rule, f.Cut, f.Manner, f.State, f.At = b.Rule, b.Cut(), b.Manner, history.FaultDelivered, c.hub.now()
	if err != nil {
		f.State, f.Reason = history.FaultMissed, reasonOf(err)
	}
	return func() { c.hub.receipt(f) }
}

// underWay describes the exchange of the answer that the client waits for, or
// else of the request that comes in. On an idle connection, in the middle of a
// head, and where answers cannot be followed, it tells only the rollout that was
// named last. What has not reached the cut pair has not begun.
// The caller holds the mutex.
func (c *cutter) underWay() history.Fault {
	switch {
	case len(c.open) > 0:
		return c.describe(c.open[0])
	case c.last != nil && c.legs.Down() < c.last.downEnd:
		return c.describe(c.last)
	case c.coming != nil:
		return c.describe(c.coming)
	}
	return history.Fault{Conn: c.conn, Rollout: c.rollout}
}

// BurstFailed records a burst that met no connection, and why.
func (h *Hub) BurstFailed(b plan.Burst, state history.FaultState, reason string) {
	h.receipt(history.Fault{
		Rule: b.Rule, Cut: b.Cut(), Manner: b.Manner, State: state, Reason: reason, At: h.now(),
	})
}
