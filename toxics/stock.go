package toxics

import (
	"context"
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

// pause waits for a time, or until both sockets are closed, or not at all without
// them. It reports true when the toxic was interrupted first.
func pause(stub *toxics.ToxicStub, d time.Duration) (interrupted bool) {
	over, stop := elapsed(stub, d)
	defer stop()
	select {
	case <-over:
		return false
	case <-stub.Interrupt:
		return true
	}
}

// elapsed gives a channel that is closed when a time has passed, or both sockets are
// closed. Stop must be called once nobody waits for it any more, and leaves nothing
// behind.
func elapsed(stub *toxics.ToxicStub, d time.Duration) (over <-chan struct{}, stop func()) {
	ended := make(chan struct{})
	c := connOf(stub)
	if c == nil || d <= 0 {
		close(ended)
		return ended, func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		c.cut.legs.Linger(ctx, d)
	}()
	return ended, func() {
		cancel()
		<-ended
	}
}

// LimitData is toxiproxy's limit_data. What comes beyond the limit is read and
// dropped.
type LimitData struct{ toxics.LimitDataToxic }

// Pipe implements toxiproxy's Toxic.
func (t *LimitData) Pipe(stub *toxics.ToxicStub) {
	t.LimitDataToxic.Pipe(stub)
	if stub.Closed() {
		drain(stub)
	}
}

// Timeout is toxiproxy's timeout: nothing passes, and when nothing has come for a
// time the stream ends. What comes after that is read and dropped. When the toxic
// itself ends first, a stream of which something was dropped ends with it: with a hole
// in it nobody could read on.
type Timeout struct {
	Timeout int64 `json:"timeout"` // milliseconds; zero is no end
	hubbed
}

// Pipe implements toxiproxy's Toxic.
func (t *Timeout) Pipe(stub *toxics.ToxicStub) {
	for dropped := false; t.drop(stub, dropped); dropped = true {
	}
}

// drop waits for the next piece of a stream, of which some have been dropped or none,
// and drops it. It reports false when there was none, and the toxic has ended.
func (t *Timeout) drop(stub *toxics.ToxicStub, some bool) bool {
	var over <-chan struct{}
	if t.Timeout > 0 {
		var stop func()
		over, stop = elapsed(stub, time.Duration(t.Timeout)*time.Millisecond)
		defer stop()
	}
	select {
	case <-over:
		endEarly(stub)
	case <-stub.Interrupt:
		if some {
			endEarly(stub)
		}
	case chunk := <-stub.Input:
		if chunk != nil {
			return true
		}
		stub.Close()
	}
	return false
}

// endEarly ends a stream before its input has ended, and reads on: otherwise the
// goroutines before it would wait for ever.
func endEarly(stub *toxics.ToxicStub) {
	stub.Close()
	drain(stub)
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
		if chunk != nil && pause(stub, time.Duration(t.Timeout)*time.Millisecond) {
			stub.Output <- chunk
			return
		}
		if c := connOf(stub); c != nil && chunk != nil {
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
				pause(stub, time.Duration(t.Delay)*time.Millisecond)
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
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				stub.Close()
				return
			}
			if t.pass(stub, chunk) {
				return
			}
		}
	}
}

// pass hands a piece on at the rate that is allowed. When it is interrupted it hands on
// the rest at once, and reports true.
func (t *Bandwidth) pass(stub *toxics.ToxicStub, chunk *stream.StreamChunk) (interrupted bool) {
	const step = 100 * time.Millisecond
	data := chunk.Data
	for piece := int(t.Rate * 100); t.Rate > 0 && len(data) > 0 && !interrupted; {
		n := min(piece, len(data))
		if interrupted = pause(stub, step*time.Duration(n)/time.Duration(piece)); !interrupted {
			send(stub, chunk, data[:n])
			data = data[n:]
		}
	}
	if len(data) > 0 {
		send(stub, chunk, data)
	}
	return interrupted
}

// send hands on a part of a piece.
func send(stub *toxics.ToxicStub, of *stream.StreamChunk, data []byte) {
	stub.Output <- &stream.StreamChunk{Data: data, Timestamp: of.Timestamp}
}
