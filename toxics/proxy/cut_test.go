package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// cutting marks the first attempt of every call.
func cutting(cut, manner string) plan.Rule {
	return plan.Rule{ID: "r01", On: "sim", Cut: cut, Manner: manner, At: history.RoleCall, Share: 1, Attempts: 1}
}

// allowed is what each cut may and must do.
type allowed struct {
	cut        string
	execLo     int
	execHi     int
	handed     bool
	result     history.ResultSeen // "" is not fixed
	fin        error              // what an orderly cut looks like to the client
	up         func(up, whole int64) bool
	downIsZero bool
}

var table = []allowed{
	{"C1", 0, 0, false, "", io.EOF, func(up, _ int64) bool { return up == 0 }, true},
	{"C3w", 0, 0, false, "", io.EOF, func(up, _ int64) bool { return up == 0 }, true},
	{"C2", 0, 0, false, history.ResultNone, io.EOF, func(up, whole int64) bool { return up > 0 && up < whole }, true},
	{"C3", 0, 1, true, "", io.EOF, func(up, whole int64) bool { return up == whole }, true},
	{"C4", 1, 1, true, history.ResultOK, io.EOF, func(up, whole int64) bool { return up == whole }, true},
	{"C5", 1, 1, true, history.ResultOK, io.ErrUnexpectedEOF, func(up, whole int64) bool { return up == whole }, false},
	{"C6", 1, 1, true, history.ResultOK, io.ErrUnexpectedEOF, func(up, whole int64) bool { return up == whole }, false},
}

func TestCuts(t *testing.T) {
	const workers, each = 5, 5 // and twice that for each cut, manner and kind of answer
	for _, row := range table {
		for _, manner := range []string{plan.FIN, plan.RST} {
			for _, tool := range []string{"json", "sse"} {
				for _, keepAlive := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%s/keep-alive=%v", row.cut, manner, tool, keepAlive), func(t *testing.T) {
						r := newRig(t, proxy.Options{}, cutting(row.cut, manner))
						var wg sync.WaitGroup
						for w := range workers {
							wg.Go(func() {
								for i := range each {
									r.cutOne(t, int64(w*each+i)*10, row, manner, tool, keepAlive)
								}
							})
						}
						wg.Wait()
						r.end(t)
						for i := range workers * each {
							r.checkOne(t, int64(i)*10, row, manner)
						}
						if n := r.Stats(); n.Open != 0 || n.DialErrors != 0 || n.Untracked != 0 {
							t.Errorf("stats at the end: %+v", n)
						}
					})
				}
			}
		}
	}
}

// cutOne sends one marked request. On a connection that is kept, an unmarked one
// goes before it; every fifth time unmarked ones go beside and after it.
func (r *rig) cutOne(t *testing.T, task int64, row allowed, manner, tool string, keepAlive bool) {
	c := newClient(t, keepAlive)
	healthy := func(who string, c *http.Client, n int64) {
		text, err := call(c, r.Addr(), ref(n, 2), tool)
		if err != nil || !strings.Contains(text, "done") {
			t.Errorf("%s of %d: %q, %v", who, task, text, err)
		}
	}
	if keepAlive {
		healthy("the request before", c, task+1)
	}
	var beside sync.WaitGroup
	if accompanied := task/10%5 == 0; accompanied {
		neighbour := newClient(t, true)
		beside.Go(func() { healthy("the neighbour", neighbour, task+2) })
		defer healthy("the request after", c, task+3)
	}
	defer beside.Wait()
	text, err := call(c, r.Addr(), ref(task, 1), tool)
	want := row.fin
	if manner == plan.RST {
		want = syscall.ECONNRESET
	}
	if !errors.Is(err, want) {
		t.Errorf("the cut request %d: error %v, want %v", task, err, want)
	}
	if strings.Contains(text, `"result"`) && strings.HasSuffix(strings.TrimSpace(text), "}}") {
		t.Errorf("the cut request %d got a whole result: %q", task, text)
	}
}

// checkOne compares the records of one cut with what happened.
func (r *rig) checkOne(t *testing.T, task int64, row allowed, manner string) {
	t.Helper()
	op := ref(task, 1)
	n := r.up.count(op.Op())
	if n < row.execLo || n > row.execHi {
		t.Errorf("%s executed %d times, want %d to %d", op.Op(), n, row.execLo, row.execHi)
	}
	f := r.fault(t, op.Op())
	if f.State != history.FaultDelivered || f.Cut != row.cut || f.Manner != manner || f.Rule != "r01" ||
		f.Role != history.RoleCall || f.Attempt != 1 || f.Rollout != op.Rollout() || f.Arm != "main" || f.Server != "sim" {
		t.Errorf("receipt of %s: %+v", op.Op(), f)
	}
	if (f.Down == 0) != row.downIsZero {
		t.Errorf("receipt of %s says %d bytes reached the client", op.Op(), f.Down)
	}
	wires := r.wiresOf(op.String())
	if row.cut == plan.C1 || row.cut == plan.C3w {
		if len(wires) != 0 || f.Up != 0 {
			t.Errorf("%s: the witness saw %d exchanges, the receipt %d bytes; want none", op.Op(), len(wires), f.Up)
		}
		return
	}
	if len(wires) != 1 {
		t.Fatalf("%s: the witness saw %d exchanges, want 1", op.Op(), len(wires))
	}
	w := wires[0]
	if w.Handed != row.handed || w.Up != f.Up || row.result != "" && w.Result != row.result {
		t.Errorf("%s: witness %+v, receipt up %d", op.Op(), w, f.Up)
	}
	if w.Handed && (w.Key != "arg:"+op.Op() || w.Role != history.RoleCall || w.Rollout != op.Rollout()) {
		t.Errorf("%s: identity in %+v", op.Op(), w)
	}
}
