package toxics_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	tox "github.com/Shopify/toxiproxy/v2/toxics"
	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cord stands in for the sockets: it takes everything and counts.
type cord struct {
	mu       sync.Mutex
	up, down int64
	cuts     []string
	given    []byte // past the toxics, to the client
	after    history.Left
}

func (c *cord) Cut(manner string, _ plan.Detail) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.cuts) > 0 {
		return toxics.ErrOver
	}
	c.cuts = append(c.cuts, manner)
	return nil
}

func (c *cord) Over() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.cuts) > 0 {
		return toxics.ErrOver
	}
	return nil
}

func (c *cord) Give(answer []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = append(c.given, answer...)
	c.down += int64(len(answer))
}
func (c *cord) Wait(time.Duration) bool               { return true }
func (c *cord) Linger(context.Context, time.Duration) {}
func (c *cord) Closed() <-chan struct{}               { return nil }
func (c *cord) After() history.Left                   { return c.after }
func (c *cord) AwaitUp(int64) bool                    { return true }
func (c *cord) AwaitDown(int64) bool                  { return true }
func (c *cord) Up() int64                             { c.mu.Lock(); defer c.mu.Unlock(); return c.up }

func (c *cord) Down() int64 { c.mu.Lock(); defer c.mu.Unlock(); return c.down }

// marker marks everything that names an operation, or nothing.
type marker struct{ cut string }

func (m marker) Decide(plan.Exchange) (plan.Decision, bool) {
	return plan.Decision{Rule: "r01", Cut: m.cut, Manner: plan.FIN}, m.cut != ""
}
func (m marker) Window(string) plan.Window  { return plan.Window{} }
func (m marker) Bursts(string) []plan.Burst { return nil }
func (m marker) Idles(string) []plan.Idle   { return nil }
func (m marker) Stalls(string) []plan.Stall { return nil }

// log keeps the records.
type log struct {
	mu     sync.Mutex
	faults []history.Fault
	wires  []history.Wire
}

func (l *log) Receipt(f history.Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, f)
}

func (l *log) Exchange(w history.Wire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wires = append(l.wires, w)
}

// chain starts toxics one after another, as a link does, and returns its ends.
func chain(names []string, hub string) (in chan<- *stream.StreamChunk, out <-chan *stream.StreamChunk) {
	first := make(chan *stream.StreamChunk)
	last := first
	for _, name := range names {
		wrapper := &tox.ToxicWrapper{Type: name, Toxicity: 1}
		toxic := tox.New(wrapper)
		switch t := toxic.(type) {
		case *toxics.CutUp:
			t.Hub = hub
		case *toxics.CutDown:
			t.Hub = hub
		case *toxics.TapUp:
			t.Hub = hub
		case *toxics.TapDown:
			t.Hub = hub
		}
		next := make(chan *stream.StreamChunk)
		stub := tox.NewToxicStub(last, next)
		stub.State = toxic.(tox.StatefulToxic).NewState()
		go stub.Run(wrapper)
		last = next
	}
	return first, last
}

// feed sends bytes in pieces of the given sizes, in turn, and ends the chain.
func feed(in chan<- *stream.StreamChunk, data []byte, sizes []byte) {
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if len(sizes) > 0 {
			n = min(n, 1+int(sizes[i%len(sizes)]))
		}
		in <- &stream.StreamChunk{Data: bytes.Clone(data[:n])}
		data = data[n:]
	}
	close(in)
}

// collect takes bytes from a chain until it ends, counting them for the sockets.
func collect(out <-chan *stream.StreamChunk, c *cord, count *int64) []byte {
	var got []byte
	for chunk := range out {
		got = append(got, chunk.Data...)
		c.mu.Lock()
		*count += int64(len(chunk.Data))
		c.mu.Unlock()
	}
	return got
}

// converse sends a request stream up and, when all of it is through, an answer
// stream down, through the toxics of one connection of a hub.
func converse(m toxics.Decider, up, down, sizes []byte) (gotUp, gotDown []byte, c *cord, l *log) {
	return converseBy(wire.KeyRule{}, m, up, down, sizes)
}

