package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

func bursting(id string, at time.Duration, share float64, manner string) plan.Rule {
	return plan.Rule{ID: id, On: "sim", Cut: plan.CutBurst, Manner: manner, BurstAt: at, Share: share}
}

// caller is one client connection in some state.
type caller struct {
	*net.TCPConn
	in     *bufio.Reader
	op     wire.OpRef
	before string // the request that was sent
	after  string // the request, or the rest of it, that is still to be sent
	begun  bool   // the answer has begun
}

// states are what a connection can be about when a burst comes. Each brings a
// connection there, and says what a receipt of it must hold.
var states = []struct {
	name  string
	enter func(t *testing.T, r *rig, c *caller)
	want  func(c *caller) history.Fault
	down  bool // a part of the answer reached the client
}{
	{"fresh", func(_ *testing.T, _ *rig, c *caller) {
		c.after = rawPost(c.op, body(c.op, "json"))
	}, func(*caller) history.Fault { return history.Fault{} }, false},

	{"idle", func(t *testing.T, _ *rig, c *caller) {
		c.after = rawPost(c.op, body(c.op, "json"))
		c.send(t, c.after)
		c.answer(t)
	}, func(c *caller) history.Fault { return history.Fault{Rollout: c.op.Rollout()} }, false},

	{"waiting", func(t *testing.T, r *rig, c *caller) {
		c.send(t, rawPost(c.op, body(c.op, "slow")))
		c.executed(t, r)
	}, (*caller).inFlight, false},

	{"answering", func(t *testing.T, r *rig, c *caller) {
		c.send(t, rawPost(c.op, body(c.op, "half")))
		c.line(t, "data:")
		c.begun = true
	}, (*caller).inFlight, true},

	{"sending", func(t *testing.T, _ *rig, c *caller) {
		head, content, _ := strings.Cut(rawPost(c.op, body(c.op, "json")), "\r\n\r\n")
		c.send(t, head+"\r\nExpect: 100-continue\r\n\r\n")
		c.line(t, " 100 ")
		c.line(t, "\r\n")
		c.after = content
	}, func(c *caller) history.Fault {
		f := c.inFlight()
		f.Role = "" // only the body would tell
		return f
	}, true},

	{"marked", func(t *testing.T, r *rig, c *caller) {
		c.op.Attempt = 1
		c.send(t, rawPost(c.op, body(c.op, "slow")))
		c.executed(t, r)
	}, (*caller).inFlight, false},
}

