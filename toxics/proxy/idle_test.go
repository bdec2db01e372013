package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// idle is a rule for connections that are idle for ten seconds.
func idle(manner string) plan.Rule {
	return plan.Rule{ID: "r01", On: "sim", Cut: plan.CutIdle, Manner: manner, IdleAfter: 10 * time.Second, Share: 1}
}

// TestIdleClose closes a connection at its idle time, and not a moment before.
func TestIdleClose(t *testing.T) {
	for _, manner := range []string{plan.FIN, plan.RST} {
		t.Run(manner, func(t *testing.T) {
			h := newHand()
			r := newRig(t, h.options(), idle(manner))
			c := newClient(t, true)
			healthy := func(n int) {
				t.Helper()
				if text, err := call(c, r.Addr(), ref(1, n), "json"); err != nil || !strings.Contains(text, "done") {
					t.Fatalf("call %d: %q, %v", n, text, err)
				}
			}
			healthy(1)
			h.awaitPause(t, 1)
			h.pass(9 * time.Second)
			healthy(2) // idle time begins anew
			h.pass(time.Second)
			h.awaitPause(t, 2)
			h.pass(9*time.Second - 1)
			if n := r.Stats(); n.Open != 1 || n.Accepted != 1 || len(r.faults) != 0 {
				t.Fatalf("before the idle time: %+v %+v", n, r.faults)
			}
			h.pass(1)
			r.await(t, "the receipt", func() bool { return len(r.faults) == 1 })
			waitUntil(t, "the client knows", func() bool { return r.Stats().Open == 0 })
			c = newClient(t, true) // the old one may notice in the middle of a call
			healthy(3)
			f := r.faults[0]
			if f.State != history.FaultDelivered || f.Cut != plan.CutIdle || f.Manner != manner || f.Op != "" || f.Rollout != "t000001.1" || f.Conn != 1 {
				t.Errorf("receipt: %+v", f)
			}
		})
	}
}

// TestNoIdleCloseWhileBusy keeps a connection in use for longer than the idle time.
func TestNoIdleCloseWhileBusy(t *testing.T) {
	h := newHand()
	r := newRig(t, h.options(), idle(plan.RST))
	conn := dial(t, r.Addr())
	fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "slow")))
	waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
	for n := range 3 {
		h.awaitPause(t, n+1)
		h.pass(10 * time.Second)
	}
	close(r.up.gate)
	buf := make([]byte, 12)
	if _, err := io.ReadFull(conn, buf); err != nil || string(buf) != "HTTP/1.1 200" {
		t.Errorf("%q, %v", buf, err)
	}
	r.end(t)
	if len(r.faults) != 0 {
		t.Errorf("faults: %+v", r.faults)
	}
}

// TestForgotten sends a request on a connection that a middlebox has forgotten.
func TestForgotten(t *testing.T) {
	for _, manner := range []string{plan.Forget, plan.Hold} {
		for _, named := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/named=%v", manner, named), func(t *testing.T) {
				h := newHand()
				r := newRig(t, h.options(), idle(manner))
				conn := dial(t, r.Addr())
				send := func(n int) {
					text := rawPost(ref(1, n), body(ref(1, n), "json"))
					if !named {
						text = strings.Replace(text, "Mcpstorm-Op", "X-None", 1)
					}
					fmt.Fprint(conn, text)
				}
				for n := range 2 {
					h.pass(10*time.Second - 1)
					send(n + 1)
					r.await(t, "the answer", func() bool { return len(r.wires) == n+1 })
					if _, err := io.ReadAtLeast(conn, make([]byte, 1000), 200); err != nil {
						t.Fatal(err)
					}
				}
				h.pass(10 * time.Second)
				send(3)
				r.await(t, "the receipt", func() bool { return len(r.faults) == 1 })
				if manner == plan.Forget {
					if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
						t.Errorf("%d bytes, %v; want a reset", n, err)
					}
				} else if r.Stats().Open != 1 {
					t.Errorf("the connection was closed: %+v", r.Stats())
				}
				r.end(t)
				f := r.faults[0]
				if f.State != history.FaultDelivered || f.Cut != plan.CutIdle || f.Up != 0 || f.Down != 0 || f.Exchange != 3 || (f.Op != "") != named {
					t.Errorf("receipt: %+v", f)
				}
				if len(r.wires) != 2 || r.up.count(ref(1, 1).Op()) != 2 {
					t.Errorf("the server has seen %d, and executed %d", len(r.wires), r.up.count(ref(1, 1).Op()))
				}
			})
		}
	}
}

