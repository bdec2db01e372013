package toxics

import (
	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// CutUp is the upstream half of the cut pair, in toxiproxy's registry as
// "mcp_cut_up". It holds each request that names an operation until it is whole,
// asks whether it is marked, and cuts C1 to C3. It must stand before TapUp.
type CutUp struct {
	Hub string `json:"hub"` // a Hub's id
}

func init() { toxics.Register("mcp_cut_up", new(CutUp)) }

// NewState finds the connection whose links are being started.
func (t *CutUp) NewState() any { return starting(t.Hub) }

// Pipe implements toxiproxy's Toxic.
func (t *CutUp) Pipe(stub *toxics.ToxicStub) {
	if c, _ := stub.State.(*Conn); c != nil {
		pipe(stub, c.cut.up)
		return
	}
	pipe(stub, nil)
}

// cutUp is the state of the upstream half. It belongs to the link's goroutine.
type cutUp struct {
	*cutter
	framer *wire.Framer
	out    int64 // bytes passed on
	count  int   // requests begun

	holding bool   // the bytes of the request under way are held back
	held    []byte // those of earlier chunks
	headLen int    // bytes of the request's head
	head    *wire.Head
	body    gather
}

func newCutUp(c *cutter) *cutUp {
	return &cutUp{cutter: c, framer: wire.NewRequestFramer(wire.Limits{}), holding: true}
}

// chunk implements half.
func (u *cutUp) chunk(data []byte, out *output) (cut bool) {
	start, pos := 0, 0 // data[start:pos] has been framed and is not passed on yet
	for {
		n, frame := u.framer.Next(data[pos:])
		pos += n
		switch frame.Kind {
		case wire.FrameNone:
			u.rest(data[start:], out)
			return false
		case wire.FrameHead:
			u.count++
			u.head, u.headLen = frame.Head, len(u.held)+pos-start
			if !u.worthHolding() {
				u.release(out)
			}
		case wire.FrameBody:
			if u.holding {
				u.body.add(frame.Body, MaxRequest)
			}
		case wire.FrameEnd:
			if u.finishRequest(data[start:pos], out) {
				return true
			}
			start = pos
		case wire.FrameLost:
			u.lose()
			u.pass(u.held, out)
			u.holding, u.held = false, nil
		}
	}
}

// rest passes on, or holds, what a chunk leaves over.
func (u *cutUp) rest(data []byte, out *output) {
	if !u.holding {
		u.pass(data, out)
		return
	}
	u.held = append(u.held, data...)
	if u.head != nil && len(u.held) > MaxRequest {
		u.release(out)
	}
}

// worthHolding reports whether the request under way can be marked at all. One
// that waits for leave to send its body would wait for ever if it were held.
func (u *cutUp) worthHolding() bool {
	_, err := wire.ParseOpRef(u.head.Get(wire.OpHeader))
	return err == nil && u.hub.opts.Decider != nil && u.head.Length <= MaxRequest && u.head.Get("Expect") == "" && !u.isLost()
}

// release lets the request under way through unmarked.
func (u *cutUp) release(out *output) {
	u.begin(&exchange{ordinal: u.count, method: u.head.Method})
	u.holding, u.body = false, gather{}
	u.pass(u.held, out)
	u.held = nil
}

// finishRequest ends one request, whose last bytes these are.
func (u *cutUp) finishRequest(last []byte, out *output) (cut bool) {
	held, body, holding := u.held, u.body.bytes, u.holding
	head, headLen := u.head, u.headLen
	u.held, u.body, u.holding, u.head = nil, gather{}, true, nil
	if !holding {
		u.pass(last, out)
		return false
	}
	raw := last
	if len(held) > 0 {
		raw = append(held, last...)
	}
	return u.whole(head, headLen, body, raw, out)
}

// whole decides about a whole request.
func (u *cutUp) whole(head *wire.Head, headLen int, body, raw []byte, out *output) (cut bool) {
	r := readRequest(head, body)
	x := &exchange{
		ordinal: u.count, method: head.Method, id: r.id, ref: r.ref, role: r.role,
		upStart: u.out, upEnd: u.out + int64(len(raw)),
	}
	if d, ok := u.hub.opts.Decider.Decide(plan.Exchange{Server: u.hub.opts.Server, Ref: r.ref, Role: r.role}); ok {
		x.mark, x.done = &d, make(chan struct{})
	}
	if why := u.begin(x); why != "" {
		u.miss(x, why)
	}
	if !u.pending(x) {
		u.pass(raw, out)
		return false
	}
	return u.apply(x, headLen, body, raw, out)
}

// apply gives the server as much of a marked request as its cut allows, and cuts
// if the cut is one of the request. A cut that could not be made lets the rest
// of the request through.
func (u *cutUp) apply(x *exchange, headLen int, body, raw []byte, out *output) (cut bool) {
	if x.cutsAnswer() {
		u.pass(raw, out)
		return false
	}
	given := len(raw) // C3
	switch x.mark.Cut {
	case plan.C1:
		given = 0
	case plan.C2:
		given = partOfRequest(headLen, len(body), len(raw))
	}
	u.pass(raw[:given], out)
	if !u.legs.AwaitUp(u.out) {
		u.miss(x, missedNotTaken)
	} else if u.strike(x) {
		return true
	}
	u.pass(raw[given:], out)
	return false
}

// partOfRequest is the head and as many bytes as make half of the body without
// its transfer coding, or half of a bare head. At least one byte is missing, and
// no server can read the whole content out of it.
func partOfRequest(headLen, bodyLen, whole int) int {
	if headLen < whole {
		return headLen + bodyLen/2
	}
	return headLen / 2
}

// end implements half.
func (u *cutUp) end(out *output) {
	u.pass(u.held, out)
	u.held = nil
}

func (u *cutUp) pass(data []byte, out *output) {
	u.out += int64(len(data))
	out.send(data)
}