func (c *caller) send(t *testing.T, text string) {
	t.Helper()
	c.before = text
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// line reads on to a line that holds a text.
func (c *caller) line(t *testing.T, text string) {
	t.Helper()
	for {
		switch line, err := c.in.ReadString('\n'); {
		case err != nil:
			t.Errorf("%v: %q before %q: %v", c.op, line, text, err)
			return
		case strings.Contains(line, text):
			return
		}
	}
}

// answer insists on one whole answer, or on the rest of it.
func (c *caller) answer(t *testing.T) {
	t.Helper()
	if c.begun {
		c.line(t, "done")
		return
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Errorf("%v: %v", c.op, err)
		return
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "done") {
		t.Errorf("%v: %q, %v", c.op, text, err)
	}
}

func (c *caller) executed(t *testing.T, r *rig) {
	t.Helper()
	waitUntil(t, "the handler runs", func() bool { return r.up.count(c.op.Op()) == 1 })
}

// inFlight is what a receipt says of the request that was sent.
func (c *caller) inFlight() history.Fault {
	return history.Fault{
		Op: c.op.Op(), Rollout: c.op.Rollout(), Attempt: c.op.Attempt, Role: history.RoleCall,
		Exchange: 1, Up: int64(len(c.before)),
	}
}

// TestBurst cuts half of 64 connections that do different things.
func TestBurst(t *testing.T) {
	const n = 64
	for _, manner := range []string{plan.FIN, plan.RST} {
		t.Run(manner, func(t *testing.T) {
			h := newHand()
			r := newRig(t, h.options(), bursting("r01", 8*time.Second, 0.5, manner), marking("r02"))
			var callers []*caller
			var ids []int64
			for i := range int64(n) {
				c := &caller{TCPConn: dial(t, r.Addr()), op: ref(i, 2)}
				c.in = bufio.NewReader(c)
				waitUntil(t, "it is open", func() bool { return r.Stats().Open == i+1 })
				states[int(i)%len(states)].enter(t, r, c)
				callers, ids = append(callers, c), append(ids, i+1)
			}
			h.pass(time.Hour)
			r.Begin()
			h.awaitSleeper(t)
			h.pass(8 * time.Second)
			chosen := r.plan.Bursts("sim")[0].Choose(ids)
			for _, id := range chosen {
				callers[id-1].cutBy(t, manner)
			}
			close(r.up.gate)
			for i, c := range callers {
				if !slices.Contains(chosen, int64(i+1)) {
					c.survives(t)
				}
			}
			r.end(t)
			checkBurst(t, r, callers, chosen, manner)
		})
	}
}

// marking is a rule that cuts the answer of every first attempt.
func marking(id string) plan.Rule {
	r := cutting(plan.C4, plan.RST)
	r.ID = id
	return r
}

// cutBy insists on the end that a manner makes.
func (c *caller) cutBy(t *testing.T, manner string) {
	t.Helper()
	_, err := io.Copy(io.Discard, c.in)
	if reset := errors.Is(err, syscall.ECONNRESET); reset != (manner == plan.RST) || !reset && err != nil {
		t.Errorf("%v: cut by %s, and the client sees %v", c.op, manner, err)
	}
}

// survives goes on where the connection stands, unless its own fault is due.
func (c *caller) survives(t *testing.T) {
	t.Helper()
	if c.op.Attempt == 1 {
		c.cutBy(t, plan.RST)
		return
	}
	if _, err := io.WriteString(c, c.after); err != nil {
		t.Errorf("%v: %v", c.op, err)
	}
	c.answer(t)
}

// checkBurst compares all fault records with what was under way.
func checkBurst(t *testing.T, r *rig, callers []*caller, chosen []int64, manner string) {
	t.Helper()
	got, marks := map[int64]history.Fault{}, map[int64]history.Fault{}
	for _, f := range r.faults {
		to := got
		if f.Rule == "r02" {
			to = marks
		}
		if _, again := to[f.Conn]; again {
			t.Errorf("a second record: %+v", f)
		}
		to[f.Conn] = f
	}
	for i, c := range callers {
		id, state := int64(i+1), states[i%len(states)]
		cut := slices.Contains(chosen, id)
		if mark, ok := marks[id]; ok != (c.op.Attempt == 1) || ok && (mark.State == history.FaultMissed) != cut ||
			cut && ok && !strings.Contains(mark.Reason, "burst") {
			t.Errorf("the mark of %v: %+v", c.op, mark)
		}
		f, ok := got[id]
		if ok != cut {
			t.Errorf("connection %d: %+v, want it cut: %v", id, f, cut)
		}
		if !cut {
			continue
		}
		want := state.want(c)
		want.Arm, want.Server, want.Rule, want.Cut, want.Manner = "main", "sim", "r01", plan.CutBurst, manner
		want.State, want.Conn, want.At = history.FaultDelivered, id, history.Instant(time.Hour+8*time.Second)
		if state.down && f.Down > 0 {
			want.Down = f.Down
		}
		if diff := cmp.Diff(want, f); diff != "" {
			t.Errorf("%s (-want +got)\n%s", state.name, diff)
		}
	}
	if len(chosen) != len(callers)/2 || len(got) != len(chosen) {
		t.Errorf("%d chosen and %d on record, of %d", len(chosen), len(got), len(callers))
	}
}

func TestBurstsComeOneAfterAnother(t *testing.T) {
	h := newHand()
	r := newRig(t, h.options(), bursting("r01", 3*time.Second, 1, plan.FIN), bursting("r02", time.Second, 0.5, plan.RST), bursting("r03", 3*time.Second, 1, plan.RST))
	for i := range int64(8) {
		dial(t, r.Addr())
		waitUntil(t, "it is open", func() bool { return r.Stats().Open == i+1 })
	}
	r.Begin()
	r.Begin()
	h.awaitSleeper(t)
	h.pass(time.Second)
	r.await(t, "the first burst", func() bool { return len(r.faults) == 4 })
	h.awaitSleeper(t)
	h.pass(5 * time.Second)
	r.await(t, "the rest", func() bool { return len(r.faults) == 9 })
	var got []string
	for _, f := range r.faults {
		got = append(got, fmt.Sprintf("%s %s %s", f.Rule, f.State, f.Reason))
	}
	slices.Sort(got)
	want := slices.Concat(slices.Repeat([]string{"r01 delivered "}, 4), slices.Repeat([]string{"r02 delivered "}, 4), []string{"r03 missed none of 0 open connections was chosen"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBurstLeavesOutWhoHasLeft(t *testing.T) {
	r := newRig(t, proxy.Options{}, bursting("r01", 0, 1, plan.RST))
	defer close(r.up.gate)
	left, stays := dial(t, r.Addr()), dial(t, r.Addr())
	fmt.Fprint(left, rawPost(ref(1, 1), body(ref(1, 1), "slow")))
	waitUntil(t, "the handler runs", func() bool { return r.up.count(ref(1, 1).Op()) == 1 })
	if err := left.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the server knows", func() bool { return r.up.clientsLeft() == 1 })
	waitUntil(t, "both are open", func() bool { return r.Stats().Open == 2 })
	r.Begin()
	if _, err := stays.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client that stays sees %v", err)
	}
	r.end(t)
	if len(r.faults) != 1 || r.faults[0].Conn != 2 || r.faults[0].State != history.FaultDelivered {
		t.Errorf("faults: %+v", r.faults)
	}
}

func TestBurstsEndWithTheProxy(t *testing.T) {
	tests := []struct {
		name  string
		begin bool
		want  int
	}{
		{"begun", true, 2},
		{"not begun", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHand()
			r := newRig(t, h.options(), bursting("r01", 8*time.Second, 1, plan.RST), bursting("r02", 9*time.Second, 1, plan.RST))
			c := newClient(t, true)
			if tt.begin {
				r.Begin()
				h.awaitSleeper(t)
			} else {
				h.pass(time.Hour)
			}
			if _, err := call(c, r.Addr(), ref(1, 1), "json"); err != nil {
				t.Error(err)
			}
			r.end(t)
			r.Begin()
			h.pass(time.Hour)
			if len(r.faults) != tt.want || h.sleepers() != 0 {
				t.Fatalf("%d still wait; faults: %+v", h.sleepers(), r.faults)
			}
			for _, f := range r.faults {
				if f.State != history.FaultUnarmed || !strings.Contains(f.Reason, "ended before") {
					t.Errorf("fault: %+v", f)
				}
			}
		})
	}
}

// TestBurstThroughAStuckAnswer cuts a connection whose client does not read: it
// ends by itself, and the rest of the answer is dropped.
func TestBurstThroughAStuckAnswer(t *testing.T) {
	const size = 16 << 20
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size))
	for _, manner := range []string{plan.FIN, plan.RST} {
		t.Run(manner, func(t *testing.T) {
			p, r := scripted(t, answer, bursting("r01", 0, 1, manner))
			conn := dial(t, p.Addr())
			if err := conn.SetReadBuffer(64 << 10); err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(conn, rawPost(ref(1, 1), body(ref(1, 1), "json")))
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			p.Begin()
			waitUntil(t, "the connection has ended", func() bool { return p.Stats().Open == 0 })
			if err := p.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			f := r.fault(t, ref(1, 1).Op())
			if f.State != history.FaultDelivered || f.Down == 0 || f.Down >= size {
				t.Errorf("receipt: %+v", f)
			}
			if got, _ := io.Copy(io.Discard, conn); got+1 > f.Down {
				t.Errorf("the client got %d bytes, the receipt says %d", got+1, f.Down)
			}
		})
	}
}
