package toxics

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// Why a marked fault was missed.
const (
	missedExpect    = "the request waits for leave to send its body"
	missedTooLong   = "the request is larger than can be held"
	missedPipelined = "the request was sent before the answer to an earlier one"
	missedNoBody    = "the answer has no body to cut"
	missedNoResult  = "the answer ended without a result"
	missedTooLarge  = "the answer is larger than can be withheld"
	missedNotTaken  = "the peer did not take the bytes that come before the cut"
	missedEnded     = "the connection ended before the result was whole"
	missedLost      = "the answers on this connection cannot be followed"
	missedBurst     = "a burst cut the connection first"
	missedKill      = "its server was killed first"
	missedOpen      = "the connection was open already: there was nothing to refuse"
	missedSized     = "the length of the answer is told: it has no end to leave out"
	missedClosing   = "the answer ends with its connection, as an orderly cut would end it"

	// What became of a fault that was delivered, where that is not plain.
	deliveredLeft = "the client left while it waited"
	deliveredKill = "its server was killed while it was under way, or idle"
	deliveredDown = "its server was down after a kill"
)

// exchange is one request, from its head on until its answer is whole.
type exchange struct {
	ordinal int        // on the connection, from 1
	method  string     // HTTP method, which decides how the answer is framed
	target  string     // of the request, as sent
	ref     wire.OpRef // zero when the request names no operation
	rollout string     // of the operation, or else of the path

	// Set before the exchange is open, and fixed from then on.
	id   json.RawMessage
	tool string         // that the request calls; empty where it calls none
	mark *plan.Decision // nil when the exchange is not marked
	done chan struct{}  // closed once its fault is on record; nil without a mark

	idle      time.Duration // how long the connection was idle before it
	afterIdle bool          // and whether it was

	// Guarded by the cutter's mutex.
	role               history.ExchangeRole // as far as it is known
	upStart, upEnd     int64                // where the request stands in the upstream bytes
	downStart, downEnd int64                // where its answer stands in the downstream bytes
	settled            bool                 // what became of the fault has been recorded
	delivered          bool                 // and it was delivered
}

// cutsAnswer reports whether the cut waits for the answer.
func (x *exchange) cutsAnswer() bool {
	if x.mark == nil {
		return false
	}
	switch x.mark.Cut {
	case plan.C4, plan.C5, plan.C6, plan.C7, plan.CutKill:
		return true
	}
	return false
}

// wantsWhole reports whether the answer must have come whole, and not only its
// result, before something is done to it: a front end answers over all of it.
func (x *exchange) wantsWhole() bool { return x.mark.Manner == plan.Status }

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
	coming  *exchange   // whose request comes in and is held back, once its head is whole
	open    []*exchange // given to the server and not wholly answered, oldest first
	last    *exchange   // the latest that was wholly answered
	lost    bool        // one direction cannot be followed any more
	struck  string      // why marks are missed, once a burst has cut the connection
	downOut int64       // bytes that the downstream half has passed on
	rollout string      // that the latest request named which named one
	idle    idling
}

func newCutter(hub *Hub, conn int64, legs Legs) *cutter {
	c := &cutter{hub: hub, conn: conn, legs: legs, idle: idling{rule: hub.idleRule(conn)}}
	c.up = newCutUp(c)
	c.down = newCutDown(c)
	return c
}

// comes takes note of an exchange whose request comes in.
func (c *cutter) comes(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.downStart = c.downOut
	x.idle, x.afterIdle = c.idleFor()
	c.coming = x
	c.rollout = cmp.Or(x.rollout, c.rollout)
}

// begin adds an exchange whose request is about to be given to the server. It
// returns why the exchange cannot be cut, or nothing.
func (c *cutter) begin(x *exchange) (why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.coming = nil
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

// answered drops the oldest exchange, whose answer ends a number of bytes after
// what has been passed on. It must be called before the last byte of the answer
// is passed on: the client may send its next request at once.
func (c *cutter) answered(ahead int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return
	}
	c.last, c.open = c.open[0], c.open[1:]
	c.idle.answered(c.hub.now())
	c.last.downEnd = c.downOut + int64(ahead)
	if len(c.open) > 0 {
		c.open[0].downStart = c.last.downEnd
	}
}

