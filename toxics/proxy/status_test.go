package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// exchange sends one request on a client's connection and returns the answer with
// its body read.
func exchange(c *http.Client, addr string, op wire.OpRef, tool string) (*http.Response, string, error) {
	req, err := http.NewRequest("POST", "http://"+addr+wire.RolloutPath(op.Rollout()), strings.NewReader(body(op, tool)))
	if err != nil {
		return nil, "", err
	}
	req.GetBody = nil
	req.Header.Set(wire.OpHeader, op.String())
	resp, err := c.Transport.RoundTrip(req) // follows no redirect
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// TestStatus lets a front end answer in every status, before and after forwarding,
// and uses the connection again.
func TestStatus(t *testing.T) {
	rows := []struct {
		cut      string
		executed int
	}{{plan.C1, 0}, {plan.C3w, 0}, {plan.C4, 1}}
	for _, row := range rows {
		for _, code := range plan.Codes {
			for _, tool := range []string{"json", "sse"} {
				t.Run(fmt.Sprintf("%s/%d/%s", row.cut, code, tool), func(t *testing.T) {
					rule := cutting(row.cut, plan.Status)
					rule.Code = code
					if code == http.StatusTooManyRequests {
						rule.RetryAfter = 2 * time.Second
					}
					r := newRig(t, proxy.Options{}, rule)
					c := newClient(t, true)
					c.Transport.(*http.Transport).MaxConnsPerHost = 1 // else a second is dialled before the first is put back
					resp, text, err := exchange(c, r.Addr(), ref(1, 1), tool)
					if err != nil || resp.StatusCode != code || strings.Contains(text, "done") {
						t.Fatalf("%v %q, %v", resp, text, err)
					}
					checkFront(t, resp, text)
					if text, err := call(c, r.Addr(), ref(1, 2), tool); err != nil || !strings.Contains(text, "done") {
						t.Errorf("the request after it: %q, %v", text, err)
					}
					r.end(t)
					if n := r.Stats().Accepted; n != 1 {
						t.Errorf("%d connections, want the same one", n)
					}
					if n := r.up.count(ref(1, 1).Op()); n != row.executed+1 { // the second attempt is executed too
						t.Errorf("executed %d times", n)
					}
					f := r.fault(t, ref(1, 1).Op())
					if f.State != history.FaultDelivered || f.Status != code || f.Down == 0 || (f.Up == 0) != (row.executed == 0) {
						t.Errorf("receipt: %+v", f)
					}
					if n := len(r.wiresOf(ref(1, 1).String())); n != row.executed {
						t.Errorf("%d exchanges witnessed, want %d", n, row.executed)
					}
				})
			}
		}
	}
}

// checkFront compares what a status is known by.
func checkFront(t *testing.T, resp *http.Response, text string) {
	t.Helper()
	h := resp.Header
	switch code := resp.StatusCode; {
	case code == 202 && text != "",
		code >= 500 && (!strings.HasPrefix(h.Get("Content-Type"), "text/html") || !strings.Contains(text, "<html>")),
		code == 429 && h.Get("Retry-After") != "2",
		code == 405 && h.Get("Allow") == "",
		code == 307 && h.Get("Location") != wire.RolloutPath("t000001.1")+"/":
		t.Errorf("%v %q", h, text)
	}
}

// TestStatusWhileTheServerWorks answers in place of a server that has the request:
// it may go on, and its answer reaches nobody.
func TestStatusWhileTheServerWorks(t *testing.T) {
	for _, tool := range []string{"slow", "half"} {
		rule := cutting(plan.C3, plan.Status)
		rule.Code = http.StatusGatewayTimeout
		r := newRig(t, proxy.Options{}, rule)
		resp, text, err := exchange(newClient(t, true), r.Addr(), ref(1, 1), tool)
		if err != nil || resp.StatusCode != rule.Code || !resp.Close || !strings.Contains(text, "Gateway") {
			t.Fatalf("%v %q, %v; want the last answer of the connection", resp, text, err)
		}
		waitUntil(t, "the server was executing, and knows", func() bool { return r.up.clientsLeft() == 1 })
		close(r.up.gate)
		r.end(t)
		f := r.fault(t, ref(1, 1).Op())
		if f.State != history.FaultDelivered || f.Up == 0 || f.Down == 0 {
			t.Errorf("receipt: %+v", f)
		}
	}
}

func TestStatusIsMissed(t *testing.T) {
	t.Run("no result", func(t *testing.T) {
		rule := cutting(plan.C4, plan.Status)
		rule.Code = 502
		const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\n"
		p, r := scripted(t, answer, rule)
		conn := dial(t, p.Addr())
		fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "json")))
		if got, err := io.ReadAll(conn); string(got) != answer || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if err := p.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultMissed || !strings.Contains(f.Reason, "without a result") {
			t.Errorf("fault: %+v", f)
		}
	})
	t.Run("the client left", func(t *testing.T) {
		rule := cutting(plan.C4, plan.Status)
		rule.Code = 502
		r := newRig(t, proxy.Options{}, rule)
		conn := r.send(t, ref(1, 1), "slow")
		waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
		conn.Close()
		waitUntil(t, "the server knows", func() bool { return r.up.clientsLeft() == 1 })
		close(r.up.gate)
		r.end(t)
		if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultMissed {
			t.Errorf("fault: %+v", f)
		}
	})
}

