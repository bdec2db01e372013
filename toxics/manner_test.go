package toxics_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// breaker marks everything that names an operation, in any manner.
type breaker struct {
	marker
	decision plan.Decision
}

func (b breaker) Decide(plan.Exchange) (plan.Decision, bool) { return b.decision, true }

var allCuts = []string{plan.C1, plan.C2, plan.C3, plan.C3w, plan.C4, plan.C5, plan.C6, plan.C7, plan.C8}

// decisionOf is one of all cuts in one of their manners.
func decisionOf(cut, manner uint8) plan.Decision {
	d := plan.Decision{Rule: "r01", Cut: allCuts[int(cut)%len(allCuts)]}
	manners := plan.MannersOf(d.Cut)
	d.Manner = manners[int(manner)%len(manners)]
	switch d.Manner {
	case plan.Status:
		d.Code = plan.Codes[int(manner)%len(plan.Codes)]
	case plan.Late:
		d.For = time.Second
	}
	return d
}

// FuzzEveryMannerIsSettled holds every cut and manner to one record for each mark,
// to giving each side a prefix of what the other sent, and a front end to an answer
// that can be followed.
func FuzzEveryMannerIsSettled(f *testing.F) {
	answers := []string{
		response(resultText),
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n: hi\n\r\n32\r\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n\r\n0\r\n\r\n",
		"HTTP/1.1 202 A\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n" + resultText,
	}
	for i, answer := range answers {
		for cut := range allCuts {
			f.Add([]byte(answer), []byte{3, byte(i)}, uint8(cut), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, down, sizes []byte, cut, manner uint8) {
		d, up := decisionOf(cut, manner), []byte(request(callText))
		gotUp, gotDown, c, l := converse(breaker{decision: d}, up, down, sizes)
		if len(l.faults) != 1 {
			t.Fatalf("%d records for one mark %+v: %+v", len(l.faults), d, l.faults)
		}
		fault := l.faults[0]
		delivered := fault.State == history.FaultDelivered
		if delivered == (fault.Reason != "") || fault.Status != d.Code {
			t.Fatalf("%+v: %+v", d, fault)
		}
		switch {
		case delivered && d.Manner == plan.Status:
			checkFrontAnswer(t, d, up, gotUp, gotDown, c.given)
		case !bytes.HasPrefix(up, gotUp) || !bytes.HasPrefix(down, gotDown):
			t.Fatalf("%+v: up became %q, down %q became %q", d, gotUp, down, gotDown)
		case len(c.cuts) == 0 && (len(gotUp) < len(up) || len(gotDown) < len(down)):
			t.Fatalf("%+v: bytes are missing without a cut: up %q, down %q became %q", d, gotUp, down, gotDown)
		case delivered != (len(c.cuts) == 1) && d.Manner != plan.Late:
			t.Fatalf("%+v: %d cuts, recorded as %+v", d, len(c.cuts), fault)
		}
	})
}

// checkFrontAnswer holds a front end's answer to its place and its framing.
func checkFrontAnswer(t *testing.T, d plan.Decision, up, gotUp, gotDown, given []byte) {
	t.Helper()
	answer := given
	forwarded := d.Cut == plan.C3 || d.Cut == plan.C4
	if d.Cut == plan.C4 {
		answer = gotDown
	}
	if want := len(up); len(gotUp) != want && forwarded || len(gotUp) != 0 && !forwarded {
		t.Fatalf("%+v: the server got %d bytes of %d", d, len(gotUp), want)
	}
	framer := wire.NewResponseFramer(wire.Limits{})
	framer.Expect("POST")
	for ended := false; ; {
		n, frame := framer.Next(answer)
		answer = answer[n:]
		switch frame.Kind {
		case wire.FrameHead:
			if frame.Head.Status != d.Code || frame.Head.Length < 0 {
				t.Fatalf("%+v: head %+v", d, frame.Head)
			}
		case wire.FrameEnd:
			ended = true
		case wire.FrameLost:
			t.Fatalf("%+v: %v", d, frame.Err)
		case wire.FrameNone:
			if !ended || len(answer) > 0 {
				t.Fatalf("%+v: the answer is not whole, or %q is too much", d, answer)
			}
			return
		}
	}
}

// holdBack are sockets that take a request only when they are let go.
type holdBack struct {
	cord
	leave chan struct{}
}

func (h *holdBack) AwaitUp(int64) bool { <-h.leave; return true }

// TestLateRequestKeepsItsAnswer lets the answer to a late request come before the
// fault is on record.
func TestLateRequestKeepsItsAnswer(t *testing.T) { synctest.Test(t, lateAnswer) }

func lateAnswer(t *testing.T) {
	c, l := &holdBack{leave: make(chan struct{})}, &log{}
	d := plan.Decision{Rule: "r01", Cut: plan.C1, Manner: plan.Late, Detail: plan.Detail{For: time.Second}}
	hub := toxics.NewHub(toxics.HubOptions{Server: "sim", Decider: breaker{decision: d}, Receipts: l})
	defer hub.Close()
	conn := hub.NewConn(1, c)
	var up, down chan<- *stream.StreamChunk
	var upOut, downOut <-chan *stream.StreamChunk
	hub.Start(conn, func() {
		up, upOut = chain([]string{"mcp_cut_up"}, hub.ID())
		down, downOut = chain([]string{"mcp_cut_down"}, hub.ID())
	})
	up <- &stream.StreamChunk{Data: []byte(request(callText))}
	<-upOut
	down <- &stream.StreamChunk{Data: []byte(response(resultText))}
	synctest.Wait() // the answer is whole, and waits for the record
	close(c.leave)
	if got := <-downOut; string(got.Data) != response(resultText) {
		t.Errorf("the client got %q", got.Data)
	}
	close(up)
	close(down)
	for range upOut {
	}
	for range downOut {
	}
	conn.Finish()
	if len(l.faults) != 1 || l.faults[0].State != history.FaultDelivered {
		t.Errorf("faults: %+v", l.faults)
	}
}
