package toxics

import (
	"sync"

	"mcpstorm/toxics/plan"
)

// Conn is one proxied connection: what its toxics share.
type Conn struct {
	hub *Hub
	id  int64
	cut *cutter
	tap *tapper

	halves sync.WaitGroup // of both pairs, from the start of a link to their end
}

// NewConn is a connection with an ordinal of the caller's choice.
func (h *Hub) NewConn(id int64, legs Legs) *Conn {
	return &Conn{
		hub: h, id: id,
		cut: newCutter(h, id, legs),
		tap: newTapper(h, id, legs),
	}
}

// ID is the ordinal that the connection was given.
func (c *Conn) ID() int64 { return c.id }

// Burst cuts the connection at once, whatever is under way on it, and returns
// what hands over the one record of that, which must be called once. It does not
// wait for the kernel to send what it has taken: a reset can throw that away,
// though the record counts it as passed. It may be called from any goroutine.
func (c *Conn) Burst(b plan.Burst) (record func()) { return c.cut.burst(b) }

// Finish says that both links have ended: exchanges and faults that are still
// open are recorded as they stand. It must be called once, after the last byte has
// been written, and waits until all has been read that was on its way.
func (c *Conn) Finish() {
	c.halves.Wait()
	c.cut.finish()
	c.tap.finish()
}
