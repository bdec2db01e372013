package proxy_test

import (
	"net/http"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// inWindow is a toxic that acts from the fifth second to the 25th.
func inWindow(name, stream string, attributes map[string]any) plan.Rule {
	rule := toxic(name, stream, attributes)
	rule.During = plan.Window{From: 5 * time.Second, To: 25 * time.Second}
	return rule
}

// windowedRig is a proxy with such toxics whose arm has begun, and its clock.
func windowedRig(t *testing.T, rules ...plan.Rule) (*rig, *hand) {
	h := newHand()
	r := newRig(t, h.options(), rules...)
	r.Begin()
	h.awaitSleeper(t)
	return r, h
}

// opens moves the clock to the beginning of the one window, and waits until the toxic
// acts on so many connections and its gate waits for the window's end.
func (r *rig) opens(t *testing.T, h *hand, conns int) {
	t.Helper()
	h.pass(5 * time.Second)
	h.awaitPause(t, 2)
	r.acts(t, conns)
}

// acts waits until the toxic is recorded to act on so many connections in all.
func (r *rig) acts(t *testing.T, conns int) {
	t.Helper()
	r.await(t, "the toxic acts", func() bool { return len(r.faults) >= conns })
}

// pending is a call that is under way.
type pending chan error

func (r *rig) asks(t *testing.T, c *http.Client, task int64) pending {
	p := make(pending, 1)
	go func() {
		text, err := call(c, r.Addr(), ref(task, 1), "large")
		if err == nil && len(text) < large {
			t.Errorf("an answer of %d bytes: %q", len(text), clip(text))
		}
		p <- err
	}()
	return p
}

// TestWindowOfLatency asks before the window, within it and after it, on a connection
// that is open all along and on new ones. An hour's latency is told by the answer that
// comes at all, and only when the window has ended.
func TestWindowOfLatency(t *testing.T) {
	for _, stream := range []string{"upstream", "downstream"} {
		t.Run(stream, func(t *testing.T) {
			r, h := windowedRig(t, inWindow("latency", stream, map[string]any{"latency": 3600000}))
			kept := newClient(t, true)
			for _, task := range []int64{1, 2} {
				if err := <-r.asks(t, kept, task); err != nil {
					t.Fatalf("before the window: %v", err)
				}
			}
			r.opens(t, h, 1)
			held, fresh := r.asks(t, kept, 3), r.asks(t, newClient(t, false), 4)
			r.acts(t, 2)
			if stream == "downstream" {
				waitUntil(t, "the answers wait", func() bool { return r.up.count(ref(3, 1).Op()) > 0 && r.up.count(ref(4, 1).Op()) > 0 })
			}
			h.pass(20*time.Second - 1)
			if stream == "upstream" && r.up.count(ref(3, 1).Op())+r.up.count(ref(4, 1).Op()) > 0 {
				t.Error("within the window a call was let through")
			}
			if len(held)+len(fresh) > 0 {
				t.Error("within the window an answer was let through")
			}
			h.pass(1)
			for i, p := range []pending{held, fresh, r.asks(t, kept, 5), r.asks(t, newClient(t, false), 6)} {
				if err := <-p; err != nil {
					t.Errorf("after the window: call %d: %v", i, err)
				}
			}
			r.end(t)
			if len(r.faults) != 2 {
				t.Errorf("%d receipts, want one for each connection that was open in the window: %+v", len(r.faults), r.faults)
			}
			for _, f := range r.faults {
				if f.State != history.FaultInstalled || f.Rule != "r01" || f.Toxic != "latency" || f.Reason != "from 5s to 25s" || f.Conn == 0 {
					t.Errorf("receipt: %+v", f)
				}
			}
		})
	}
}

// TestWindowToCome is a window that the end of the proxy comes before: nothing
// acts, nothing is recorded, and nothing is left.
func TestWindowToCome(t *testing.T) {
	r, _ := windowedRig(t, inWindow("timeout", "downstream", nil), plan.Rule{ID: "r02", On: "tools", Toxic: "latency", During: plan.Window{To: time.Second}})
	if err := <-r.asks(t, newClient(t, true), 1); err != nil {
		t.Error(err)
	}
	r.end(t)
	if len(r.faults) != 0 {
		t.Errorf("receipts: %+v", r.faults)
	}
}

// TestEndWithinWindow closes the proxy while a toxic holds an answer back for an hour.
func TestEndWithinWindow(t *testing.T) {
	r, h := windowedRig(t, inWindow("latency", "downstream", map[string]any{"latency": 3600000}))
	h.pass(5 * time.Second)
	asked := r.asks(t, newClient(t, true), 1)
	r.acts(t, 1)
	waitUntil(t, "the answer waits", func() bool { return r.up.count(ref(1, 1).Op()) > 0 })
	r.end(t) // within its patience
	<-asked
}
