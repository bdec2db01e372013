package toxics

import (
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/toxics/plan"
)

// Some of toxiproxy's own toxics leave goroutines behind when they end a
// connection, sleep on when it is over, or need sockets of their own. What stands
// here takes their names in the registry, with the same attributes and effect.
func init() {
	toxics.Register("limit_data", new(LimitData))
	toxics.Register("timeout", new(Timeout))
	toxics.Register("reset_peer", new(ResetPeer))
	toxics.Register("slow_close", new(SlowClose))
	toxics.Register("bandwidth", new(Bandwidth))
}

// onHub is a toxic that finds its connection through a Hub.
type onHub interface{ usesHub() }

// UsesHub reports whether toxics of this type want a Hub's id in the attribute
// "hub".
func UsesHub(toxic string) bool {
	_, ok := toxics.New(&toxics.ToxicWrapper{Type: toxic}).(onHub)
	return ok
}

// hubbed finds the connection of a toxic.
type hubbed struct {
	Hub string `json:"hub,omitempty"` // a Hub's id
}

func (hubbed) usesHub() {}

// NewState finds the connection whose links are being started.
func (h hubbed) NewState() any { return starting(h.Hub) }

// connOf is the connection of a stub, or nil when the toxic was not started with
// one.
func connOf(stub *toxics.ToxicStub) *Conn {
	c, _ := stub.State.(*Conn)
	return c
}

// wait waits as long as both sockets are open, or not at all without them.
func (c *Conn) wait(d time.Duration) {
	if c != nil {
		c.cut.legs.Linger(d)
	}
}

// LimitData is toxiproxy's limit_data. What comes beyond the limit is read and
// dropped.
type LimitData struct{ toxics.LimitDataToxic }

// Pipe implements toxiproxy's Toxic.
func (t *LimitData) Pipe(stub *toxics.ToxicStub) {
	t.LimitDataToxic.Pipe(stub)
	drainClosed(stub)
}

// Timeout is toxiproxy's timeout. What comes after it is read and dropped.
type Timeout struct{ toxics.TimeoutToxic }

// Pipe implements toxiproxy's Toxic.
func (t *Timeout) Pipe(stub *toxics.ToxicStub) {
	t.TimeoutToxic.Pipe(stub)
	drainClosed(stub)
}

// drainClosed reads on after a toxic that has closed its output: otherwise the
// goroutines before it would wait for ever.
func drainClosed(stub *toxics.ToxicStub) {
	if stub.Closed() {
		drain(stub)
	}
}

// ResetPeer is toxiproxy's reset_peer: some time after the first bytes, both
// sockets are reset. It changes no other close.
type ResetPeer struct {
	Timeout int64 `json:"timeout"` // milliseconds
	hubbed
}

// Pipe implements toxiproxy's Toxic.
func (t *ResetPeer) Pipe(stub *toxics.ToxicStub) {
	select {
	case <-stub.Interrupt:
		return
	case chunk := <-stub.Input:
		if c := connOf(stub); c != nil && chunk != nil {
			c.wait(time.Duration(t.Timeout) * time.Millisecond)
			_ = c.cut.legs.Cut(plan.RST, plan.Detail{}) // a connection that is over is
		}
	}
	drain(stub)
}

// SlowClose is toxiproxy's slow_close: the end of the stream is passed on some time
// later.
type SlowClose struct {
	Delay int64 `json:"delay"` // milliseconds
	hubbed
}

// Pipe implements toxiproxy's Toxic.
func (t *SlowClose) Pipe(stub *toxics.ToxicStub) {
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				connOf(stub).wait(time.Duration(t.Delay) * time.Millisecond)
				stub.Close()
				return
			}
			stub.Output <- chunk
		}
	}
}

// Bandwidth is toxiproxy's bandwidth: at most so many kilobytes a second pass. A
// connection that is over is not slowed down any more.
type Bandwidth struct {
	Rate int64 `json:"rate"` // KB/s; zero is no limit
	hubbed
}

// Pipe implements toxiproxy's Toxic.
func (t *Bandwidth) Pipe(stub *toxics.ToxicStub) {
	const step = 100 * time.Millisecond
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				stub.Close()
				return
			}
			data := chunk.Data
			for piece := int(t.Rate * 100); t.Rate > 0 && len(data) > piece; data = data[piece:] {
				connOf(stub).wait(step)
				stub.Output <- &stream.StreamChunk{Data: data[:piece], Timestamp: chunk.Timestamp}
			}
			if t.Rate > 0 {
				connOf(stub).wait(time.Duration(len(data)) * time.Millisecond / time.Duration(t.Rate))
			}
			stub.Output <- &stream.StreamChunk{Data: data, Timestamp: chunk.Timestamp}
		}
	}
}
