package toxics_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// cuttable is a connection with the cut pair alone, whose sockets take no byte
// unless a test says so.
type cuttable struct {
	*toxics.Conn
	cord     cord
	log      log
	up, down chan<- *stream.StreamChunk
	end      func()
}

func newCuttable(m marker) *cuttable {
	c := &cuttable{}
	hub := toxics.NewHub(toxics.HubOptions{Server: "sim", Decider: m, Receipts: &c.log})
	c.Conn = hub.NewConn(5, &c.cord)
	var upOut, downOut <-chan *stream.StreamChunk
	hub.Start(c.Conn, func() {
		c.up, upOut = chain([]string{"mcp_cut_up"}, hub.ID())
		c.down, downOut = chain([]string{"mcp_cut_down"}, hub.ID())
	})
	drained := make(chan struct{}, 2)
	for _, out := range []<-chan *stream.StreamChunk{upOut, downOut} {
		go func() {
			for range out {
			}
			drained <- struct{}{}
		}()
	}
	c.end = func() {
		close(c.up)
		close(c.down)
		<-drained
		<-drained
		c.Finish()
		hub.Close()
	}
	return c
}

// push sends bytes into a chain and returns when they have been dealt with: the
// empty chunk behind them is only taken then.
func push(in chan<- *stream.StreamChunk, text string) {
	in <- &stream.StreamChunk{Data: []byte(text)}
	in <- &stream.StreamChunk{}
}

var struck = plan.Burst{Rule: "r09", Manner: plan.RST}

