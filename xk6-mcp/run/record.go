package run

import (
	"sync"
	"sync/atomic"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// record is one arm's way into the history: it puts the arm's name on every
// line, notes on every exchange what the plan says of it, and keeps the totals
// that the progress line shows. It is safe for concurrent use.
type record struct {
	arm    string
	writer *history.Writer
	plan   *plan.Plan
	totals *totals
	out    *outputs
	// holdings counts what our process holds; it is set before the arm opens.
	holdings *holdings
}

// Op records one operation.
func (r *record) Op(o history.Op) {
	o.Arm = r.arm
	r.totals.told(o.Told)
	r.writer.Op(o)
	r.out.op(o)
}

// Attempt records one exchange, and beside it what the plan alone says of it: a
// fault layer that is not in the way is noticed by the marks without receipts.
func (r *record) Attempt(a history.Attempt) {
	a.Arm = r.arm
	a.Mark = r.plan.Mark(a)
	r.writer.Attempt(a)
	r.out.attempt(a)
}

// Rollout records one rollout.
func (r *record) Rollout(o history.Rollout) {
	o.Arm = r.arm
	r.totals.ended(o.Outcome)
	if o.Outcome == history.ScriptError {
		r.totals.threw(r.arm, o.Cause)
	}
	r.writer.Rollout(o)
	r.holdings.rolloutEnded()
}

// Receipt records what became of one planned fault.
func (r *record) Receipt(f history.Fault) {
	f.Arm = r.arm
	if f.State == history.FaultDelivered {
		r.totals.faults.Add(1)
	}
	r.writer.Fault(f)
}

// Exchange records one exchange at the server's end.
func (r *record) Exchange(w history.Wire) {
	w.Arm = r.arm
	r.writer.Wire(w)
}

// totals are what the progress line shows of the arm that runs, and the script's
// errors in all arms.
type totals struct {
	faults atomic.Int64

	mu       sync.Mutex
	name     string // of the arm that runs
	outcomes map[history.Outcome]int
	ops      map[history.Told]int
	thrown   thrown
}

func newTotals() *totals {
	return &totals{outcomes: map[history.Outcome]int{}, ops: map[history.Told]int{}}
}

// enter says which arm runs from now on: the totals are its own.
func (t *totals) enter(arm string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.name == arm {
		return
	}
	t.name = arm
	t.faults.Store(0)
	clear(t.outcomes)
	clear(t.ops)
}

// threw counts one error of the script.
func (t *totals) threw(arm string, cause *history.RolloutCause) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.thrown.add(arm, cause)
}

// arm is the arm that runs.
func (t *totals) arm() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.name
}

func (t *totals) told(told history.Told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ops[told]++
}

func (t *totals) ended(o history.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcomes[o]++
}
