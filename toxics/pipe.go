package toxics

import (
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// half is one direction of a pair of toxics on one connection. Only the
// goroutine of its link calls it.
type half interface {
	// chunk handles bytes that came in, passing bytes on through out. It reports
	// true when the connection has been cut.
	chunk(data []byte, out *output) (cut bool)
	// end says that no more bytes will come.
	end(out *output)
}

// output passes bytes on to the next toxic of a chain.
type output struct {
	stub *toxics.ToxicStub
	last *stream.StreamChunk // the chunk under way, for its time of arrival
}

// send passes bytes on. It keeps the slice; nobody may change it afterwards.
func (o *output) send(data []byte) {
	if len(data) == 0 {
		return
	}
	next := &stream.StreamChunk{Data: data}
	if o.last != nil {
		next.Timestamp = o.last.Timestamp
	}
	o.stub.Output <- next
}

// pipe runs one half. A half without a connection passes everything.
func pipe(stub *toxics.ToxicStub, h half) {
	if h == nil {
		new(toxics.NoopToxic).Pipe(stub)
		return
	}
	out := &output{stub: stub}
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				h.end(out)
				stub.Close()
				return
			}
			out.last = chunk
			if h.chunk(chunk.Data, out) {
				drain(stub)
				return
			}
		}
	}
}

// drain ends the chain after a cut. What still comes in is dropped: otherwise
// the goroutines before this one would wait for ever.
func drain(stub *toxics.ToxicStub) {
	for range stub.Input {
	}
	stub.Close()
}

// gather collects bytes up to a limit, without a copy while they are one piece.
// The pieces must not change afterwards.
type gather struct {
	bytes []byte
	over  bool
}

func (g *gather) add(p []byte, limit int) {
	switch {
	case g.over:
	case len(g.bytes)+len(p) > limit:
		g.bytes, g.over = nil, true
	case len(g.bytes) == 0:
		g.bytes = p[:len(p):len(p)]
	default:
		g.bytes = append(g.bytes, p...)
	}
}