// TestBurstSaysWhatWasUnderWay looks at the one record of a burst.
func TestBurstSaysWhatWasUnderWay(t *testing.T) {
	whole, answer := request(callText), response(resultText)
	half := whole[:len(whole)-20]
	get := "GET /r/t000002.1/mcp HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n"
	op := history.Fault{Op: "t000001/s02", Rollout: "t000001.1", Attempt: 1}
	with := func(f history.Fault, exchange int, role history.ExchangeRole, up, down int) history.Fault {
		f.Exchange, f.Role, f.Up, f.Down = exchange, role, int64(up), int64(down)
		return f
	}
	tests := []struct {
		name     string
		up, down string // what came so far
		second   string // what came from the client after that
		gone     int64  // bytes that left for the server; all left if it is -1
		reached  int64  // bytes that left for the client, likewise
		want     history.Fault
	}{
		{name: "nothing"},
		{name: "a part of a head", up: whole[:30]},
		{name: "a part of a request", up: half, want: with(op, 1, "", 0, 0)},
		{
			name: "a part of a request that names no operation", up: strings.Replace(get, "\r\n\r\n", "\r\nContent-Length: 5\r\n\r\n", 1), gone: -1,
			want: history.Fault{Rollout: "t000002.1", Exchange: 1, Role: "get", Up: int64(len(get)) + 19},
		},
		{name: "a request", up: whole, gone: -1, want: with(op, 1, "call", len(whole), 0)},
		{name: "a request that the socket has not taken", up: whole, gone: 7, want: with(op, 1, "call", 7, 0)},
		{name: "a part of an answer", up: whole, down: answer[:40], gone: -1, reached: -1, want: with(op, 1, "call", len(whole), 40)},
		{name: "an answer that the socket has not taken", up: whole, down: answer, gone: -1, reached: 50, want: with(op, 1, "call", len(whole), 50)},
		{name: "an answer", up: whole, down: answer, gone: -1, reached: -1, want: history.Fault{Rollout: "t000001.1"}},
		{name: "a part of the next request", up: whole, down: answer, second: half, gone: int64(len(whole)), reached: -1, want: with(op, 2, "", 0, 0)},
		{name: "the next request", up: whole, down: answer, second: whole, gone: -1, reached: -1, want: with(op, 2, "call", len(whole), 0)},
		{name: "a request sent ahead of the answer", up: whole + whole, gone: -1, want: with(op, 1, "call", len(whole), 0)},
		{name: "the answer to a request sent ahead", up: whole + whole, down: answer + answer[:40], gone: -1, reached: -1, want: with(op, 2, "call", len(whole), 40)},
		{name: "a part of the next head", up: whole, down: answer, second: whole[:30], gone: -1, reached: -1, want: history.Fault{Rollout: "t000001.1"}},
		{name: "an answer that cannot be followed", up: whole, down: "SSH-2.0-x\r\n\r\n", gone: -1, reached: -1, want: history.Fault{Rollout: "t000001.1"}},
		{name: "a request behind such an answer", up: whole, down: "SSH-2.0-x\r\n\r\n", second: get, gone: -1, reached: -1, want: history.Fault{Rollout: "t000002.1"}},
		{name: "no HTTP behind a request", up: whole + "SSH-2.0-x\r\n\r\n", gone: -1, want: history.Fault{Rollout: "t000001.1"}},
		{name: "no HTTP", up: "SSH-2.0-x\r\n\r\n", gone: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCuttable(marker{})
			push(c.up, tt.up)
			push(c.down, tt.down)
			push(c.up, tt.second)
			c.cord.take(tt.gone, len(tt.up+tt.second), tt.reached, len(tt.down))
			c.Burst(struck)()
			c.end()
			want := tt.want
			want.Server, want.Rule, want.Cut, want.Manner = "sim", "r09", plan.CutBurst, plan.RST
			want.State, want.Conn = history.FaultDelivered, 5
			if diff := cmp.Diff([]history.Fault{want}, c.log.faults); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// take says how many bytes have left each way, where -1 stands for all.
func (c *cord) take(up int64, allUp int, down int64, allDown int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up = up; up < 0 {
		c.up = int64(allUp)
	}
	if c.down = down; down < 0 {
		c.down = int64(allDown)
	}
}

// TestBurstBeforeAMark checks that a mark that a burst overtook is missed by name,
// and a burst that a cut overtook too.
func TestBurstBeforeAMark(t *testing.T) {
	c := newCuttable(marker{plan.C4})
	push(c.up, request(callText))
	c.Burst(struck)()
	c.Burst(struck)()
	push(c.down, response(resultText))
	c.end()
	var got []string
	for _, f := range c.log.faults {
		got = append(got, strings.Join([]string{f.Rule, f.Cut, string(f.State), f.Reason}, ", "))
	}
	want := []string{
		"r09, burst, delivered, ",
		"r09, burst, missed, the connection was over first",
		"r01, C4, missed, a burst cut the connection first",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzBurstAmongMarks lets a burst race with marked exchanges: each mark and each
// burst has one record, and one cut in all was made.
func FuzzBurstAmongMarks(f *testing.F) {
	f.Add([]byte(request(callText)+request(callText)), []byte(response(resultText)), []byte{30}, uint8(4))
	f.Add([]byte(request(callText)), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "+resultText+"\n\n"), []byte{9, 1}, uint8(1))
	f.Fuzz(func(t *testing.T, up, down, sizes []byte, n uint8) {
		c := newCuttable(marker{[]string{plan.C1, plan.C2, plan.C3, plan.C4, plan.C5, plan.C6}[n%6]})
		done := make(chan struct{})
		go func() {
			c.Burst(struck)()
			close(done)
		}()
		for i := 0; len(up)+len(down) > 0; i++ {
			size := 1
			if len(sizes) > 0 {
				size += int(sizes[i%len(sizes)])
			}
			up, down = some(c.up, up, size), some(c.down, down, size)
		}
		<-done
		c.end()
		bursts, delivered, marks := 0, 0, map[int]int{}
		for _, f := range c.log.faults {
			if f.State == history.FaultDelivered {
				delivered++
			}
			if f.Cut == plan.CutBurst {
				bursts++
			} else {
				marks[f.Exchange]++
			}
		}
		for exchange, n := range marks {
			if n != 1 {
				t.Errorf("exchange %d has %d records", exchange, n)
			}
		}
		if bursts != 1 || delivered != 1 {
			t.Errorf("%d bursts on record and %d delivered, want one: %+v", bursts, delivered, c.log.faults)
		}
	})
}

// some sends up to so many bytes into a chain and returns the rest.
func some(in chan<- *stream.StreamChunk, data []byte, size int) []byte {
	size = min(size, len(data))
	if size > 0 {
		in <- &stream.StreamChunk{Data: bytes.Clone(data[:size])}
	}
	return data[size:]
}