// TestLate keeps back a request, or a result, for a time.
func TestLate(t *testing.T) {
	for _, cut := range []string{plan.C1, plan.C4} {
		for _, patient := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/patient=%v", cut, patient), func(t *testing.T) {
				h := newHand()
				rule := cutting(cut, plan.Late)
				rule.For = time.Minute
				r := newRig(t, h.options(), rule)
				conn := r.send(t, ref(1, 1), "json")
				waitUntil(t, "something is kept back", func() bool { return h.sleepers() == 1 })
				if n := r.up.count(ref(1, 1).Op()); n != map[string]int{plan.C1: 0, plan.C4: 1}[cut] {
					t.Errorf("executed %d times", n)
				}
				reason := ""
				if patient {
					h.pass(time.Minute)
					buf := make([]byte, 12)
					if _, err := io.ReadFull(conn, buf); err != nil || string(buf) != "HTTP/1.1 200" {
						t.Errorf("%q, %v", buf, err)
					}
				} else {
					conn.Close()
					reason = "client left"
				}
				r.await(t, "the receipt", func() bool { return len(r.faults) == 1 })
				if f := r.faults[0]; f.State != history.FaultDelivered || !strings.Contains(f.Reason, reason) || patient && f.Up == 0 {
					t.Errorf("receipt: %+v", f)
				}
				waitUntil(t, "the server has the request", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
			})
		}
	}
}

// TestLateIsMissed closes the proxy while something is kept back.
func TestLateIsMissed(t *testing.T) {
	h := newHand()
	rule := cutting(plan.C4, plan.Late)
	rule.For = time.Minute
	r := newRig(t, h.options(), rule)
	r.send(t, ref(1, 1), "json")
	waitUntil(t, "something is kept back", func() bool { return h.sleepers() == 1 })
	r.end(t)
	if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultMissed {
		t.Errorf("fault: %+v", f)
	}
}

// TestStreamLeftOpen gives the whole answer without the end of its stream.
func TestStreamLeftOpen(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n24\r\n" + `{"jsonrpc":"2.0","id":7,"result":{}}` + "\r\n"
	const unsized = "HTTP/1.1 200 OK\r\n\r\n" + `{"jsonrpc":"2.0","id":7,"result":{}}`
	const sized = "HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n" + `{"jsonrpc":"2.0","id":7,"result":{}}`
	tests := []struct {
		name, manner, answer, got, missed string
	}{
		{"chunked", plan.FIN, chunked + "0\r\n\r\n", chunked, ""},
		{"chunked", plan.RST, chunked + "0\r\n\r\n", chunked, ""},
		{"chunked by line feeds", plan.FIN, strings.ReplaceAll(chunked, "\r\n", "\n") + "0\n\n", strings.ReplaceAll(chunked, "\r\n", "\n"), ""},
		{"unsized", plan.RST, unsized, unsized, ""},
		{"unsized", plan.FIN, unsized, unsized, "ends with its connection"},
		{"sized", plan.FIN, sized, sized, "the length of the answer is told"},
		{"sized", plan.RST, sized, sized, "the length of the answer is told"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"/"+tt.manner, func(t *testing.T) {
			p, r := scripted(t, tt.answer, cutting(plan.C7, tt.manner))
			conn := dial(t, p.Addr())
			fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "json")))
			got, err := io.ReadAll(conn)
			reset := tt.manner == plan.RST && tt.missed == ""
			if string(got) != tt.got || errors.Is(err, syscall.ECONNRESET) != reset {
				t.Errorf("the client got %q, %v", got, err)
			}
			if err := p.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			f := r.fault(t, ref(1, 1).Op())
			if (f.State == history.FaultMissed) != (tt.missed != "") || !strings.Contains(f.Reason, tt.missed) {
				t.Errorf("fault: %+v", f)
			}
		})
	}
}

