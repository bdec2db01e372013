package reports

import (
	"fmt"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// phase is a part of an arm, and what the operations came to that ended in it.
type phase struct {
	name     string
	from, to time.Duration // since the arm's start
	ops      int
	failed   clusters // callers were left without a result
	again    clusters // took more than one attempt
	took     []float64
	faults   int
}

// clusters count operations by their rollout, which share a fate.
type clusters struct {
	list []stats.Cluster
	of   map[string]int
}

func (c *clusters) add(rollout string, counted bool) {
	at, ok := c.of[rollout]
	if !ok {
		if c.of == nil {
			c.of = map[string]int{}
		}
		at = len(c.list)
		c.of[rollout], c.list = at, append(c.list, stats.Cluster{})
	}
	c.list[at].Of++
	if counted {
		c.list[at].Count++
	}
}

// rate is how many were counted, with the interval of a rate over rollouts.
func (c *clusters) rate() history.Interval {
	i := history.Interval{}
	for _, one := range c.list {
		i.Count, i.Of = i.Count+one.Count, i.Of+one.Of
	}
	if i.Of > 0 {
		i.Rate = float64(i.Count) / float64(i.Of)
	}
	bounds := stats.Clustered(c.list)
	i.Low, i.High = bounds.Low, bounds.High
	return i
}

// phasesOf divides an arm into the time before its first fault, that of its faults, and
// that after the last; an arm without faults is one phase. A window lasts from its
// beginning to its end; of a rule without one, its delivered faults say when it was.
func phasesOf(run *history.Run, arm *history.Arm) []phase {
	end := max(arm.End-arm.Start, 0)
	for i := range run.Ops {
		if op := &run.Ops[i]; op.Arm == arm.Name {
			end = max(end, op.End-arm.Start)
		}
	}
	from, to, any := faultTime(run, arm, time.Duration(end))
	phases := []phase{{name: arm.Name, to: time.Duration(end)}}
	if any {
		phases = []phase{
			{name: "before", to: from},
			{name: "during", from: from, to: to},
			{name: "after", from: to, to: time.Duration(end)},
		}
	}
	fill(phases, run, arm)
	return phases
}

// faultTime is from the first beginning of a fault of an arm to the last end of one.
func faultTime(run *history.Run, arm *history.Arm, length time.Duration) (from, to time.Duration, any bool) {
	take := func(begin, end time.Duration) {
		if begin > length {
			return
		}
		if !any {
			from, to, any = begin, end, true
		}
		from, to = min(from, begin), min(max(to, end), length)
	}
	windowed := map[string]bool{}
	for _, rule := range run.Plan {
		if begin, end, ok := windowOf(rule); ok && rule.Arm == arm.Name {
			windowed[rule.Rule] = true
			take(begin, end)
		}
	}
	for i := range run.Faults {
		f := &run.Faults[i]
		if f.Arm == arm.Name && !windowed[f.Rule] && (f.State == history.FaultDelivered || f.State == history.FaultInstalled) {
			at := max(time.Duration(f.At-arm.Start), 0)
			take(at, at)
		}
	}
	return from, to, any
}

// windowOf is a rule's window, if it has two ends.
func windowOf(rule history.PlanRule) (from, to time.Duration, ok bool) {
	if len(rule.During) != 2 {
		return 0, 0, false
	}
	from, begin := time.ParseDuration(rule.During[0])
	to, end := time.ParseDuration(rule.During[1])
	return from, to, begin == nil && end == nil && from < to
}

// fill counts every operation and fault of an arm in the phase in which it ended.
func fill(phases []phase, run *history.Run, arm *history.Arm) {
	in := func(at history.Instant) *phase {
		since := time.Duration(at - arm.Start)
		for i := range phases[:len(phases)-1] {
			if since < phases[i].to || i > 0 && since == phases[i].to { // the last fault is during
				return &phases[i]
			}
		}
		return &phases[len(phases)-1]
	}
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Arm != arm.Name {
			continue
		}
		p := in(max(op.Start, op.End))
		p.ops++
		p.failed.add(op.Rollout, op.Told != history.ToldOK && op.Told != history.ToldToolError)
		p.again.add(op.Rollout, op.Attempts > 1)
		if op.Told == history.ToldOK && op.Attempts > 0 {
			p.took = append(p.took, float64(op.End-op.Start))
		}
	}
	for i := range run.Faults {
		if f := &run.Faults[i]; f.Arm == arm.Name && f.State == history.FaultDelivered {
			in(f.At).faults++
		}
	}
	for i := range phases {
		slices.Sort(phases[i].took)
	}
}

// latency is a quantile of the operations that succeeded, in words.
func (p *phase) latency(q float64) string {
	if len(p.took) == 0 {
		return "–"
	}
	return durationText(time.Duration(stats.Quantile(p.took, q)))
}

// durationText is a duration with three digits that count.
func durationText(d time.Duration) string {
	switch {
	case d >= 100*time.Second:
		return d.Round(time.Second).String()
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	case d > 0:
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
	return "0 s"
}
