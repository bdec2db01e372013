package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// rawPost is a request as bytes.
func rawPost(op wire.OpRef, content string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s",
		wire.RolloutPath(op.Rollout()), wire.OpHeader, op, len(content), content)
}

func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// missed insists on the one record of a fault that did not come about.
func (r *rig) missed(t *testing.T, op wire.OpRef, reason string) {
	t.Helper()
	r.end(t)
	if f := r.fault(t, op.Op()); f.State != history.FaultMissed || !strings.Contains(f.Reason, reason) {
		t.Errorf("fault: %+v, want it missed because %q", f, reason)
	}
}

func TestMissedWhenTheAnswerHasNoBody(t *testing.T) {
	rule := cutting(plan.C5, plan.RST)
	rule.At = history.RoleInitialized
	r := newRig(t, proxy.Options{}, rule)
	_, err := post(newClient(t, true), r.Addr(), ref(1, 1), strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		t.Errorf("a missed cut did harm: %v", err)
	}
	r.missed(t, ref(1, 1), "no body")
}

func TestAnswerWithoutBodyIsCutWhole(t *testing.T) {
	rule := cutting(plan.C4, plan.FIN)
	rule.At = history.RoleInitialized
	r := newRig(t, proxy.Options{}, rule)
	_, err := post(newClient(t, true), r.Addr(), ref(1, 1), strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want EOF", err)
	}
	r.end(t)
	if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultDelivered || f.Down != 0 {
		t.Errorf("receipt: %+v", f)
	}
}

func TestMissedWhenThePipelineIsFull(t *testing.T) {
	r := newRig(t, proxy.Options{}, cutting(plan.C1, plan.RST))
	conn := dial(t, r.Addr())
	fmt.Fprint(conn, rawPost(ref(1, 2), body(ref(1, 2), "slow"))+rawPost(ref(2, 1), body(ref(2, 1), "json")))
	r.await(t, "the fault to be missed", func() bool { return len(r.faults) == 1 })
	close(r.up.gate)
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if n := strings.Count(string(text), "done"); n != 2 || err != nil {
		t.Errorf("%d of 2 answers, %v", n, err)
	}
	r.missed(t, ref(2, 1), "earlier one")
}

func TestMissedWhenTheClientLeaves(t *testing.T) {
	r := newRig(t, proxy.Options{}, cutting(plan.C4, plan.RST))
	conn := dial(t, r.Addr())
	fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "slow")))
	waitUntil(t, "the handler runs", func() bool { return r.up.count("t000001/s02") == 1 })
	conn.Close()
	waitUntil(t, "the server knows", func() bool { return r.up.clientsLeft() == 1 })
	close(r.up.gate)
	r.await(t, "the fault to be missed", func() bool { return len(r.faults) == 1 })
	r.missed(t, ref(1, 1), "client left")
}

// scripted is a server that reads one request and answers with fixed bytes.
func scripted(t *testing.T, answer string, rules ...plan.Rule) (*proxy.Proxy, *records) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f, buf := wire.NewRequestFramer(wire.Limits{}), make([]byte, 4096)
			for whole := false; !whole; {
				n, err := conn.Read(buf)
				whole = err != nil
				for p := buf[:n]; ; {
					n, frame := f.Next(p)
					p = p[n:]
					whole = whole || frame.Kind == wire.FrameEnd
					if frame.Kind == wire.FrameNone {
						break
					}
				}
			}
			_, _ = io.WriteString(conn, answer)
			conn.Close()
		}
	}()
	r := newRecords()
	return startBefore(t, l.Addr().String(), r, rules...), r
}

// startBefore starts a proxy before an upstream of the test's own.
func startBefore(t *testing.T, upstream string, r *records, rules ...plan.Rule) *proxy.Proxy {
	t.Helper()
	pl, err := plan.New(rules, 1, map[int]string{0: "default"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := proxy.Start(proxy.Options{Name: "sim", Upstream: upstream, Decider: pl, Receipts: r, Tap: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close(context.Background()) })
	return p
}

func TestOddAnswers(t *testing.T) {
	const sse = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	const other = `data: {"jsonrpc":"2.0","id":9,"result":{}}` + "\n\n"
	const result = `{"jsonrpc":"2.0","id":7,"result":{}}`
	tests := []struct {
		name   string
		cut    string
		answer string
		state  history.FaultState
		reason string
		passes bool // the client gets the answer as it is
		result history.ResultSeen
	}{
		{"truncated", plan.C4, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", history.FaultMissed, "ended before", true, "none"},
		{"none", plan.C4, "", history.FaultMissed, "ended before", true, "none"},
		{"no HTTP", plan.C4, "SSH-2.0-x\r\n\r\n", history.FaultMissed, "cannot be followed", true, "none"},
		{"events without a response", plan.C4, sse + ": hi\n\n", history.FaultMissed, "without a result", true, "other"},
		{"response to another request", plan.C6, sse + other, history.FaultMissed, "without a result", true, "other"},
		{"response after another", plan.C6, sse + other + "data: " + result + "\n\n", history.FaultDelivered, "", false, "ok"},
		{"too large", plan.C4, "HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" + strings.Repeat("x", 9000000), history.FaultMissed, "larger", true, "other"},
		{"ends with the stream", plan.C4, "HTTP/1.0 200 OK\r\n\r\n" + result, history.FaultDelivered, "", false, "ok"},
		{"informational first", plan.C5, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n" + result, history.FaultDelivered, "", false, "ok"},
		{"an error is a result", plan.C4, "HTTP/1.1 500 E\r\nContent-Length: 2\r\n\r\nno", history.FaultDelivered, "", false, "other"},
		{"whole before the cut of a request", plan.C3, "HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n" + result, history.FaultDelivered, "", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, r := scripted(t, tt.answer, cutting(tt.cut, plan.FIN))
			conn := dial(t, p.Addr())
			fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "json")))
			got, err := io.ReadAll(conn)
			if err != nil || (string(got) == tt.answer) != tt.passes || strings.Contains(string(got), result) {
				t.Errorf("the client got %d bytes of %d, %v; want all: %v", len(got), len(tt.answer), err, tt.passes)
			}
			conn.Close()
			if err := p.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			f := r.fault(t, ref(1, 1).Op())
			if f.State != tt.state || !strings.Contains(f.Reason, tt.reason) {
				t.Errorf("fault: %+v", f)
			}
			if f.State == history.FaultDelivered && f.Down != int64(len(got)) {
				t.Errorf("the receipt says %d bytes reached the client, it got %d", f.Down, len(got))
			}
			if len(r.wires) != 1 || tt.result != "" && r.wires[0].Result != tt.result {
				t.Errorf("witness: %+v, want result %q", r.wires, tt.result)
			}
		})
	}
}