// moved corrects where the answer that was wholly seen last ends: so many bytes
// after what has been passed on.
func (c *cutter) moved(ahead int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last.downEnd = c.downOut + int64(ahead)
	if len(c.open) > 0 {
		c.open[0].downStart = c.last.downEnd
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
	c.open, c.coming = nil, nil
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
	if err := c.cutFor(*x.mark); err != nil {
		c.mu.Unlock()
		c.miss(x, reasonOf(err))
		return false
	}
	x.settled, x.delivered = true, true
	c.mu.Unlock()
	c.settle(x, history.FaultDelivered, "")
	return true
}

// cutFor cuts the connection as a mark says: alone, or as the first of all that
// break when the server's process ends.
func (c *cutter) cutFor(mark plan.Decision) error {
	if mark.Cut == plan.CutKill {
		return c.hub.kill(mark.Burst(), func() error { return c.legs.Cut(mark.Manner, plan.Detail{}) })
	}
	return c.legs.Cut(mark.Manner, mark.Detail)
}

// deliver records a fault that came about without a cut.
func (c *cutter) deliver(x *exchange, how string) {
	c.mu.Lock()
	again := x.settled
	x.settled, x.delivered = true, true
	c.mu.Unlock()
	if !again {
		c.settle(x, history.FaultDelivered, how)
	}
}

// delay waits for the time that a late fault keeps something back, lets go of
// it, and records the fault. A client that leaves meanwhile has met it.
func (c *cutter) delay(x *exchange, letGo func()) {
	passed := c.legs.Wait(x.mark.For)
	err := c.legs.Over()
	letGo()
	switch {
	case passed:
		c.deliver(x, "")
	case errors.Is(err, ErrClientLeft):
		c.deliver(x, deliveredLeft)
	default:
		c.miss(x, reasonOf(cmp.Or(err, ErrOver)))
	}
}

// miss records that the fault of an exchange did not come about. It does nothing
// when there is no fault, or its record has been made.
func (c *cutter) miss(x *exchange, reason string) {
	c.mu.Lock()
	again := x.settled || x.mark == nil
	x.settled = true
	reason = cmp.Or(c.struck, reason)
	c.mu.Unlock()
	if !again {
		c.settle(x, history.FaultMissed, reason)
	}
}

// settle hands over the one record of the fault of an exchange.
func (c *cutter) settle(x *exchange, state history.FaultState, reason string) {
	defer close(x.done)
	c.record(x, *x.mark, state, reason)
}

// record hands over what became of a mark on an exchange.
func (c *cutter) record(x *exchange, mark plan.Decision, state history.FaultState, reason string) {
	c.mu.Lock()
	f := c.describe(x)
	c.mu.Unlock()
	f.Rule, f.Cut, f.Manner, f.State, f.Reason, f.At = mark.Rule, mark.Cut, mark.Manner, state, reason, c.hub.now()
	f.Status, f.Leg, f.Way = mark.Code, mark.Leg, mark.Way
	c.hub.receipt(f)
}

// describe says which exchange a fault met, and how far that had come. The caller
// holds the mutex.
func (c *cutter) describe(x *exchange) history.Fault {
	f := history.Fault{
		Rollout: x.rollout, Role: x.role, Conn: c.conn, Exchange: x.ordinal,
		Up:   min(max(c.legs.Up()-x.upStart, 0), x.upEnd-x.upStart),
		Down: max(c.legs.Down()-x.downStart, 0),
	}
	if x.ref != (wire.OpRef{}) {
		f.Op, f.Attempt = x.ref.Op(), x.ref.Attempt
	}
	return f
}

// reasonOf is why a cut could not be made, as a record says it.
func reasonOf(err error) string { return strings.TrimPrefix(err.Error(), "toxics: ") }

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
