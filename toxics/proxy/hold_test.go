package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// held marks the first attempt of every call with a hold.
func held(cut string, how plan.Detail) plan.Rule {
	r := cutting(cut, plan.Hold)
	r.Detail = how
	return r
}

// send sends one request as bytes.
func (r *rig) send(t *testing.T, op wire.OpRef, tool string) *net.TCPConn {
	t.Helper()
	conn := dial(t, r.Addr())
	fmt.Fprint(conn, rawPost(op, body(op, tool)))
	return conn
}

// TestHold breaks calls by a hold at every cut, while others pass. What the client
// had got when the proxy closed is what the receipt says, to the byte.
func TestHold(t *testing.T) {
	const calls = 10
	rows := []allowed{
		{cut: plan.C1},
		{cut: plan.C2},
		{cut: plan.C3w},
		{cut: plan.C3, execHi: 1, handed: true}, // the hold may come before the handler's turn
		{cut: plan.C4, execLo: 1, execHi: 1, handed: true, result: history.ResultOK},
		{cut: plan.C5, execLo: 1, execHi: 1, handed: true, result: history.ResultOK},
		{cut: plan.C6, execLo: 1, execHi: 1, handed: true, result: history.ResultOK},
		{cut: plan.C7, execLo: 1, execHi: 1, handed: true, result: history.ResultOK},
	}
	for _, row := range rows {
		t.Run(row.cut, func(t *testing.T) {
			r := newRig(t, proxy.Options{}, held(row.cut, plan.Detail{}))
			var conns []net.Conn
			for i := range int64(calls) {
				conns = append(conns, r.send(t, ref(i, 1), "sse"))
			}
			r.await(t, "every hold", func() bool { return len(r.faults) == calls })
			if text, err := call(newClient(t, false), r.Addr(), ref(99, 2), "sse"); err != nil || !strings.Contains(text, "done") {
				t.Errorf("the neighbour: %q, %v", text, err)
			}
			if row.handed {
				waitUntil(t, "the server has executed all", func() bool { return r.executed(calls) == calls })
			}
			waitUntil(t, "the neighbour has gone", func() bool { return r.Stats().Open == calls })
			var wg sync.WaitGroup
			got := make([]string, calls)
			for i, conn := range conns {
				wg.Go(func() {
					text, err := io.ReadAll(conn)
					if err != nil && !errors.Is(err, syscall.ECONNRESET) {
						t.Errorf("call %d: %v", i, err)
					}
					got[i] = string(text)
				})
			}
			r.end(t)
			wg.Wait()
			for i := range int64(calls) {
				r.checkHeld(t, i, row, got[i])
			}
		})
	}
}

// executed is how many of the first calls have been executed.
func (r *rig) executed(calls int64) (n int) {
	for i := range calls {
		n += r.up.count(ref(i, 1).Op())
	}
	return n
}

func (r *rig) checkHeld(t *testing.T, i int64, row allowed, got string) {
	t.Helper()
	op := ref(i, 1)
	if n := r.up.count(op.Op()); n < row.execLo || n > row.execHi {
		t.Errorf("%s executed %d times, want %d to %d", op.Op(), n, row.execLo, row.execHi)
	}
	f := r.fault(t, op.Op())
	if f.State != history.FaultDelivered || f.Manner != plan.Hold || f.Down != int64(len(got)) {
		t.Errorf("receipt: %+v; the client got %q", f, got)
	}
	wires := r.wiresOf(op.String())
	if row.cut == plan.C1 || row.cut == plan.C3w {
		if len(wires) != 0 || f.Up != 0 {
			t.Errorf("witness %+v, receipt %+v; want nothing handed", wires, f)
		}
		return
	}
	if len(wires) != 1 || wires[0].Handed != row.handed || row.result != "" && wires[0].Result != row.result {
		t.Errorf("witness: %+v", wires)
	}
	if whole := strings.Contains(got, `"result"`); whole != (row.cut == plan.C7) || strings.HasSuffix(got, "\r\n0\r\n\r\n") {
		t.Errorf("the client got %q", got)
	}
}

// TestHoldEnds waits for the end of a hold of limited length, on both sides.
func TestHoldEnds(t *testing.T) {
	h := newHand()
	r := newRig(t, h.options(), held(plan.C3, plan.Detail{For: time.Minute}))
	conn := r.send(t, ref(1, 1), "slow")
	r.await(t, "the hold", func() bool { return len(r.faults) == 1 })
	waitUntil(t, "somebody waits for the end", func() bool { return h.sleepers() == 1 })
	waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
	h.pass(time.Minute)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client got %d bytes, %v; want a reset", n, err)
	}
	waitUntil(t, "the server knows", func() bool { return r.up.clientsLeft() == 1 })
	close(r.up.gate)
	waitUntil(t, "nothing is open", func() bool { return r.Stats().Open == 0 })
}