func TestWhatIsNeverMarked(t *testing.T) {
	r := newRig(t, proxy.Options{}, cutting(plan.C1, plan.RST))
	c := newClient(t, true)
	settle := ref(1, 1)
	settle.Step = "s02.settle"
	tests := []struct {
		name, content string
		op            wire.OpRef
	}{
		{"a large request without a mark", longBody(ref(1, 2), "json", toxics.MaxRequest), ref(1, 2)},
		{"a settle", body(settle, "json"), settle},
		{"an attempt beyond the rule's", body(ref(1, 2), "json"), ref(1, 2)},
		{"another role", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, ref(1, 1)},
	}
	for _, tt := range tests {
		if _, err := post(c, r.Addr(), tt.op, strings.NewReader(tt.content)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	resp, err := c.Post("http://"+r.Addr()+"/", "application/json", strings.NewReader(body(ref(1, 1), "json")))
	if err != nil {
		t.Fatalf("a request without the header: %v", err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	r.end(t)
	if len(r.faults) != 0 {
		t.Errorf("faults: %+v", r.faults)
	}
	if len(r.wires) != len(tests)+1 {
		t.Errorf("%d exchanges witnessed, want %d", len(r.wires), len(tests)+1)
	}
	for _, w := range r.wires {
		if !w.Handed {
			t.Errorf("not handed: %+v", w)
		}
	}
}

// longBody is a call with so many bytes more among its arguments.
func longBody(op wire.OpRef, tool string, more int) string {
	return strings.Replace(body(op, tool), `"arguments":{`, `"arguments":{"pad":"`+strings.Repeat("x", more)+`",`, 1)
}

// TestMissedWhenTheRequestCannotBeHeld sends what the cut pair must let through.
func TestMissedWhenTheRequestCannotBeHeld(t *testing.T) {
	long := longBody(ref(1, 1), "json", toxics.MaxRequest)
	hidden := fmt.Sprintf(`{"pad":"%s","jsonrpc":"2.0","id":7,"method":"tools/call"}`, strings.Repeat("x", toxics.MaxRequest))
	tests := []struct {
		name    string
		content io.Reader
		missed  int
	}{
		{"a length over the limit", strings.NewReader(long), 1},
		{"an unknown length", io.MultiReader(strings.NewReader(long)), 1},
		{"a role that its beginning does not tell", strings.NewReader(hidden), 0},
		{"an unknown length, and such a role", io.MultiReader(strings.NewReader(hidden)), 0},
		{"no JSON", strings.NewReader(strings.Repeat("x", 2*toxics.MaxRequest)), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, proxy.Options{}, cutting(plan.C1, plan.RST))
			c := newClient(t, true)
			if _, err := post(c, r.Addr(), ref(1, 1), tt.content); err != nil {
				t.Error(err)
			}
			if _, err := call(c, r.Addr(), ref(2, 1), "json"); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the request after it: %v, want its own cut", err)
			}
			r.end(t)
			if len(r.faults) != tt.missed+1 {
				t.Fatalf("faults: %+v", r.faults)
			}
			if tt.missed > 0 {
				r.missed(t, ref(1, 1), "larger than can be held")
			}
		})
	}
}

func TestExpectContinueIsNotHeld(t *testing.T) {
	r := newRig(t, proxy.Options{}, cutting(plan.C1, plan.RST))
	conn := dial(t, r.Addr())
	content := body(ref(1, 1), "json")
	head, _, _ := strings.Cut(rawPost(ref(1, 1), content), "\r\n\r\n")
	fmt.Fprintf(conn, "%s\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", head)
	buf := make([]byte, 100)
	if n, err := conn.Read(buf); err != nil || !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 100 ") {
		t.Fatalf("leave to send: %q, %v", buf[:n], err)
	}
	fmt.Fprint(conn, content)
	if text, err := io.ReadAll(conn); err != nil || !strings.Contains(string(text), "done") {
		t.Errorf("answer: %q, %v", text, err)
	}
	r.end(t)
	if len(r.wires) != 1 || r.wires[0].Status != http.StatusOK {
		t.Errorf("witness %+v", r.wires)
	}
	r.missed(t, ref(1, 1), "leave to send")
}
