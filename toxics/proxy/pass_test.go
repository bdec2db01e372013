package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

func TestLargeAnswersPassUnharmed(t *testing.T) {
	const answers = 6
	for _, keepAlive := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep-alive=%v", keepAlive), func(t *testing.T) {
			r := newRig(t, proxy.Options{}, cutting(plan.C4, plan.RST))
			c := newClient(t, keepAlive)
			for i := range int64(answers) {
				text, err := call(c, r.Addr(), ref(i, 2), "large")
				if err != nil || len(text) < large {
					t.Fatalf("answer %d: %d bytes, %v", i, len(text), err)
				}
			}
			r.end(t)
			for _, w := range r.wires {
				if !w.Handed || w.Result != history.ResultOK || w.Down < large {
					t.Errorf("witness: %+v", w)
				}
			}
			if len(r.wires) != answers || len(r.faults) != 0 {
				t.Errorf("%d witnessed, %d faults; want %d and none", len(r.wires), len(r.faults), answers)
			}
		})
	}
}

func TestManyConnectionsAtOnce(t *testing.T) {
	const n = 512
	r := newRig(t, proxy.Options{}, cutting(plan.C4, plan.RST))
	var wg sync.WaitGroup
	for i := range int64(n) {
		c := newClient(t, true)
		wg.Go(func() {
			if text, err := call(c, r.Addr(), ref(i, 2), "slow"); err != nil {
				t.Errorf("%d: %q, %v", i, text, err)
			}
		})
	}
	waitUntil(t, "all are served", func() bool { return r.Stats().Open == n })
	close(r.up.gate)
	wg.Wait()
	if s := r.Stats(); s.Accepted != n || s.DialErrors != 0 || s.AcceptErrors != 0 {
		t.Errorf("stats: %+v", s)
	}
}

// TestWitness compares the witness's records, whole, with what was sent.
func TestWitness(t *testing.T) {
	r := newRig(t, proxy.Options{})
	c := newClient(t, true)
	op := ref(3, 2)
	settle := op
	settle.Step = "s02.settle"
	send := func(ref wire.OpRef, content string) {
		t.Helper()
		if _, err := post(c, r.Addr(), ref, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	send(op, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	send(op, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(op, body(op, "json"))
	send(op, body(op, "sse"))
	send(op, body(op, "fail"))
	send(op, body(op, "error"))
	send(settle, body(op, "json"))
	send(op, `no JSON`)
	r.end(t)

	wire := func(n int, method string, role history.ExchangeRole, tool string, status int, result history.ResultSeen) history.Wire {
		w := history.Wire{
			Arm: "main", Server: "sim", Conn: 1, Exchange: n, Rollout: "t000003.1", Hint: op.String(),
			Method: "POST", RPC: method, Role: role, Tool: tool, Handed: true, Status: status, Result: result,
		}
		if tool != "" {
			w.Key = "arg:t000003/s02"
		}
		return w
	}
	want := []history.Wire{
		wire(1, "initialize", "initialize", "", 200, "ok"),
		wire(2, "notifications/initialized", "initialized", "", 202, "accepted"),
		wire(3, "tools/call", "call", "json", 200, "ok"),
		wire(4, "tools/call", "call", "sse", 200, "ok"),
		wire(5, "tools/call", "call", "fail", 200, "tool_error"),
		wire(6, "tools/call", "call", "error", 200, "rpc_error"),
		wire(7, "tools/call", "settle", "json", 200, "ok"),
		wire(8, "", "", "", 400, "other"),
	}
	want[6].Hint = settle.String()
	numbers := cmpopts.IgnoreFields(history.Wire{}, "Up", "Down", "Start", "End")
	if diff := cmp.Diff(want, r.wires, numbers); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for i, w := range r.wires {
		if w.Up == 0 || w.Down == 0 || w.Start > w.End || i > 0 && w.Start < r.wires[i-1].End {
			t.Errorf("numbers of exchange %d: %+v", w.Exchange, w)
		}
	}
}

func TestWitnessOfAnUnansweredRequest(t *testing.T) {
	r := newRig(t, proxy.Options{})
	c := newClient(t, true)
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+r.Addr()+"/r/t000001.1/mcp", strings.NewReader(body(ref(1, 1), "slow")))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := c.Do(req)
		done <- err
	}()
	waitUntil(t, "the handler runs", func() bool { return r.up.count("t000001/s02") == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.end(t)
	close(r.up.gate)
	if len(r.wires) != 1 || !r.wires[0].Handed || r.wires[0].Result != history.ResultNone {
		t.Errorf("witness: %+v", r.wires)
	}
}

// waitUntil polls for something that gives no event.
func waitUntil(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !ok() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited %v until %s", patience, what)
		}
	}
}

func TestLatency(t *testing.T) {
	const delay = 60
	rule := func(id, stream string) plan.Rule {
		return plan.Rule{ID: id, On: "sim", Toxic: "latency", Stream: stream, Toxicity: 1, Attributes: map[string]any{"latency": delay}}
	}
	r := newRig(t, proxy.Options{}, rule("r01", "upstream"), rule("r02", "downstream"), cutting(plan.C6, plan.RST),
		plan.Rule{ID: "r04", On: "tools", Toxic: "latency", Stream: "upstream", Toxicity: 1})
	start := clock.System{}.Now()
	if _, err := call(newClient(t, true), r.Addr(), ref(1, 2), "json"); err != nil {
		t.Fatal(err)
	}
	if took := (clock.System{}).Since(start); took < 2*delay*time.Millisecond {
		t.Errorf("a call took %v with %d ms each way", took, delay)
	}
	if _, err := call(newClient(t, true), r.Addr(), ref(1, 1), "json"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a cut behind latency: %v, want ECONNRESET", err)
	}
	r.end(t)
	if f := r.fault(t, "t000001/s02"); f.State != history.FaultDelivered || f.Down == 0 {
		t.Errorf("receipt: %+v", f)
	}
	var got []string
	for _, f := range r.faults {
		if f.State == history.FaultInstalled {
			got = append(got, fmt.Sprintf("%d %s %s", f.Conn, f.Rule, f.Toxic))
		}
	}
	if diff := cmp.Diff([]string{"1 r01 latency", "1 r02 latency", "2 r01 latency", "2 r02 latency"}, got); diff != "" {
		t.Errorf("installations (-want +got)\n%s", diff)
	}
}

// TestHalfClose checks that a client that has sent everything and says so still
// gets its answer.
func TestHalfClose(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		server, err := l.Accept()
		if err != nil {
			return
		}
		defer server.Close()
		text, _ := io.ReadAll(server)
		fmt.Fprintf(server, "got %s", text)
	}()
	p, err := proxy.Start(proxy.Options{Name: "sim", Upstream: l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	fmt.Fprint(client, "all")
	if err := client.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(client); string(text) != "got all" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if n := p.Stats().Untracked; n != 1 {
		t.Errorf("%d connections untracked, want the one that speaks no HTTP", n)
	}
}
