package check

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// inFlight asks that the faults met the load: the median fault of an arm must
// have met at least minInFlight of the arm's peak number of running rollouts.
// Faults and rollouts are recorded by one process, whose clock places them.
func inFlight(ix *index) history.Clause {
	const name = "in flight"
	var texts []string
	holds := true
	for _, a := range ix.judged {
		if len(a.cuts) == 0 || len(a.rollouts) == 0 {
			continue
		}
		met, peak := loadMet(a)
		wanted := ix.minInFlight * float64(peak)
		holds = holds && float64(met) >= wanted
		texts = append(texts, fmt.Sprintf("the median of %s met %d of at most %s running (%g wanted)",
			number(len(a.cuts), "fault"), met, number(peak, "rollout"), wanted))
	}
	if len(texts) == 0 {
		return notEvaluated(name, "no fault was delivered")
	}
	return clause(name, holds, strings.Join(texts, "; "))
}

// loadMet sweeps over an arm in order of time and gives how many rollouts the
// median fault found running, and how many ran at the most.
func loadMet(a *arm) (median, peak int) {
	starts := make([]history.Instant, 0, len(a.rollouts))
	ends := make([]history.Instant, 0, len(a.rollouts))
	for _, r := range a.rollouts {
		starts = append(starts, r.Start)
		ends = append(ends, r.End)
	}
	faults := make([]history.Instant, 0, len(a.cuts))
	for _, f := range a.cuts {
		faults = append(faults, f.At)
	}
	slices.Sort(starts)
	slices.Sort(ends)
	slices.Sort(faults)
	for i, at := range starts {
		ended, _ := slices.BinarySearch(ends, at) // ended before this start
		peak = max(peak, i+1-ended)
	}
	met := make([]int, 0, len(faults))
	for _, at := range faults {
		started, _ := slices.BinarySearch(starts, at+1)
		ended, _ := slices.BinarySearch(ends, at)
		met = append(met, started-ended)
	}
	slices.Sort(met)
	return met[(len(met)-1)/2], peak
}
