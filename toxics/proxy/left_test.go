package proxy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// event is a notification on the stream of an answer.
const event = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"

// streamer begins every answer with an event, and waits. It notices a client that
// leaves, and either ends then or streams something until nobody takes anything any more.
type streamer struct {
	*httptest.Server
	on    string        // what it streams on after a cancel; empty: it ends
	begun atomic.Int64  // answers begun
	left  atomic.Int64  // clients that left
	asked chan struct{} // closed: for no more
}

func newStreamer(t *testing.T, on string) *streamer {
	s := &streamer{on: on, asked: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *streamer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // a client that leaves meanwhile is noticed below
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, event)
	w.(http.Flusher).Flush()
	s.begun.Add(1)
	select {
	case <-r.Context().Done():
		s.left.Add(1)
	case <-s.asked:
		return
	}
	beat := time.NewTicker(10 * time.Millisecond)
	defer beat.Stop()
	for s.on != "" {
		if _, err := io.WriteString(w, s.on); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-beat.C:
		case <-s.asked:
			return
		}
	}
}

// postOf is a request of an era, as bytes.
func postOf(era string, op wire.OpRef) string {
	line := "Mcp-Protocol-Version: " + era + "\r\nHost: x\r\n"
	return strings.Replace(rawPost(op, body(op, "append")), "Host: x\r\n", line, 1)
}

// begun reads all that a server sends before it waits: closing a socket with unread
// bytes would reset it.
func begun(t *testing.T, conn net.Conn) {
	t.Helper()
	var got []byte
	for one := make([]byte, 1); !strings.HasSuffix(string(got), "\n\n\r\n"); got = append(got, one...) {
		if _, err := conn.Read(one); err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
	}
}

// TestWhatFollowsALeaving looks at what the witness records of an exchange that was
// open when its client left, or seemed to. The FIN reaches the server at once.
func TestWhatFollowsALeaving(t *testing.T) {
	leave := func(c *net.TCPConn) { c.Close() }
	reset := func(c *net.TCPConn) { _ = c.SetLinger(0); c.Close() }
	silent := func(l history.Left) bool { return l.Bytes == 0 && l.Last == 0 && l.Watched == 0 && !l.Ended }
	// on is true of a server that was heard to go on for most of the time for which it is
	// listened to, after the little for which this machine may have kept it waiting.
	on := func(l history.Left) bool {
		return l.Gone && !l.Ended && l.Bytes > 0 && l.Message > int64(time.Second) && l.Watched >= l.Last && l.Last >= l.Message
	}
	for _, tt := range []struct {
		name, era, manner string // a manner is that of a cut
		leave             func(*net.TCPConn)
		on                string // what the server streams on
		told              string
		want              func(history.Left) bool
	}{
		{"cut, and it streams on", wire.EraStateless, plan.FIN, nil, event, plan.FIN, on},
		{"left, and it streams on", wire.EraStateless, "", leave, event, plan.FIN, on},
		{"cut, and it says nothing in many bytes", wire.EraStateless, plan.FIN, nil, ": still here\n\n", plan.FIN, func(l history.Left) bool {
			return l.Last > int64(time.Second) && l.Message == 0
		}},
		{"cut, and it ends", wire.EraStateless, plan.FIN, nil, "", plan.FIN, func(l history.Left) bool {
			return l.Gone && l.Ended && l.Last < int64(time.Second)
		}},
		{"left, and it ends", wire.EraStateless, "", leave, "", plan.FIN, func(l history.Left) bool {
			return l.Ended && l.Last < int64(time.Second)
		}},
		{"reset by a fault", wire.EraStateless, plan.RST, nil, event, plan.RST, silent},
		{"reset by the client", wire.EraStateless, "", reset, event, plan.RST, silent},
		{"cut, where that is no cancel", wire.EraSessions, plan.FIN, nil, event, plan.FIN, func(l history.Left) bool {
			return l.Gone && !l.Ended && l.Bytes > 0
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, r := newStreamer(t, tt.on), newRecords()
			at := ref(1, 2)
			p := startBefore(t, server.Listener.Addr().String(), r, plan.Rule{
				ID: "r01", On: "sim", Cut: plan.CutBurst, Manner: tt.manner, Share: 1,
			})
			conn := dial(t, p.Addr())
			fmt.Fprint(conn, postOf(tt.era, at))
			begun(t, conn)
			if tt.leave != nil {
				tt.leave(conn)
			} else {
				p.Begin()
			}
			waitUntil(t, "the server knows that the client left", func() bool { return server.left.Load() == 1 })
			r.await(t, "the record", func() bool { return len(r.wires) == 1 })
			w := r.wires[0]
			if w.Left == nil || w.Left.Manner != tt.told || !tt.want(*w.Left) || w.Left.At < w.Start || w.Left.At > w.End || !w.Handed {
				t.Errorf("witness: %+v, left %+v", w, w.Left)
			}
		})
	}
}

// TestHalfCloseIsNoCertainLeaving: a client that says that it sends no more may wait for
// the answer, and gets it, however long that takes.
func TestHalfCloseIsNoCertainLeaving(t *testing.T) {
	server, r := newStreamer(t, event), newRecords()
	p := startBefore(t, server.Listener.Addr().String(), r)
	conn := dial(t, p.Addr())
	fmt.Fprint(conn, postOf(wire.EraStateless, ref(1, 2)))
	waitUntil(t, "the server answers", func() bool { return server.begun.Load() == 1 })
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 20*len(event))); err != nil {
		t.Fatal(err)
	}
	close(server.asked)
	if text, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(text), "0\r\n\r\n") {
		t.Errorf("the end of the answer is %q, %v", text, err)
	}
	r.await(t, "the record", func() bool { return len(r.wires) == 1 })
	if l := r.wires[0].Left; l == nil || l.Gone || !l.Ended || l.Bytes == 0 {
		t.Errorf("left: %+v", l)
	}
}

// TestAnsweredIsNotLeft: a client that closes its connection once it has its answer has
// left nothing.
func TestAnsweredIsNotLeft(t *testing.T) {
	const calls = 20
	r := newRig(t, proxy.Options{})
	for i := range int64(calls) {
		if _, err := call(newClient(t, false), r.Addr(), ref(i, 2), "sse"); err != nil {
			t.Fatal(err)
		}
	}
	r.await(t, "every record", func() bool { return len(r.wires) == calls })
	for _, w := range r.wires {
		if w.Left != nil {
			t.Errorf("an answered exchange was left: %+v", w.Left)
		}
	}
}
