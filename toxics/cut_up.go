package toxics

import (
	"math"

	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// CutUp is the upstream half of the cut pair, in toxiproxy's registry as
// "mcp_cut_up". It holds each request that names an operation until it is whole,
// asks whether it is marked and armed, and cuts C1 to C3w
// and C8. It must stand before TapUp.
type CutUp struct {
	Hub string `json:"hub"` // a Hub's id
}

func init() { toxics.Register("mcp_cut_up", new(CutUp)) }

// NewState finds the connection whose links are being started.
func (t *CutUp) NewState() any { return joining(t.Hub) }

// Pipe implements toxiproxy's Toxic.
func (t *CutUp) Pipe(stub *toxics.ToxicStub) {
	if c := connOf(stub); c != nil {
		c.pipe(stub, c.cut.up)
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

	current *exchange // of the request under way, once its head is whole
	holding bool      // the bytes of the request under way are held back
	held    []byte    // those of earlier chunks
	headLen int       // bytes of the request's head
	body    gather    // of a held request, or the beginning of one that passes
	excuse  string    // why a request that passes cannot be cut, until its mark is known
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
			u.head(frame.Head, len(u.held)+pos-start, out)
		case wire.FrameBody:
			u.content(frame.Body, out)
		case wire.FrameEnd:
			if u.finishRequest(data[start:pos], out) {
				return true
			}
			start = pos
		case wire.FrameLost:
			u.lose()
			u.pass(u.held, out)
			u.holding, u.held, u.excuse = false, nil, ""
		}
	}
}

// head begins a request.
func (u *cutUp) head(h *wire.Head, length int, out *output) {
	u.count++
	ref, err := wire.ParseOpRef(h.Get(wire.OpHeader))
	x := &exchange{
		ordinal: u.count, method: h.Method, target: h.Target, ref: ref, role: exchangeRole(h.Method, "", ref.Step),
		upStart: u.out, upEnd: math.MaxInt64,
	}
	if x.rollout, _ = wire.RolloutFromPath(h.Path()); err == nil {
		x.rollout = ref.Rollout()
	}
	u.current, u.headLen = x, length
	u.comes(x)
	if (err != nil || u.hub.opts.Decider == nil) && u.forgotten(x) == nil {
		u.release("", out)
	} else if why := u.unholdable(h); why != "" {
		u.release(why, out)
	}
}

// content takes note of a piece of the body under way.
func (u *cutUp) content(p []byte, out *output) {
	if u.holding && len(u.body.bytes)+len(p) > MaxRequest {
		u.release(missedTooLong, out)
	}
	switch {
	case u.holding:
		u.body.add(p, MaxRequest)
	case u.excuse != "":
		u.body.add(p[:min(len(p), maxGlimpse-len(u.body.bytes))], maxGlimpse)
		u.glimpse(false)
	}
}

// rest passes on, or holds, what a chunk leaves over.
func (u *cutUp) rest(data []byte, out *output) {
	if !u.holding {
		u.pass(data, out)
		return
	}
	u.held = append(u.held, data...)
	if u.current != nil && len(u.held) > MaxRequest {
		u.release(missedTooLong, out)
	}
}

// finishRequest ends one request, whose last bytes these are.
func (u *cutUp) finishRequest(last []byte, out *output) (cut bool) {
	x := u.current
	if !u.holding {
		u.pass(last, out)
		u.understood(x, x.role, u.out)
		u.glimpse(true)
		u.current, u.holding = nil, true
		return false
	}
	raw := last
	if len(u.held) > 0 {
		raw = append(u.held, last...)
	}
	body := u.body.bytes
	u.current, u.held, u.body = nil, nil, gather{}
	return u.whole(x, body, raw, out)
}

// understood takes note of what an exchange is and where its request ends.
func (u *cutUp) understood(x *exchange, role history.ExchangeRole, end int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	x.role, x.upEnd = role, end
}

// whole decides about a whole request.
func (u *cutUp) whole(x *exchange, body, raw []byte, out *output) (cut bool) {
	id, rpc, tool := messageIn(body)
	x.id, x.tool = id, tool
	u.understood(x, exchangeRole(x.method, rpc, x.ref.Step), x.upStart+int64(len(raw)))
	if x.mark = u.mark(x); x.mark == nil {
		x.mark = u.forgotten(x)
	}
	if x.mark != nil {
		x.done = make(chan struct{})
	}
	if why := u.begin(x); why != "" {
		u.miss(x, why)
	}
	if !u.pending(x) {
		u.pass(raw, out)
		return false
	}
	return u.apply(x, u.headLen, body, raw, out)
}

// mark is the mark on an exchange, or nil. One whose window is closed is put on
// record and dropped; the window counts at this moment, whenever a cut would come.
func (u *cutUp) mark(x *exchange) *plan.Decision {
	decider := u.hub.opts.Decider
	mark, ok := decider.Decide(plan.Exchange{Server: u.hub.opts.Server, Ref: x.ref, Role: x.role, Tool: x.tool})
	if !ok {
		return nil
	}
	if w := decider.Window(mark.Rule); !w.Armed(u.hub.Elapsed(), x.ref.Step, mark.Draw) {
		u.record(x, mark, history.FaultUnarmed, "outside its window: "+w.String())
		return nil
	}
	if mark.Cut == plan.C0 {
		u.record(x, mark, history.FaultMissed, missedOpen)
		return nil
	}
	return &mark
}

// apply does to a marked request what its mark says, if that is about the
// request. What could not be done lets the request through.
func (u *cutUp) apply(x *exchange, headLen int, body, raw []byte, out *output) (cut bool) {
	switch {
	case x.cutsAnswer():
		u.pass(raw, out)
		return false
	case x.mark.Manner == plan.Late:
		u.delay(x, func() { u.pass(raw, out); u.legs.AwaitUp(u.out) })
		return false
	case x.mark.Manner == plan.Status:
		return u.answer(x, raw, out)
	}
	given := 0 // C1, C3w, C8, and what comes after an idle time
	switch x.mark.Cut {
	case plan.C2:
		given = partOfRequest(headLen, len(body), len(raw))
	case plan.C3:
		given = len(raw)
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
