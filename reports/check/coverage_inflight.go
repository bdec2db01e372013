package check

import (
	"fmt"
	"slices"

	"mcpstorm/history"
)

// inFlight asks that the faults met the load: the median fault of an arm must
// have met at least minInFlight of the arm's peak number of running rollouts.
// Faults and rollouts are recorded by one process, whose clock places them.
func inFlight(ix *index) history.Clause {
	const name = "in flight"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if len(a.cuts) == 0 || len(a.rollouts) == 0 {
			return notEvaluated(name, "no fault was delivered")
		}
		l := a.load()
		met, peak := l.medianMet(a.cuts), l.peak()
		wanted := ix.minInFlight * float64(peak)
		return clause(name, float64(met) >= wanted, fmt.Sprintf("the median of %s met %d of at most %s running (%g wanted)",
			number(len(a.cuts), "fault"), met, number(peak, "rollout"), wanted))
	})
}

// load is when the rollouts of an arm began and ended, each in order of time.
type load struct{ starts, ends []history.Instant }

func (a *arm) load() load {
	l := load{make([]history.Instant, 0, len(a.rollouts)), make([]history.Instant, 0, len(a.rollouts))}
	for _, r := range a.rollouts {
		l.starts = append(l.starts, r.Start)
		l.ends = append(l.ends, r.End)
	}
	slices.Sort(l.starts)
	slices.Sort(l.ends)
	return l
}

// peak is how many rollouts ran at once at the most.
func (l load) peak() int {
	peak := 0
	for i, at := range l.starts {
		ended, _ := slices.BinarySearch(l.ends, at) // ended before this start
		peak = max(peak, i+1-ended)
	}
	return peak
}

// medianMet is how many rollouts the median fault found running.
func (l load) medianMet(faults []*history.Fault) int {
	met := make([]int, 0, len(faults))
	for _, f := range faults {
		started, _ := slices.BinarySearch(l.starts, f.At+1)
		ended, _ := slices.BinarySearch(l.ends, f.At)
		met = append(met, started-ended)
	}
	slices.Sort(met)
	return met[(len(met)-1)/2]
}