// TestCleanUpFails withholds a clean-up exchange: the call before it is untouched.
func TestCleanUpFails(t *testing.T) {
	for _, manner := range []string{plan.FIN, plan.RST, plan.Status} {
		rule := cutting(plan.C8, manner)
		rule.At = history.RoleDelete
		if manner == plan.Status {
			rule.Code = 500
		}
		r := newRig(t, proxy.Options{}, rule)
		c := newClient(t, true)
		if text, err := call(c, r.Addr(), ref(1, 1), "sse"); err != nil || !strings.Contains(text, "done") {
			t.Errorf("%s: the call: %q, %v", manner, text, err)
		}
		req, err := http.NewRequest("DELETE", "http://"+r.Addr()+wire.RolloutPath("t000001.1"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(wire.OpHeader, ref(1, 1).String())
		resp, err := c.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != (manner == plan.Status) || err == nil && resp.StatusCode != 500 {
			t.Errorf("%s: the clean-up: %v, %v", manner, resp, err)
		}
		r.end(t)
		if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultDelivered || f.Role != history.RoleDelete || f.Up != 0 || len(r.wires) != 1 {
			t.Errorf("%s: receipt %+v, witness %+v", manner, f, r.wires)
		}
	}
}

// TestRefuse asks before a dial.
func TestRefuse(t *testing.T) {
	ask := func(t *testing.T, rule plan.Rule, op wire.OpRef, role history.ExchangeRole) (*rig, error) {
		r := newRig(t, proxy.Options{Base: clock.NewBase(clock.System{})}, rule)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		return r, r.Refuse(ctx, op, role, "json")
	}
	late := cutting(plan.C0, plan.RST)
	late.During = plan.Window{From: time.Hour, To: 2 * time.Hour}
	tests := []struct {
		name string
		rule plan.Rule
		role history.ExchangeRole
		want error
	}{
		{"refused", cutting(plan.C0, plan.RST), history.RoleCall, syscall.ECONNREFUSED},
		{"silent", cutting(plan.C0, plan.Hold), history.RoleCall, context.DeadlineExceeded},
		{"another role", cutting(plan.C0, plan.RST), history.RoleInitialize, nil},
		{"another cut", cutting(plan.C1, plan.RST), history.RoleCall, nil},
		{"outside its window", late, history.RoleCall, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ask(t, tt.rule, ref(1, 1), tt.role)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want == nil {
				if len(r.faults) != 0 {
					t.Errorf("faults: %+v", r.faults)
				}
				return
			}
			f := r.fault(t, ref(1, 1).Op())
			if f.State != history.FaultDelivered || f.Cut != plan.C0 || f.Up != 0 || f.Down != 0 || f.Attempt != 1 || f.Role != tt.role {
				t.Errorf("receipt: %+v", f)
			}
		})
	}
}

// TestNothingToRefuse sends a marked exchange on a connection that is open.
func TestNothingToRefuse(t *testing.T) {
	r := newRig(t, proxy.Options{}, cutting(plan.C0, plan.RST))
	if text, err := call(newClient(t, true), r.Addr(), ref(1, 1), "json"); err != nil || !strings.Contains(text, "done") {
		t.Errorf("%q, %v", text, err)
	}
	r.end(t)
	if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultMissed || !strings.Contains(f.Reason, "open already") {
		t.Errorf("fault: %+v", f)
	}
}
