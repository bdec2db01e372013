package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
)

// latencies is what the latency figure shows of one arm.
type latencies struct {
	run    *history.Run
	arm    *history.Arm
	faulty []stretch
	lines  []quantiled // in order of time; control first
	open   bool        // some rollouts were due at a time
	missed int         // arrivals that never started
	few    []string    // phases with too few operations for a line
}

// quantiled is the latencies of one phase.
type quantiled struct {
	name string
	look look
	took []float64 // of those that were answered, in seconds, ascending
	of   int       // of all, the unanswered included
}

// never is the latency of what was not answered.
var never = math.Inf(1)

// at is the time within which the share q of all operations was answered, or never.
// It is exact: one that was measured, by the nearest-rank rule. NaN is that of none.
func (l *quantiled) at(q float64) float64 {
	if l.of == 0 {
		return math.NaN()
	}
	rank := max(int(math.Ceil(q*float64(l.of)-1e-9)), 1)
	if rank > len(l.took) {
		return never
	}
	return l.took[rank-1]
}

// tells reports whether there is enough to tell a quantile: one operation beyond it
// at least.
func (l *quantiled) tells(q float64) bool { return float64(l.of)*(1-q) > 1-1e-9 }

// Latency draws how long the operations of one arm took, as curves from the
// fastest to the slowest with 50, 90, 99 and 99.9 % at equal distances: one for
// each phase before, during and after the faults, and the control arm beside them.
//
// An operation that failed counts as never answered, so a curve may end below the
// top: quantiles of the successful ones alone would get better as more fail. Where
// rollouts start by a schedule, the first operation of each is measured from when
// the rollout was due, so that a late start is not left out; the others are
// measured from their start. The errors are ErrNoArm and ErrNoData.
func Latency(run *history.Run, o Options) (*Figure, error) {
	arm, err := find(run, o.Arm)
	if err != nil {
		return nil, err
	}
	l := measureLatency(run, arm)
	if len(l.own()) == 0 {
		return nil, fmt.Errorf("%w: arm %q made fewer than %d operations at any time", ErrNoData, arm.Name, fewestForLine)
	}
	if !slices.ContainsFunc(l.own(), func(q quantiled) bool { return len(q.took) > 0 }) {
		return nil, fmt.Errorf("%w: no operation of arm %q was answered", ErrNoData, arm.Name)
	}
	return &Figure{
		title: l.title(), alt: l.alt(),
		width: figureWidth, height: latencyHeight,
		draw: l.draw,
	}, nil
}

// own are the lines of the arm itself.
func (l *latencies) own() []quantiled {
	return slices.DeleteFunc(slices.Clone(l.lines), func(q quantiled) bool { return q.look == lookControl })
}

func measureLatency(run *history.Run, arm *history.Arm) *latencies {
	l := &latencies{run: run, arm: arm, faulty: stretches(run, arm, "")}
	names := phaseNames(l.faulty)
	lines := [...]quantiled{{name: names[0], look: looks[0]}, {name: names[1], look: looks[1]}, {name: names[2], look: looks[2]}}
	l.collect(arm, func(from, to time.Duration) *quantiled { return &lines[phaseOf(l.faulty, from, to)] })
	for _, other := range run.Manifest.Arms {
		if other.Control && other.Name != arm.Name && sameEra(&other, arm) {
			control := quantiled{name: "control, no faults", look: lookControl}
			l.collect(&other, func(time.Duration, time.Duration) *quantiled { return &control })
			l.keep(control)
			break
		}
	}
	for _, line := range lines {
		l.keep(line)
	}
	l.countMissed()
	return l
}

// phaseNames are the names of the phases under these faults.
func phaseNames(faulty []stretch) [3]string {
	switch len(faulty) {
	case 0:
		return [3]string{"no faults", "", ""}
	case 1:
		return [3]string{"before the faults", "during the faults", "after the faults"}
	}
	return [3]string{"before the faults", "during the faults", "between and after"}
}

// sameEra reports whether two arms speak the same versions of the protocol.
func sameEra(a, b *history.Arm) bool { return eras(a) == eras(b) }

// fewestForLine is how many operations it takes to show how long they took.
const fewestForLine = 10

// keep takes a line in that holds enough.
func (l *latencies) keep(line quantiled) {
	switch {
	case line.of == 0:
		return
	case line.of < fewestForLine:
		l.few = append(l.few, fmt.Sprintf("%s: only %s", line.name, thousands(line.of)))
		return
	}
	slices.Sort(line.took)
	l.lines = append(l.lines, line)
}

// collect measures the operations of an arm. Those that the end of the run cut off
// say nothing, and opening a connection that needs no exchange takes no time.
func (l *latencies) collect(arm *history.Arm, line func(from, to time.Duration) *quantiled) {
	due := l.dueTimes(arm)
	for i := range l.run.Ops {
		op := &l.run.Ops[i]
		if op.Arm != arm.Name || op.Interrupted || op.Kind == history.KindConnect && op.Attempts == 0 {
			continue
		}
		from := op.Start
		if at, ok := due[op.Rollout]; ok { // the first operation of a rollout that was due
			from = min(at, from)
			delete(due, op.Rollout)
		}
		end := max(op.End, op.Start)
		q := line(time.Duration(op.Start-arm.Start), time.Duration(end-arm.Start))
		q.of++
		if !opFailed(op.Told) {
			q.took = append(q.took, max(time.Duration(end-from).Seconds(), shortest))
		}
	}
}

// dueTimes are the instants at which rollouts were due that started by a schedule.
func (l *latencies) dueTimes(arm *history.Arm) map[string]history.Instant {
	due := map[string]history.Instant{}
	scheduled := schedules(l.run, arm)
	for i := range l.run.Rollouts {
		r := &l.run.Rollouts[i]
		if s := scheduled[r.Scenario]; s != nil && r.Arm == arm.Name && strings.HasSuffix(r.Rollout, ".1") {
			due[r.Rollout] = s.due(r.Iteration)
		}
	}
	l.open = l.open || len(due) > 0 && arm == l.arm
	return due
}

// countMissed counts the arrivals that found no virtual user: their latency is
// nobody's, and a reader must know how many there are.
func (l *latencies) countMissed() {
	planned, started := 0, map[string]bool{}
	scheduled := map[string]bool{}
	for _, s := range l.arm.Scenarios {
		if openLoad(s.Executor) && s.Planned > 0 {
			planned += int(s.Planned)
			scheduled[s.Name] = true
		}
	}
	for i := range l.run.Rollouts {
		if r := &l.run.Rollouts[i]; r.Arm == l.arm.Name && scheduled[r.Scenario] {
			started[r.Task] = true
		}
	}
	l.missed = max(planned-len(started), 0)
}
