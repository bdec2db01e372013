package toxics

import (
	"context"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/toxics/plan"
)

// idling is what becomes of one connection when it is idle. Its rule is fixed; the
// rest is guarded by the cutter's mutex.
type idling struct {
	rule    *plan.Idle      // that chose the connection; nil for none
	answers int             // given whole
	since   history.Instant // when the latest was
	tried   int             // after how many answers this rule had its chance
}

// idleRule is the first rule that chooses a connection, or nil.
func (h *Hub) idleRule(conn int64) *plan.Idle {
	for i := range h.idles {
		if _, ok := h.idles[i].Of(conn, 0); ok {
			return &h.idles[i]
		}
	}
	return nil
}

// answered takes note of the end of an answer.
func (i *idling) answered(now history.Instant) {
	i.answers++
	i.since = now
}

// idleFor is how long the connection has been idle, or nothing when it is not or
// never was in use. The caller holds the mutex.
func (c *cutter) idleFor() (idle time.Duration, ok bool) {
	if c.idle.answers == 0 || len(c.open) > 0 || c.coming != nil || c.lost {
		return 0, false
	}
	return time.Duration(c.hub.now() - c.idle.since), true
}

// soonestLook bounds how often a connection in use is looked at: no idle time can end
// sooner than its rule says, which may be after next to nothing.
const soonestLook = time.Millisecond

// expire closes the connection when it has been idle long enough. Otherwise it
// says after what time to ask again, or that there is no more to ask.
func (c *cutter) expire() (wait time.Duration, again bool) {
	c.mu.Lock()
	rule := c.idle.rule
	if c.lost || c.legs.Over() != nil {
		c.mu.Unlock()
		return 0, false
	}
	after, _ := rule.Of(c.conn, c.idle.answers)
	idle, ok := c.idleFor()
	soonest := max(rule.After-rule.Jitter, soonestLook)
	if !ok || c.idle.tried == c.idle.answers {
		c.mu.Unlock()
		return soonest, true
	}
	if idle < after {
		c.mu.Unlock()
		return after - idle, true
	}
	c.idle.tried = c.idle.answers
	if !rule.During.Armed(c.hub.Elapsed(), "", 0) {
		c.mu.Unlock()
		return soonest, true
	}
	err := c.legs.Cut(rule.Manner, plan.Detail{})
	f := c.underWay()
	c.mu.Unlock()
	if err == nil {
		f.Rule, f.Cut, f.Manner, f.State, f.At = rule.Rule, plan.CutIdle, rule.Manner, history.FaultDelivered, c.hub.now()
		c.hub.receipt(f)
	}
	return 0, false
}

// forgotten is the mark on an exchange whose connection was idle so long before it
// that a middlebox has forgotten it, or nil.
func (c *cutter) forgotten(x *exchange) *plan.Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	rule := c.idle.rule
	if rule == nil || !rule.Silent() || !x.afterIdle {
		return nil
	}
	after, _ := rule.Of(c.conn, c.idle.answers)
	if x.idle < after || !rule.During.Armed(c.hub.Elapsed(), "", 0) {
		return nil
	}
	return &plan.Decision{Rule: rule.Rule, Cut: plan.CutIdle, Manner: rule.Manner, Detail: plan.Detail{For: rule.For}}
}

// Expires reports whether the plan closes this connection when it is idle.
func (c *Conn) Expires() bool { return c.cut.idle.rule != nil && !c.cut.idle.rule.Silent() }

// WatchIdle closes the connection when it has been idle as long as the plan says.
// It returns when ctx ends or the connection is over, and must be called only for
// one that Expires.
func (c *Conn) WatchIdle(ctx context.Context, clk clock.Clock) {
	for {
		wait, again := c.cut.expire()
		if !again || clk.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// StallMet records what became of a time in which connections were not taken, or
// of one connection that came in it.
func (h *Hub) StallMet(s plan.Stall, conn int64, state history.FaultState, reason string) {
	h.receipt(history.Fault{
		Rule: s.Rule, Cut: plan.CutAccept, Manner: s.Manner, Conn: conn, State: state, Reason: reason, At: h.now(),
	})
}
