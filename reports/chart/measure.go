package chart

import (
	"fmt"
	"time"

	"mcpstorm/history"
)

// measures is everything that a timeline shows of one arm.
type measures struct {
	run *history.Run
	arm *history.Arm
	clock

	rollouts  int
	exchanges int
	attempts  ratio
	ops       ratio
	succeeded int

	attemptRates series
	opRates      series
	p50          series
	p95          series
	p99          series

	faults   faults
	replayed int // operations executed twice or more, as the verdict has them
}

// judged lists the arms that set the verdict, in order of declaration.
func judged(run *history.Run) []*history.Arm {
	var arms []*history.Arm
	for i := range run.Manifest.Arms {
		if arm := &run.Manifest.Arms[i]; arm.Judge && !arm.Control {
			arms = append(arms, arm)
		}
	}
	return arms
}

// JudgedArms names the arms that set the verdict of a run, in order of declaration:
// those that have figures of their own.
func JudgedArms(run *history.Run) []string {
	var names []string
	for _, arm := range judged(run) {
		names = append(names, arm.Name)
	}
	return names
}

// find gives the arm of a name, or the first judged arm for no name.
func find(run *history.Run, name string) (*history.Arm, error) {
	if name == "" {
		if arms := judged(run); len(arms) > 0 {
			return arms[0], nil
		}
		return nil, fmt.Errorf("%w: run %s has none that is judged", ErrNoArm, run.Manifest.ID)
	}
	for i := range run.Manifest.Arms {
		if run.Manifest.Arms[i].Name == name {
			return &run.Manifest.Arms[i], nil
		}
	}
	return nil, fmt.Errorf("%w: run %s has no %q", ErrNoArm, run.Manifest.ID, name)
}

// measure counts one arm of a run.
func measure(run *history.Run, arm *history.Arm) (*measures, error) {
	m := &measures{run: run, arm: arm}
	tries := m.collectAttempts()
	if len(tries) == 0 {
		return nil, fmt.Errorf("%w: %q of run %s", ErrNoAttempts, arm.Name, run.Manifest.ID)
	}
	m.clock = clock{start: arm.Start, length: m.span(tries)}
	m.width = binWidth(m.length, len(tries), windowEdges(run, arm, m.length))
	m.countAttempts(tries)
	m.countOps()
	for i := range run.Rollouts {
		if run.Rollouts[i].Arm == arm.Name {
			m.rollouts++
		}
	}
	m.faults = collectFaults(run, arm, m.clock)
	return m, nil
}

// try is one attempt: all its exchanges together.
type try struct {
	server  string
	failed  bool
	decided bool // an exchange that decides was seen
	start   history.Instant
	end     history.Instant
}

// collectAttempts joins exchanges into attempts, in order of first appearance.
func (m *measures) collectAttempts() []*try {
	type key struct {
		op, rollout string
		attempt     int
	}
	var tries []*try
	byKey := map[key]*try{}
	for i := range m.run.Attempts {
		exchange := &m.run.Attempts[i]
		if exchange.Arm != m.arm.Name {
			continue
		}
		m.exchanges++
		k := key{exchange.Op, exchange.Rollout, exchange.Attempt}
		t := byKey[k]
		if t == nil {
			t = &try{server: exchange.Server, start: exchange.Start}
			byKey[k] = t
			tries = append(tries, t)
		}
		t.add(exchange)
	}
	return tries
}

// add takes in one exchange. An attempt fails with any exchange that its result
// hangs on; listening, looking up and cleaning up decide nothing. It ends with the
// last exchange that decides.
func (t *try) add(exchange *history.Attempt) {
	end := max(exchange.Start, exchange.End)
	t.start = min(t.start, exchange.Start)
	if !decides(exchange.Role) {
		if !t.decided {
			t.end = max(t.end, end)
		}
		return
	}
	if !t.decided {
		t.decided, t.end = true, end
	}
	t.end = max(t.end, end)
	if exchange.Told != history.ToldOK && exchange.Told != history.ToldToolError {
		t.failed = true
	}
}

func decides(role history.ExchangeRole) bool {
	switch role {
	case history.RoleCall, history.RoleList, history.RoleRead,
		history.RoleInitialize, history.RoleInitialized, history.RoleDiscover, history.RoleSettle:
		return true
	}
	return false
}

// span is how long the arm ran, to the end of the last thing that happened in it.
func (m *measures) span(tries []*try) time.Duration {
	end := m.arm.Start
	for _, t := range tries {
		end = max(end, t.end)
	}
	for i := range m.run.Ops {
		if op := &m.run.Ops[i]; op.Arm == m.arm.Name {
			end = max(end, op.Start, op.End)
		}
	}
	return max(time.Duration(end-m.arm.Start), time.Millisecond)
}

func (m *measures) countAttempts(tries []*try) {
	bins := make([]ratio, m.bins())
	for _, t := range tries {
		m.attempts.add(t.failed)
		bins[m.bin(t.end)].add(t.failed)
	}
	m.attemptRates = rates(bins)
}

func (m *measures) countOps() {
	bins := make([]ratio, m.bins())
	latencies := make([][]float64, m.bins())
	for i := range m.run.Ops {
		op := &m.run.Ops[i]
		if op.Arm != m.arm.Name {
			continue
		}
		failed := opFailed(op.Told)
		n := m.bin(max(op.Start, op.End))
		m.ops.add(failed)
		bins[n].add(failed)
		// Opening a connection that needs no exchange takes no time worth drawing.
		if op.Told == history.ToldOK && (op.Attempts > 0 || op.Kind != history.KindConnect) {
			m.succeeded++
			took := time.Duration(op.End - op.Start).Seconds()
			latencies[n] = append(latencies[n], max(took, shortest))
		}
	}
	m.opRates = rates(bins)
	q := quantiles(latencies, 0.50, 0.95, 0.99)
	m.p50, m.p95, m.p99 = q[0], q[1], q[2]
}

// opFailed reports whether the caller was left without a result. A tool's own
// error is a result.
func opFailed(told history.Told) bool {
	switch told {
	case history.ToldNotExecuted, history.ToldUnknown, history.ToldNone:
		return true
	}
	return false
}
