package toxics

import (
	"bytes"

	"github.com/Shopify/toxiproxy/v2/toxics"

	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// CutDown is the downstream half of the cut pair, in toxiproxy's registry as
// "mcp_cut_down". It withholds the answer to a marked request until its result
// has been seen, and cuts C4 to C7, or has the server killed. It must stand after
// TapDown.
type CutDown struct {
	Hub string `json:"hub"` // a Hub's id
}

func init() { toxics.Register("mcp_cut_down", new(CutDown)) }

// NewState finds the connection whose links are being started.
func (t *CutDown) NewState() any { return joining(t.Hub) }

// Pipe implements toxiproxy's Toxic.
func (t *CutDown) Pipe(stub *toxics.ToxicStub) {
	if c := connOf(stub); c != nil {
		c.pipe(stub, c.cut.down)
		return
	}
	pipe(stub, nil)
}

// cutDown is the state of the downstream half. It belongs to the link's
// goroutine.
type cutDown struct {
	*cutter
	framer *wire.Framer

	current *exchange // whose answer is under way; nil between answers
	answer  answer
	held    []byte // bytes of the answer that are withheld
	headLen int    // bytes of the answer's head, informational ones included
	bodyEnd int    // bytes of the answer up to the end of its body so far
}

func newCutDown(c *cutter) *cutDown {
	return &cutDown{cutter: c, framer: wire.NewResponseFramer(wire.Limits{})}
}

// chunk implements half.
func (d *cutDown) chunk(data []byte, out *output) (cut bool) {
	start, pos := 0, 0 // data[start:pos] has been framed and is not passed on yet
	for {
		if pos < len(data) && d.current == nil && !d.next() {
			d.release(out)
			d.pass(data[start:], out)
			return false
		}
		n, frame := d.framer.Next(data[pos:])
		pos += n
		if frame.Kind == wire.FrameNone {
			d.rest(data[start:], out)
			return false
		}
		d.note(frame, len(d.held)+pos-start)
		if d.due() {
			d.held = append(d.held, data[start:pos]...)
			start = pos
			if d.resolve(out) {
				return true
			}
		}
		if frame.Kind == wire.FrameEnd {
			d.current = nil
		}
	}
}

// next finds whose answer begins. Without a request there is nothing to follow.
func (d *cutDown) next() bool {
	if d.current = d.front(); d.current == nil || d.isLost() {
		d.lose()
		return false
	}
	d.answer = answer{method: d.current.method, id: d.current.id}
	d.framer.Expect(d.current.method)
	return true
}

// note takes note of the next frame, which ends so many bytes after what has been
// passed on.
func (d *cutDown) note(frame wire.Frame, at int) {
	switch frame.Kind {
	case wire.FrameHead:
		d.headLen = at
	case wire.FrameBody:
		d.bodyEnd = at
	case wire.FrameEnd:
		d.answered(at)
	case wire.FrameLost:
		d.lose()
	}
	if d.current.mark != nil {
		d.answer.frame(frame)
	}
}

// due reports whether it is time to do something about the answer under way: its
// result has been seen, or it is whole, and its exchange has a fault pending.
func (d *cutDown) due() bool {
	if !d.withheld() {
		return false
	}
	return d.answer.whole || d.answer.seen && d.current.cutsAnswer() && !d.current.wantsWhole()
}

// resolve does to the answer under way what its mark says, or waits until the
// upstream half has done so to its request. What could not be done lets the
// answer through.
func (d *cutDown) resolve(out *output) (cut bool) {
	switch x := d.current; {
	case !x.cutsAnswer():
		<-x.done
		d.mu.Lock()
		cut = x.delivered && x.mark.Manner != plan.Late // what was late is not lost
		d.mu.Unlock()
	case x.mark.Manner == plan.Late && d.answer.seen:
		d.delay(x, func() { d.release(out); d.legs.AwaitDown(d.passed()) })
	case x.mark.Manner == plan.Status:
		d.replace(out)
		return false
	default:
		return d.cutAnswer(out)
	}
	if !cut {
		d.release(out)
	}
	return cut
}

// replace gives the client a front end's answer over the server's, which has come
// whole.
func (d *cutDown) replace(out *output) {
	x := d.current
	if !d.answer.seen {
		d.miss(x, missedNoResult)
		d.release(out)
		return
	}
	d.held = frontAnswer(x.method, x.target, x.mark.Detail, false)
	d.moved(len(d.held))
	d.release(out)
	if !d.legs.AwaitDown(d.passed()) {
		d.miss(x, missedNotTaken)
		return
	}
	d.deliver(x, "")
}

// withheld reports whether the bytes of the answer under way stay here.
func (d *cutDown) withheld() bool { return d.current != nil && d.pending(d.current) }

// rest passes on, or withholds, what a chunk leaves over.
func (d *cutDown) rest(data []byte, out *output) {
	if d.withheld() && len(d.held)+len(data) > MaxAnswer {
		d.miss(d.current, missedTooLarge)
	}
	if d.withheld() {
		d.held = append(d.held, data...)
		return
	}
	d.release(out)
	d.pass(data, out)
}

// cutAnswer gives the client as much of the answer as the cut allows, and cuts.
func (d *cutDown) cutAnswer(out *output) (cut bool) {
	x := d.current
	given, why := d.allowed(x.mark)
	if why == "" {
		d.pass(d.held[:given], out)
		d.held = d.held[given:]
		if !d.legs.AwaitDown(d.passed()) {
			why = missedNotTaken
		} else if d.strike(x) {
			return true
		}
	}
	d.miss(x, why)
	d.release(out)
	return false
}

// allowed is how many bytes of the withheld answer a cut gives to the client, or
// why the cut cannot be made.
func (d *cutDown) allowed(mark *plan.Decision) (given int, why string) {
	switch {
	case !d.answer.seen:
		return 0, missedNoResult
	case mark.Cut == plan.C4, mark.Cut == plan.CutKill:
		return 0, ""
	case d.answer.length == 0:
		return 0, missedNoBody
	case mark.Cut == plan.C5:
		return d.headLen, ""
	case mark.Cut == plan.C6:
		return d.headLen + d.answer.length/2, "" // half, whatever the transfer coding adds
	case d.answer.sized:
		return 0, missedSized
	case !d.answer.chunked && mark.Manner == plan.FIN:
		return 0, missedClosing
	}
	return d.bodyEnd + lineEnd(d.held[d.bodyEnd:]), ""
}

// lineEnd is the length of the line end that text begins with, which may be none.
func lineEnd(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(text, []byte("\n")):
		return 1
	}
	return 0
}

// end implements half. The end of the stream can be what completes an answer.
func (d *cutDown) end(out *output) {
	frame := d.framer.EOF()
	if d.current == nil {
		return
	}
	if frame.Kind == wire.FrameEnd {
		d.note(frame, len(d.held))
	}
	if d.withheld() && (d.due() || !d.current.cutsAnswer()) && d.resolve(out) {
		return
	}
	d.miss(d.current, missedEnded)
	d.release(out)
}

// release lets through what was withheld.
func (d *cutDown) release(out *output) {
	d.pass(d.held, out)
	d.held = nil
}

func (d *cutDown) pass(data []byte, out *output) {
	d.mu.Lock()
	d.downOut += int64(len(data))
	d.mu.Unlock()
	out.send(data)
}

// passed is how many bytes have been passed on.
func (d *cutDown) passed() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.downOut
}