// TestIdleOutsideItsWindow lets a connection stay idle when the rule is not armed.
func TestIdleOutsideItsWindow(t *testing.T) {
	for _, manner := range []string{plan.RST, plan.Forget} {
		h := newHand()
		rule := idle(manner)
		rule.During = plan.Window{From: time.Hour, To: 2 * time.Hour}
		r := newRig(t, h.options(), rule)
		r.Begin()
		c := newClient(t, true)
		for n := range 2 {
			if text, err := call(c, r.Addr(), ref(1, n+1), "json"); err != nil {
				t.Errorf("%q, %v", text, err)
			}
			if manner == plan.RST {
				h.awaitPause(t, n+1)
			}
			h.pass(10 * time.Second)
		}
		r.end(t)
		if len(r.faults) != 0 || r.Stats().Accepted != 1 {
			t.Errorf("%s: %+v", manner, r.faults)
		}
	}
}

// stalling is a rule that takes no connection from 8s to 13s.
func stalling(manner string) plan.Rule {
	r := plan.Rule{ID: "r01", On: "sim", Cut: plan.CutAccept, Manner: manner, BurstAt: 8 * time.Second, Share: 1}
	r.For = 5 * time.Second
	return r
}

// TestStalledAccept lets connections wait, which then are served all the same.
func TestStalledAccept(t *testing.T) {
	const calls = 20
	h := newHand()
	r := newRig(t, h.options(), stalling(plan.Hold))
	r.Begin()
	h.awaitPause(t, 1)
	h.pass(8 * time.Second)
	h.awaitPause(t, 2)
	results := make(chan error, calls)
	for i := range int64(calls) {
		c := newClient(t, false)
		go func() {
			_, err := call(c, r.Addr(), ref(i, 1), "json")
			results <- err
		}()
	}
	waitUntil(t, "one has come", func() bool { return r.Stats().Accepted == 1 })
	if n := r.executed(calls); n != 0 {
		t.Errorf("%d executed, want all to wait", n)
	}
	h.pass(5 * time.Second)
	for range calls {
		if err := <-results; err != nil {
			t.Errorf("a call that waited: %v", err)
		}
	}
	r.await(t, "the receipt", func() bool { return len(r.faults) == 1 })
	if f := r.faults[0]; f.State != history.FaultDelivered || f.Cut != plan.CutAccept || f.Manner != plan.Hold {
		t.Errorf("receipt: %+v", f)
	}
}

// TestRefusedAccept resets the connections that come.
func TestRefusedAccept(t *testing.T) {
	h := newHand()
	r := newRig(t, h.options(), stalling(plan.RST))
	r.Begin()
	h.awaitPause(t, 1)
	h.pass(8 * time.Second)
	h.awaitPause(t, 2)
	waitUntil(t, "the first is reset", func() bool {
		_, err := call(newClient(t, false), r.Addr(), ref(1, 1), "json")
		return err != nil
	})
	n := r.Stats().Accepted
	h.pass(5 * time.Second)
	waitUntil(t, "one is served", func() bool {
		_, err := call(newClient(t, false), r.Addr(), ref(2, 1), "json")
		return err == nil
	})
	r.end(t)
	if len(r.faults) < 1 || int64(len(r.faults)) > r.Stats().Accepted-1 || r.faults[0].Conn == 0 || r.faults[0].State != history.FaultDelivered || n == 0 {
		t.Errorf("receipts: %+v", r.faults)
	}
}

// TestStallIsMissed stalls when nobody comes, and one whose time does not come.
func TestStallIsMissed(t *testing.T) {
	h := newHand()
	later := stalling(plan.RST)
	later.ID, later.BurstAt = "r02", time.Hour
	r := newRig(t, h.options(), stalling(plan.Hold), later)
	r.Begin()
	h.awaitPause(t, 1)
	h.pass(8 * time.Second)
	h.awaitPause(t, 2)
	h.pass(5 * time.Second)
	r.await(t, "the first record", func() bool { return len(r.faults) == 1 })
	r.end(t)
	if len(r.faults) != 2 || r.faults[0].State != history.FaultMissed || r.faults[1].State != history.FaultUnarmed {
		t.Errorf("records: %+v", r.faults)
	}
}
