package toxics

import (
	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// TapUp is the upstream half of the tap pair, in toxiproxy's registry as
// "mcp_tap_up". It reads on a copy what goes to the server, and changes and
// delays nothing. It must be the last toxic of its chain.
type TapUp struct {
	Hub string `json:"hub"` // a Hub's id
}

func init() { toxics.Register("mcp_tap_up", new(TapUp)) }

// NewState finds the connection whose links are being started.
func (t *TapUp) NewState() any { return joining(t.Hub) }

// Pipe implements toxiproxy's Toxic.
func (t *TapUp) Pipe(stub *toxics.ToxicStub) {
	if c := connOf(stub); c != nil {
		c.pipe(stub, c.tap.up)
		return
	}
	pipe(stub, nil)
}

// tapUp is the state of the upstream half. It belongs to the link's goroutine.
type tapUp struct {
	*tapper
	framer  *wire.Framer
	out     int64 // bytes seen
	count   int   // requests begun
	begun   bool  // the first byte of a request has been seen
	start   int64 // where it stands
	since   history.Instant
	current *passage // the request under way, once its head is whole
}

// chunk implements half. The bytes go last: their answer must find the exchange.
func (u *tapUp) chunk(data []byte, out *output) (cut bool) {
	u.read(data)
	out.send(data)
	return false
}

// end implements half.
func (u *tapUp) end(*output) {}

// read takes note of bytes that are about to be passed on.
func (u *tapUp) read(data []byte) {
	for {
		if !u.begun && len(data) > 0 {
			u.begun, u.start, u.since = true, u.out, u.hub.now()
		}
		n, frame := u.framer.Next(data)
		data = data[n:]
		u.advance(int64(n))
		switch frame.Kind {
		case wire.FrameNone:
			return
		case wire.FrameHead:
			u.head(frame.Head)
		case wire.FrameBody:
			u.current.body.add(frame.Body, MaxRequest)
		case wire.FrameEnd:
			u.whole()
		case wire.FrameLost:
			u.lose()
		}
	}
}

// advance counts bytes as part of the request under way.
func (u *tapUp) advance(n int64) {
	u.out += n
	if u.current == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.current.end = u.out
}

// head begins an exchange.
func (u *tapUp) head(h *wire.Head) {
	u.count++
	rollout, _ := wire.RolloutFromPath(h.Path())
	u.current = &passage{
		head: h, start: u.start, end: u.out, stateless: inStatelessEra(h),
		record: history.Wire{
			Conn: u.conn, Exchange: u.count, Rollout: rollout, Method: h.Method,
			Hint: h.Get(wire.OpHeader), Start: u.since,
		},
	}
	if !u.enqueue(u.current) {
		u.lose()
	}
}

// enqueue adds an exchange to those that wait for their answers, if there is room.
func (u *tapUp) enqueue(p *passage) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost || len(u.open) >= maxOpen {
		return false
	}
	u.open = append(u.open, p)
	return true
}

// whole ends the request under way and reads what it is about.
func (u *tapUp) whole() {
	p := u.current
	r := readRequest(p.head, p.body, u.hub.opts.KeyRule)
	u.mu.Lock()
	defer u.mu.Unlock()
	w := &p.record
	w.RPC, w.Role, w.Tool, w.Key = r.rpc, r.role, r.tool, r.key
	p.id, p.whole = r.id, true
	p.head, p.body = nil, gather{}
	u.current, u.begun = nil, false
}