// converseBy is converse where calls are named by a rule.
func converseBy(rule wire.KeyRule, m toxics.Decider, up, down, sizes []byte) (gotUp, gotDown []byte, c *cord, l *log) {
	c, l = &cord{}, &log{}
	hub := toxics.NewHub(toxics.HubOptions{Arm: "main", Server: "sim", KeyRule: rule, Decider: m, Receipts: l, Tap: l})
	defer hub.Close()
	conn := hub.NewConn(1, c)
	var upIn, downIn chan<- *stream.StreamChunk
	var upOut, downOut <-chan *stream.StreamChunk
	hub.Start(conn, func() {
		upIn, upOut = chain([]string{"mcp_cut_up", "mcp_tap_up"}, hub.ID())
		downIn, downOut = chain([]string{"mcp_tap_down", "mcp_cut_down"}, hub.ID())
	})
	go feed(upIn, up, sizes)
	gotUp = collect(upOut, c, &c.up)
	go feed(downIn, down, sizes)
	gotDown = collect(downOut, c, &c.down)
	conn.Finish()
	return gotUp, gotDown, c, l
}

const hint = "t000001.1/s02/a1"

func request(content string) string {
	return fmt.Sprintf("POST /r/t000001.1/mcp HTTP/1.1\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s", wire.OpHeader, hint, len(content), content)
}

func response(content string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(content), content)
}

const (
	callText   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"append","arguments":{"op":"x"}}}`
	resultText = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
)

// FuzzUnmarkedBytesPass holds the toxics to changing nothing that is not marked,
// whatever it is and however it is cut into pieces.
func FuzzUnmarkedBytesPass(f *testing.F) {
	f.Add([]byte(request(callText)+request(callText)), []byte(response(resultText)+response(resultText)), []byte{3, 40})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\nrest"), []byte("HTTP/1.1 204 N\r\n\r\nHTTP/1.1 200"), []byte{0})
	f.Add([]byte("no HTTP"), []byte("nor this"), []byte{})
	f.Fuzz(func(t *testing.T, up, down, sizes []byte) {
		gotUp, gotDown, _, l := converse(marker{}, up, down, sizes)
		if !bytes.Equal(up, gotUp) || !bytes.Equal(down, gotDown) {
			t.Fatalf("up %q became %q, down %q became %q", up, gotUp, down, gotDown)
		}
		if len(l.faults) != 0 {
			t.Fatalf("faults without a mark: %+v", l.faults)
		}
	})
}

// FuzzEveryMarkIsSettled holds the cut pair to one record for each mark, and to
// giving only a prefix.
func FuzzEveryMarkIsSettled(f *testing.F) {
	f.Add([]byte(response(resultText)), []byte{3}, uint8(4))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "+resultText+"\n\n"), []byte{9, 1}, uint8(6))
	f.Add([]byte("HTTP/1.1 202 A\r\nContent-Length: 0\r\n\r\n"), []byte{}, uint8(5))
	f.Fuzz(func(t *testing.T, down, sizes []byte, n uint8) {
		cut := fmt.Sprintf("C%d", 1+n%6)
		up := []byte(request(callText))
		gotUp, gotDown, c, l := converse(marker{cut}, up, down, sizes)
		if len(l.faults) != 1 {
			t.Fatalf("%d records for one mark: %+v", len(l.faults), l.faults)
		}
		if delivered := l.faults[0].State == history.FaultDelivered; delivered != (len(c.cuts) == 1) {
			t.Fatalf("%d cuts, recorded as %+v", len(c.cuts), l.faults[0])
		}
		if !bytes.HasPrefix(up, gotUp) || !bytes.HasPrefix(down, gotDown) {
			t.Fatalf("up became %q, down %q became %q", gotUp, down, gotDown)
		}
		if len(c.cuts) == 0 && (len(gotUp) < len(up) || len(gotDown) < len(down)) {
			t.Fatalf("bytes are missing without a cut: up %q, down %q became %q", gotUp, down, gotDown)
		}
	})
}

// TestPartOfARequest looks at what a cut C2 gives: something, and never all.
func TestPartOfARequest(t *testing.T) {
	const head = "POST /r/t000001.1/mcp HTTP/1.1\r\n" + wire.OpHeader + ": " + hint + "\r\n"
	tests := []struct{ name, in, want string }{
		{"sized", head + "Content-Length: 6\r\n\r\nabcdef", head + "Content-Length: 6\r\n\r\nabc"},
		{"one byte of body", head + "Content-Length: 1\r\n\r\na", head + "Content-Length: 1\r\n\r\n"},
		{"chunked", head + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n", head + "Transfer-Encoding: chunked\r\n\r\n4\r"},
		{"no body", head + "\r\n", head[:len(head)/2+1]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, c, l := converse(marker{plan.C2}, []byte(tt.in), nil, []byte{20})
			if string(got) != tt.want || len(c.cuts) != 1 || len(l.faults) != 1 {
				t.Errorf("given %q, want %q; %d cuts", got, tt.want, len(c.cuts))
			}
		})
	}
}

// TestMissedByItsBeginning looks at what a request that cannot be held gives away.
func TestMissedByItsBeginning(t *testing.T) {
	head := "POST /r/t000001.1/mcp HTTP/1.1\r\n" + wire.OpHeader + ": " + hint + "\r\nExpect: 100-continue\r\nContent-Length: "
	tests := []struct {
		name, in string
		role     history.ExchangeRole
	}{
		{"a method", head + "50\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","p`, "call"},
		{"a method behind an object", head + "90\r\n\r\n" + `{"params":{"method":"x","a":[1,{}]},"method":"initialize",`, "initialize"},
		{"a method that is no text", head + "13\r\n\r\n" + `{"method":17}`, ""},
		{"no method", head + "14\r\n\r\n" + `{"jsonrpc":17}`, ""},
		{"a list", head + "25\r\n\r\n" + `[{"method":"tools/call"}]`, ""},
		{"no body", strings.Replace(head, "POST", "DELETE", 1) + "0\r\n\r\n", "delete"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []byte{0, 20, 255} {
				_, _, c, l := converse(marker{plan.C1}, []byte(tt.in), nil, []byte{size})
				if len(c.cuts) != 0 {
					t.Error("it was cut")
				}
				if len(l.faults) != 1 || l.faults[0].Role != tt.role || l.faults[0].State != history.FaultMissed {
					t.Errorf("in pieces of %d: %+v, want one missed in role %q", int(size)+1, l.faults, tt.role)
				}
			}
		})
	}
}

