package check

import (
	"fmt"
	"time"

	"mcpstorm/history"
)

// In the 2026-07-28 era a disconnect is a cancel, after which a server must send no
// message more for it (streamable HTTP, cancellation); that HTTP ends an answer which
// says nothing is no message. What was under way when the cancel came proves nothing, and
// neither does what a server sends before it could notice: only what came later than the
// grace is held against it. The witness must have listened for long enough to hear that.
const (
	cancelGrace = time.Second
	cancelHeard = 2 * cancelGrace
)

// sentAfterCancel is the kind of violation, and unheard why a call is not judged by it.
const (
	sentAfterCancel = "sent on after a cancel"
	unheard         = "whether a message was sent after its cancel is not known: the witness could not listen for long enough"
)

// addCancelled takes note of a call whose client left before it was answered, in an era in
// which that cancels it. What was not wholly handed over is nothing to cancel.
func (c *conversation) addCancelled(id *identity, w *history.Wire) {
	if w.Left != nil && w.Handed && stateless(c.server.Era) && id.means(w.Tool) {
		c.arm.cancelled[id] = append(c.arm.cancelled[id], w.Left)
	}
}

// sentOn reports whether a server certainly sent a message after a cancel, later than the
// grace and to nobody; known is false where the witness cannot tell.
func sentOn(l *history.Left) (late, known bool) {
	if time.Duration(l.Message) >= cancelGrace {
		return l.Gone, l.Gone // a client that had only ended its own side may have waited
	}
	return false, l.Ended || time.Duration(l.Watched) >= cancelHeard
}

// afterCancel is the violation of an identity whose server sent on after a cancel, or
// nil. unknown is true where that cannot be told of one of its calls.
func (c *conversation) afterCancel(id *identity) (wrong *violation, unknown bool) {
	for _, l := range c.arm.cancelled[id] {
		late, known := sentOn(l)
		if late && wrong == nil {
			wrong = &violation{
				kind:   sentAfterCancel,
				weight: id.attempts() + len(id.effects),
				prove:  func() history.Proof { return c.proveSentOn(id, l) },
			}
		}
		unknown = unknown || !known
	}
	return wrong, unknown
}

func (c *conversation) proveSentOn(id *identity, l *history.Left) history.Proof {
	after := time.Duration(l.Message).Round(time.Millisecond)
	text := fmt.Sprintf("%s was told that the client of %s had left, which cancels it, and still sent a message %v later: none may follow a cancel",
		c.server.Name, id.ops[0].Op, after)
	fact := fmt.Sprintf("the witness: %d bytes came from %s after the %s that cancelled the call, the last message among them %v after it or later",
		l.Bytes, c.server.Name, l.Manner, after)
	return c.arm.index.prove(c.arm, c.rollout, id, text, fact)
}

// cancelRates say how many of the cancelled calls of which it is known were sent on.
// Without such calls they are left out.
func cancelRates(ix *index) []history.Rate {
	on := ix.numbers.clusters()
	for _, a := range ix.judged {
		for _, c := range a.order {
			for _, id := range c.order {
				for _, l := range a.cancelled[id] {
					if late, known := sentOn(l); known {
						on.add(c.rollout, late)
					}
				}
			}
		}
	}
	if len(on.list) == 0 {
		return nil
	}
	text := fmt.Sprintf("cancelled calls were sent a message more than %v after the cancel", cancelGrace)
	return []history.Rate{{Name: "sent-after-cancel", Text: text, Rate: *on.rate()}}
}
