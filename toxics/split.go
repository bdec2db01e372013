package toxics

import (
	"time"
	"unicode/utf8"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// Split is a toxic that breaks nothing, in toxiproxy's registry as "mcp_split": the
// same bytes are written in other pieces. A reader that takes what one read gives
// for a message, or for whole characters, or for whole lines, is found out.
type Split struct {
	Size  int   `json:"size"`  // bytes of a piece; zero does not count
	UTF8  int   `json:"utf8"`  // 1 splits within every character of more than one byte
	CRLF  int   `json:"crlf"`  // 1 splits between a carriage return and its line feed
	Pause int64 `json:"pause"` // milliseconds between two pieces
	hubbed
}

func init() { toxics.Register("mcp_split", new(Split)) }

// Pipe implements toxiproxy's Toxic.
func (t *Split) Pipe(stub *toxics.ToxicStub) {
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

// pass hands some bytes on in pieces. When it is interrupted it hands on the rest at
// once, and reports true.
func (t *Split) pass(stub *toxics.ToxicStub, chunk *stream.StreamChunk) (interrupted bool) {
	for data := chunk.Data; len(data) > 0; {
		n := t.piece(data)
		if interrupted {
			n = len(data)
		}
		send(stub, chunk, data[:n])
		if data = data[n:]; len(data) > 0 && t.Pause > 0 {
			interrupted = pause(stub, time.Duration(t.Pause)*time.Millisecond)
		}
	}
	return interrupted
}

// piece is the length of the first piece of some bytes.
func (t *Split) piece(data []byte) int {
	end := len(data)
	if t.Size > 0 {
		end = min(end, t.Size)
	}
	for i := 1; i < end; i++ {
		within := t.UTF8 > 0 && !utf8.RuneStart(data[i])
		if within || t.CRLF > 0 && data[i-1] == '\r' && data[i] == '\n' {
			return i
		}
	}
	return end
}
