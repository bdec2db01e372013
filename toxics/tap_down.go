package toxics

import (
	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// TapDown is the downstream half of the tap pair, in toxiproxy's registry as
// "mcp_tap_down". It reads on a copy what the server answers, and changes and
// delays nothing. It must be the first toxic of its chain.
type TapDown struct {
	Hub string `json:"hub"` // a Hub's id
}

func init() { toxics.Register("mcp_tap_down", new(TapDown)) }

// NewState finds the connection whose links are being started.
func (t *TapDown) NewState() any { return joining(t.Hub) }

// Pipe implements toxiproxy's Toxic.
func (t *TapDown) Pipe(stub *toxics.ToxicStub) {
	if c := connOf(stub); c != nil {
		c.pipe(stub, c.tap.down)
		return
	}
	pipe(stub, nil)
}

// tapDown is the state of the downstream half. It belongs to the link's
// goroutine.
type tapDown struct {
	*tapper
	framer  *wire.Framer
	current *passage        // whose answer is under way; nil between answers
	at      history.Instant // when the bytes under way came
}

// chunk implements half. The bytes go first: reading them may take longer.
func (d *tapDown) chunk(data []byte, out *output) (cut bool) {
	d.at = d.hub.now()
	out.send(data)
	d.read(data)
	return false
}

// end implements half. The end of the stream can be what completes an answer.
func (d *tapDown) end(*output) {
	d.at = d.hub.now()
	if frame := d.framer.EOF(); d.current != nil && frame.Kind == wire.FrameEnd {
		d.note(frame)
	}
}

// read takes note of bytes that have been passed on.
func (d *tapDown) read(data []byte) {
	for {
		if d.current == nil && len(data) > 0 && !d.next() {
			d.lose()
			return
		}
		n, frame := d.framer.Next(data)
		data = data[n:]
		if d.current != nil {
			d.current.down += int64(n)
		}
		switch frame.Kind {
		case wire.FrameNone:
			return
		case wire.FrameLost:
			d.lose()
		default:
			d.note(frame)
		}
	}
}

// next finds whose answer begins, and reports false when nobody asked.
func (d *tapDown) next() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost || len(d.open) == 0 {
		return false
	}
	d.current = d.open[0]
	d.current.answer = answer{method: d.current.record.Method, id: d.current.id, keep: true}
	d.framer.Expect(d.current.record.Method)
	return true
}

// note takes note of the next frame. At the end of the answer the exchange is
// recorded; one that its client left waits for what may follow.
func (d *tapDown) note(frame wire.Frame) {
	d.current.answer.frame(frame)
	if frame.Kind != wire.FrameEnd {
		return
	}
	p := d.current
	d.current = nil
	d.mu.Lock()
	d.open = d.open[1:]
	waits := p.record.Left != nil
	if waits {
		p.ended = d.at
		d.late = append(d.late, p)
	}
	d.mu.Unlock()
	if !waits {
		d.emit(p, d.at)
	}
}
