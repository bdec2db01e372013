package toxics

import (
	"bytes"
	"slices"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// MaxChunk is the most bytes that may travel along a chain in one piece, and the
// least that the writer at its end must have room for: toxiproxy v2.12.0's
// stream.ChanReader drops what does not fit when another piece is waiting.
const MaxChunk = 16 << 10

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
	for piece := range slices.Chunk(data, MaxChunk) {
		next := &stream.StreamChunk{Data: piece}
		if o.last != nil {
			next.Timestamp = o.last.Timestamp
		}
		o.stub.Output <- next
	}
}

// pipe runs one half on a connection, which waits for its end.
func (c *Conn) pipe(stub *toxics.ToxicStub, h half) {
	if ended := pipe(stub, h); ended {
		c.halves.Done()
	}
}

// pipe runs one half, and reports whether it has come to its end or was only
// interrupted. A half without a connection passes everything.
func pipe(stub *toxics.ToxicStub, h half) (ended bool) {
	if h == nil {
		new(toxics.NoopToxic).Pipe(stub)
		return true
	}
	out := &output{stub: stub}
	for {
		select {
		case <-stub.Interrupt:
			return false
		case chunk := <-stub.Input:
			if chunk == nil {
				h.end(out)
				stub.Close()
				return true
			}
			out.last = chunk
			if h.chunk(chunk.Data, out) {
				drain(stub)
				return true
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
// Over the limit it keeps only the beginning of them, of at most maxGlimpse. The
// pieces must not change afterwards.
type gather struct {
	bytes []byte
	over  bool
}

func (g *gather) add(p []byte, limit int) {
	switch {
	case g.over:
	case len(g.bytes)+len(p) > limit:
		all := append(g.bytes, p[:min(len(p), maxGlimpse)]...)
		g.bytes, g.over = bytes.Clone(all[:min(len(all), maxGlimpse)]), true
	case len(g.bytes) == 0:
		g.bytes = p[:len(p):len(p)]
	default:
		g.bytes = append(g.bytes, p...)
	}
}
