package run

import (
	"context"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/process"
)

// holdings counts what our own process holds over an arm: before anything of the arm
// is open, at the end of each cycle of use, and once all of it is closed. A cycle is
// as many rollouts as run at once. Its methods may be called from any goroutine; a nil
// one counts nothing.
type holdings struct {
	arm   *arm
	cycle int

	mu     sync.Mutex
	ended  int
	cycles int64
	base   map[string]int64
}

// hold starts to count, unless other runs of this process would be counted too.
// Nothing of the arm is open yet.
func (a *arm) hold() *holdings {
	if a.parent.options.crowded {
		return nil
	}
	h := &holdings{arm: a, cycle: a.parent.cycle(), base: process.Counts()}
	h.record(history.ResourceBase, h.base)
	return h
}

// rolloutEnded counts one rollout, with which a cycle may end.
func (h *holdings) rolloutEnded() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended++; h.ended%h.cycle == 0 {
		h.cycles++
		h.record(history.ResourceCycle, process.Counts())
	}
}

// close counts for the last time, when all of the arm is closed. What is about to end
// is waited for.
func (h *holdings) close(ctx context.Context) {
	if h == nil {
		return
	}
	counts := process.Quiet(ctx, h.arm.parent.options.Clock, h.base, process.Counts)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record(history.ResourceEnd, counts)
}

func (h *holdings) record(phase history.ResourcePhase, counts map[string]int64) {
	r := history.Resource{Arm: h.arm.spec.Name, Phase: phase, Counts: counts, At: history.Instant(h.arm.parent.base.Nanos())}
	if phase == history.ResourceCycle {
		r.Cycle = h.cycles
	}
	h.arm.parent.writer.Resource(r)
}

// cycle is how many rollouts run at once: the virtual users of every scenario.
func (r *run) cycle() int {
	n := 0
	for _, s := range r.program.Options().Scenarios {
		n += s.VUs
	}
	return max(n, 1)
}

// resourceSink writes what servers in this process hold into the run's history.
type resourceSink struct{ writer *history.Writer }

// Resource implements refserver.ResourceSink. A failure to write is the writer's to
// tell.
func (s resourceSink) Resource(r history.Resource) error {
	s.writer.Resource(r)
	return nil
}