// TestOneWay holds one way of a connection: on the other one news still passes.
func TestOneWay(t *testing.T) {
	t.Run("down", func(t *testing.T) {
		r := newRig(t, proxy.Options{}, held(plan.C3, plan.Detail{Way: plan.WayDown}))
		conn := r.send(t, ref(1, 1), "slow")
		r.await(t, "the hold", func() bool { return len(r.faults) == 1 })
		waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
		conn.Close()
		waitUntil(t, "the server knows that the client left", func() bool { return r.up.clientsLeft() == 1 })
		close(r.up.gate)
		if f := r.faults[0]; f.Way != plan.WayDown || f.State != history.FaultDelivered {
			t.Errorf("receipt: %+v", f)
		}
	})
	t.Run("up", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		r := newRecords()
		p := startBefore(t, l.Addr().String(), r, held(plan.C1, plan.Detail{Way: plan.WayUp}))
		conn := dial(t, p.Addr())
		fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "json")))
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		r.await(t, "the hold", func() bool { return len(r.faults) == 1 })
		const timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"
		fmt.Fprint(server, timeout)
		server.Close()
		if text, err := io.ReadAll(conn); string(text) != timeout || err != nil {
			t.Errorf("the client got %q, %v", text, err)
		}
	})
}

// TestOneLeg cuts one leg and keeps the other.
func TestOneLeg(t *testing.T) {
	for _, manner := range []string{plan.FIN, plan.RST} {
		t.Run("client/"+manner, func(t *testing.T) {
			rule := cutting(plan.C3, manner)
			rule.Leg = plan.ClientLeg
			r := newRig(t, proxy.Options{}, rule)
			_, err := call(newClient(t, true), r.Addr(), ref(1, 1), "slow")
			want := io.EOF
			if manner == plan.RST {
				want = syscall.ECONNRESET
			}
			if !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
			waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
			r.await(t, "the receipt", func() bool { return len(r.faults) == 1 && r.faults[0].Leg == plan.ClientLeg })
			close(r.up.gate) // the server is asked for no more than its answer
			r.await(t, "the answer at the witness", func() bool { return len(r.wires) == 1 && r.wires[0].Result == history.ResultOK })
			if r.up.clientsLeft() != 0 || r.Stats().Open != 1 {
				t.Errorf("%d left the server, %d open; want its leg alone", r.up.clientsLeft(), r.Stats().Open)
			}
		})
		t.Run("server/"+manner, func(t *testing.T) {
			rule := cutting(plan.C3, manner)
			rule.Leg = plan.ServerLeg
			r := newRig(t, proxy.Options{}, rule)
			conn := r.send(t, ref(1, 1), "slow")
			r.await(t, "the receipt", func() bool { return len(r.faults) == 1 })
			if manner == plan.FIN { // a reset can overtake the request
				waitUntil(t, "the server knows", func() bool { return r.up.clientsLeft() == 1 })
			}
			close(r.up.gate)
			done := make(chan int, 1)
			go func() {
				text, _ := io.ReadAll(conn) // however the proxy's closing ends it
				done <- len(text)
			}()
			r.end(t)
			if n := <-done; n != 0 {
				t.Errorf("the client got %d bytes, want none", n)
			}
		})
	}
}

// TestBurstThatHolds makes black holes of the connections that are open.
func TestBurstThatHolds(t *testing.T) {
	h := newHand()
	rule := plan.Rule{ID: "r01", On: "sim", Cut: plan.CutBurst, Manner: plan.Hold, BurstAt: 8 * time.Second, Share: 1}
	rule.For = 5 * time.Second
	r := newRig(t, h.options(), rule)
	conn := r.send(t, ref(1, 1), "slow")
	waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
	r.Begin()
	h.awaitSleeper(t)
	h.pass(8 * time.Second)
	r.await(t, "the burst", func() bool { return len(r.faults) == 1 })
	close(r.up.gate) // the answer is lost in the hole
	r.await(t, "the answer at the witness", func() bool { return len(r.wires) == 1 })
	h.awaitPause(t, 2)
	h.pass(5 * time.Second)
	if text, err := io.ReadAll(conn); len(text) != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client got %q, %v", text, err)
	}
	if f := r.faults[0]; f.State != history.FaultDelivered || f.Manner != plan.Hold || f.Op != ref(1, 1).Op() {
		t.Errorf("receipt: %+v", f)
	}
}
