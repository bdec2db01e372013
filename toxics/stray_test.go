package toxics_test

import (
	"testing"
	"testing/synctest"

	"github.com/Shopify/toxiproxy/v2/stream"

	"mcpstorm/history"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// reluctant sockets do not say, until they are let go, that they will not take
// what comes before a cut.
type reluctant struct {
	cord
	leave chan struct{}
}

func (r *reluctant) AwaitUp(int64) bool { <-r.leave; return false }

// TestStrayBytesBehindAWithheldAnswer lets a cut of the request fail while the
// first part of the answer is withheld: what is left of the answer, and bytes
// that nobody asked for, pass behind it and in order.
func TestStrayBytesBehindAWithheldAnswer(t *testing.T) { synctest.Test(t, strayBytes) }

func strayBytes(t *testing.T) {
	c, l := &reluctant{leave: make(chan struct{})}, &log{}
	hub := toxics.NewHub(toxics.HubOptions{Server: "sim", Decider: marker{plan.C3}, Receipts: l})
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
	answer, stray := response(resultText), response(resultText)
	down <- &stream.StreamChunk{Data: []byte(answer[:40])}
	synctest.Wait() // the cut waits for the sockets, and the part is withheld
	close(c.leave)
	synctest.Wait() // the fault is on record
	go func() {
		down <- &stream.StreamChunk{Data: []byte(answer[40:] + stray)}
		close(down)
	}()
	if got := string(collect(downOut, &c.cord, new(int64))); got != answer+stray {
		t.Errorf("the client got %q, want %q", got, answer+stray)
	}
	close(up)
	for range upOut {
	}
	conn.Finish()
	if len(l.faults) != 1 || l.faults[0].State != history.FaultMissed {
		t.Errorf("faults: %+v, want one missed", l.faults)
	}
}
