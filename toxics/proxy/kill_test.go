package proxy_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// process stands for a server's process: the upstream lives on, and a test says when
// the start has come about.
type process struct {
	mu     sync.Mutex
	kills  int
	start  chan struct{}
	failed error
}

func (p *process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kills++
	return p.failed
}

func (p *process) Start(ctx context.Context) error {
	select {
	case <-p.start:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *process) killed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kills
}

// TestKillAfterCommit kills a server for one exchange: that one has its receipt, and
// so have one that was under way beside it, a dial while the server is down, and a
// connection that came past it. Once the server is up, all is well.
func TestKillAfterCommit(t *testing.T) {
	server := &process{start: make(chan struct{})}
	r := newRig(t, proxy.Options{Killer: server}, plan.Rule{
		ID: "r01", On: "sim", Cut: plan.CutKill, Manner: plan.RST, At: history.RoleCall, Op: ref(1, 1).Op(), Attempt: 1,
	})
	r.Begin()
	beside := make(chan error, 1)
	go func() {
		_, err := call(newClient(t, false), r.Addr(), ref(2, 1), "slow")
		beside <- err
	}()
	waitUntil(t, "the neighbour is executed", func() bool { return r.up.count(ref(2, 1).Op()) == 1 })
	if text, err := call(newClient(t, false), r.Addr(), ref(1, 1), "json"); err == nil {
		t.Errorf("the killed server answered %q", text)
	}
	if err := <-beside; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the neighbour got %v", err)
	}
	if err := r.Refuse(t.Context(), ref(3, 1), history.RoleCall, "json"); !errors.Is(err, toxics.ErrRefused) {
		t.Errorf("a dial while the server is down: %v", err)
	}
	if _, err := call(newClient(t, false), r.Addr(), ref(4, 1), "json"); err == nil {
		t.Error("a connection came through to a server that is down")
	}
	close(r.up.gate)
	close(server.start)
	waitUntil(t, "the server is up", func() bool { return r.Refuse(t.Context(), ref(5, 1), history.RoleCall, "json") == nil })
	if text, err := call(newClient(t, false), r.Addr(), ref(1, 2), "json"); err != nil {
		t.Errorf("after the start: %q, %v", text, err)
	}
	r.end(t)
	if n := server.killed(); n != 1 || r.Stats().DialErrors != 0 {
		t.Errorf("%d kills, %d dial errors", n, r.Stats().DialErrors)
	}
	type receipt struct{ Op, Reason string }
	reasons := map[receipt]bool{}
	for _, f := range r.faults {
		if f.Cut != plan.CutKill || f.State != history.FaultDelivered || f.Rule != "r01" {
			t.Errorf("%+v", f)
		}
		if f.Op != ref(5, 1).Op() { // as often as it was asked whether the server is up
			reasons[receipt{f.Op, f.Reason}] = true
		}
	}
	const down = "its server was down after a kill"
	want := map[receipt]bool{
		{ref(1, 1).Op(), ""}: true, {ref(2, 1).Op(), "its server was killed while it was under way, or idle"}: true,
		{ref(3, 1).Op(), down}: true, {"", down}: true,
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("receipts (-want +got)\n%s", diff)
	}
}

// TestKillAtItsTime kills an idle server when a rule says so, and not when there is no
// process, when it is down already, or when it cannot be killed.
func TestKillAtItsTime(t *testing.T) {
	at := func(id string, at time.Duration) plan.Rule {
		return plan.Rule{ID: id, On: "sim", Cut: plan.CutKill, Manner: plan.RST, BurstAt: at, Share: 1}
	}
	for _, tt := range []struct {
		name   string
		killer toxics.Killer
		want   []string // what became of each rule
	}{
		{"down already", &process{}, []string{"r01 delivered ", "r02 missed the server was down already"}},
		{"cannot be killed", &process{failed: errors.New("no")}, []string{"r01 delivered ", "r02 missed the server was down already"}},
		{"no process", nil, []string{
			"r01 missed the server has no process of its own that could be killed",
			"r02 missed the server has no process of its own that could be killed",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHand()
			opts := h.options()
			opts.Killer = tt.killer
			r := newRig(t, opts, at("r01", 5*time.Second), at("r02", 6*time.Second))
			r.Begin()
			h.awaitSleeper(t)
			h.pass(6 * time.Second)
			r.await(t, "both records", func() bool { return len(r.faults) == 2 })
			r.end(t)
			var got []string
			for _, f := range r.faults {
				got = append(got, f.Rule+" "+string(f.State)+" "+f.Reason)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
