package proxy_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// armed sends one marked call and compares its one record with what is due.
func (r *rig) armed(t *testing.T, op wire.OpRef, armed bool, window string) {
	t.Helper()
	text, err := call(newClient(t, true), r.Addr(), op, "json")
	if met := errors.Is(err, syscall.ECONNRESET); met != armed || !armed && !strings.Contains(text, "done") {
		t.Errorf("%v: %q, %v; want it cut: %v", op, text, err, armed)
	}
	r.await(t, "the record of "+op.Op(), func() bool {
		for _, f := range r.faults {
			if f.Op == op.Op() {
				return true
			}
		}
		return false
	})
	f, want := r.fault(t, op.Op()), history.FaultUnarmed
	if armed {
		want, window = history.FaultDelivered, ""
	}
	if f.State != want || !strings.Contains(f.Reason, window) || f.Rule != "r01" || f.Cut != plan.C1 ||
		f.Attempt != op.Attempt || f.Role != history.RoleCall || f.Rollout != op.Rollout() || f.Conn == 0 || f.Exchange != 1 {
		t.Errorf("%v: %+v, want it %s", op, f, want)
	}
}

func TestWindowOfTime(t *testing.T) {
	rule := cutting(plan.C1, plan.RST)
	rule.During = plan.Window{From: 5 * time.Second, To: 25 * time.Second}
	h := newHand()
	r := newRig(t, h.options(), rule)
	steps := []struct {
		pass  time.Duration
		begin bool
		armed bool
	}{
		{pass: 0},
		{pass: 10 * time.Second}, // the run is that old, and the arm has not begun
		{begin: true},
		{pass: 5*time.Second - 1},
		{pass: 1, armed: true},
		{begin: true, armed: true}, // it begins only once
		{pass: 20*time.Second - 1, armed: true},
		{pass: 1},
		{pass: time.Hour},
	}
	for i, step := range steps {
		h.pass(step.pass)
		if step.begin {
			r.Begin()
		}
		r.armed(t, ref(int64(i), 1), step.armed, "from 5s to 25s")
	}
}

func TestWindowAtTheStart(t *testing.T) {
	rule := cutting(plan.C1, plan.RST)
	rule.During = plan.Window{Start: true}
	r := newRig(t, newHand().options(), rule)
	for step, armed := range map[string]bool{"s01": true, "s02": true, "s03": false, "s12": false} {
		for restart := range 2 {
			op := wire.OpRef{Task: wire.TaskID(0, int64(restart)), Restart: restart + 1, Step: step, Attempt: 1}
			r.armed(t, op, armed, "s01, s02")
		}
	}
}

// TestUnarmedBeforeMissed checks that what cannot be cut is told as outside of
// its window first: it was never armed.
func TestUnarmedBeforeMissed(t *testing.T) {
	rule := cutting(plan.C1, plan.RST)
	rule.During = plan.Window{From: 5 * time.Second, To: 25 * time.Second}
	r := newRig(t, newHand().options(), rule)
	text, err := post(newClient(t, true), r.Addr(), ref(1, 1), strings.NewReader(longBody(ref(1, 1), "json", toxics.MaxRequest)))
	if err != nil {
		t.Errorf("%q, %v", text, err)
	}
	r.end(t)
	if f := r.fault(t, ref(1, 1).Op()); f.State != history.FaultUnarmed {
		t.Errorf("fault: %+v", f)
	}
}