func TestToxicWithoutAHubPassesEverything(t *testing.T) {
	in, out := chain([]string{"mcp_cut_up", "mcp_tap_up", "mcp_tap_down", "mcp_cut_down"}, "no such hub")
	go feed(in, []byte(request(callText)), nil)
	if got := collect(out, &cord{}, new(int64)); string(got) != request(callText) {
		t.Errorf("got %q", got)
	}
}

// TestToxicCanBeInterrupted stops a toxic in the middle of a request, as
// toxiproxy's HTTP API does, and lets it go on.
func TestToxicCanBeInterrupted(t *testing.T) {
	c := &cord{}
	hub := toxics.NewHub(toxics.HubOptions{Server: "sim", Decider: marker{"C1"}})
	defer hub.Close()
	wrapper := &tox.ToxicWrapper{Type: "mcp_cut_up", Toxicity: 1}
	tox.New(wrapper).(*toxics.CutUp).Hub = hub.ID()
	in, out := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
	stub := tox.NewToxicStub(in, out)
	conn := hub.NewConn(1, c)
	hub.Start(conn, func() { stub.State = wrapper.Toxic.(tox.StatefulToxic).NewState() })

	text := []byte(request(callText))
	ended := make(chan struct{})
	go func() { stub.Run(wrapper); close(ended) }()
	in <- &stream.StreamChunk{Data: text[:50]}
	if !stub.InterruptToxic() {
		t.Fatal("the toxic had ended")
	}
	<-ended
	go stub.Run(wrapper)
	go feed(in, text[50:], nil)
	if got := collect(out, c, &c.up); len(got) != 0 || len(c.cuts) != 1 {
		t.Errorf("%d bytes passed and %d cuts were made, want none and one", len(got), len(c.cuts))
	}
	conn.Finish()
}
