package toxics

import (
	"encoding/json"
	"strings"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// Why a marked fault was missed.
const (
	missedPipelined = "the request was sent before the answer to an earlier one"
	missedNoBody    = "the answer has no body to cut"
	missedNoResult  = "the answer ended without a result"
	missedTooLarge  = "the answer is larger than can be withheld"
	missedNotTaken  = "the peer did not take the bytes that come before the cut"
	missedEnded     = "the connection ended before the result was whole"
	missedLost      = "the answers on this connection cannot be followed"
)

// exchange is one request that the cut pair has let through or is about to cut,
// until its answer is whole. Only settled and delivered change, under the
// cutter's mutex.
type exchange struct {
	ordinal int    // on the connection, from 1
	method  string // HTTP method, which decides how the answer is framed
	id      json.RawMessage
	ref     wire.OpRef
	role    history.ExchangeRole
	mark    *plan.Decision // nil when the exchange is not marked

	upStart, upEnd int64 // where the request stands in the upstream bytes
	downStart      int64 // where its answer starts in the downstream bytes

	settled   bool          // what became of the fault has been recorded
	delivered bool          // and it was delivered
	done      chan struct{} // closed once that is on record; nil without a mark
}

// cutsAnswer reports whether the cut waits for the answer.
func (x *exchange) cutsAnswer() bool {
	return x.mark != nil && (x.mark.Cut == plan.C4 || x.mark.Cut == plan.C5 || x.mark.Cut == plan.C6)
}

// maxOpen is how many requests may wait for their answers on one connection.
const maxOpen = 1000

// cutter is what the two halves of the cut pair share on one connection.
type cutter struct {
	hub  *Hub
	conn int64
	legs Legs
	up   *cutUp
	down *cutDown

	mu      sync.Mutex
	open    []*exchange // given to the server and not wholly answered, oldest first
	lost    bool        // one direction cannot be followed any more
	downOut int64       // bytes that the downstream half has passed on
}

func newCutter(hub *Hub, conn int64, legs Legs) *cutter {
	c := &cutter{hub: hub, conn: conn, legs: legs}
	c.up = newCutUp(c)
	c.down = newCutDown(c)
	return c
}

// begin adds an exchange whose request is about to be given to the server. It
// returns why the exchange cannot be cut, or nothing.
func (c *cutter) begin(x *exchange) (why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost = c.lost || len(c.open) >= maxOpen; c.lost {
		return missedLost
	}
	if len(c.open) > 0 {
		why = missedPipelined
	}
	x.downStart = c.downOut
	c.open = append(c.open, x)
	return why
}

// front is the exchange that the next answer belongs to, or nil.
func (c *cutter) front() *exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return nil
	}
	return c.open[0]
}

// answered drops the oldest exchange. It must be called before the last byte of
// the answer is passed on: the client may send its next request at once.
func (c *cutter) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) > 0 {
		c.open = c.open[1:]
	}
}

// pending reports whether an exchange has a fault that has not come about.
func (c *cutter) pending(x *exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return x.mark != nil && !x.settled
}

// lose says that the connection cannot be followed any more: everything passes,
// and what is pending is missed.
func (c *cutter) lose() {
	c.mu.Lock()
	c.lost = true
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for _, x := range open {
		c.miss(x, missedLost)
	}
}

func (c *cutter) isLost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// strike makes the cut and records it. It reports false when the fault was
// missed, or is missed now because the connection was over first.
func (c *cutter) strike(x *exchange) bool {
	c.mu.Lock()
	if x.settled {
		c.mu.Unlock()
		return false
	}
	err := c.legs.Cut(x.mark.Manner)
	x.settled, x.delivered = true, err == nil
	c.mu.Unlock()
	if err != nil {
		c.record(x, history.FaultMissed, strings.TrimPrefix(err.Error(), "toxics: "))
		return false
	}
	c.record(x, history.FaultDelivered, "")
	return true
}

// miss records that the fault of an exchange did not come about. It does nothing
// when there is no fault, or its record has been made.
func (c *cutter) miss(x *exchange, reason string) {
	c.mu.Lock()
	again := x.settled || x.mark == nil
	x.settled = true
	c.mu.Unlock()
	if !again {
		c.record(x, history.FaultMissed, reason)
	}
}

// record hands over the record of a fault that has just been settled.
func (c *cutter) record(x *exchange, state history.FaultState, reason string) {
	defer close(x.done)
	c.hub.receipt(history.Fault{
		Rule: x.mark.Rule, Cut: x.mark.Cut, Manner: x.mark.Manner,
		Op: x.ref.Op(), Rollout: x.ref.Rollout(), Attempt: x.ref.Attempt, Role: x.role,
		State: state, Reason: reason, Conn: c.conn, Exchange: x.ordinal,
		Up:   min(max(c.legs.Up()-x.upStart, 0), x.upEnd-x.upStart),
		Down: max(c.legs.Down()-x.downStart, 0),
	})
}

// finish records what is still pending when the connection has ended.
func (c *cutter) finish() {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for _, x := range open {
		c.miss(x, missedEnded)
	}
}
