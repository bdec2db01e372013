package toxics

// Conn is one proxied connection: what its toxics share.
type Conn struct {
	hub *Hub
	id  int64
	cut *cutter
	tap *tapper
}

// NewConn is a connection with an ordinal of the caller's choice.
func (h *Hub) NewConn(id int64, legs Legs) *Conn {
	return &Conn{
		hub: h, id: id,
		cut: newCutter(h, id, legs),
		tap: newTapper(h, id, legs),
	}
}

// Finish says that both links have ended: exchanges and faults that are still
// open are recorded as they stand. It must be called once, after the last byte
// has been written.
func (c *Conn) Finish() {
	c.cut.finish()
	c.tap.finish()
}
