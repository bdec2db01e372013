package check

import (
	"sync"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// Tally is what one rate of one arm was counted from. A tally over rollouts has
// one cluster for all of them and is worth as many independent trials as it counts;
// one over operations has a cluster for each rollout.
type Tally struct {
	// Name is the id of an invariant, whose violations are counted, or the name of a
	// rate as in history.Verdict.Rates; failed and replayed are those of history.ArmRow.
	Name string
	// Unit is what is counted: rollouts or operations.
	Unit     string
	Clusters []stats.Cluster
}

// The units of a tally.
const (
	unitRollouts   = "rollouts"
	unitOperations = "operations"
)

// Tallies counts every rate that a comparison of runs can speak of, for each arm by
// its name, in the order of the invariants. A rate whose whole is empty is left out.
func Tallies(run *history.Run) map[string][]Tally {
	ix := newIndex(run)
	ix.minInFlight, ix.asked = DefaultMinInFlight, invariants()
	all := make(map[string][]Tally, len(ix.declared))
	for _, a := range ix.declared {
		view := ix.only(a)
		view.tallies = &tallies{}
		all[a.Name] = view.tally(a)
	}
	return all
}

func (ix *index) tally(a *arm) []Tally {
	failed, _, tasks := a.failures()
	list := appendRollouts(nil, "failed", failed, tasks)
	for _, inv := range invariants() {
		if inv.ID == coverageID { // it is about the run, and no rate
			continue
		}
		if judged := inv.judge(ix); judged.Unit == unitRollouts {
			list = appendRollouts(list, inv.ID, judged.Violated, judged.Evaluated)
		}
	}
	answerRates(ix)
	amplification(ix)
	ix.tallies.keep("replayed", a.replays())
	return append(list, ix.tallies.list()...)
}

func appendRollouts(list []Tally, name string, count, of int) []Tally {
	if of == 0 {
		return list
	}
	return append(list, Tally{Name: name, Unit: unitRollouts, Clusters: []stats.Cluster{{Count: count, Of: of}}})
}

// tallies keeps the counts over operations that judging makes on its way. A nil one
// keeps none. Invariants that are judged side by side may share it.
type tallies struct {
	mu   sync.Mutex
	kept []kept
}

type kept struct {
	name   string
	counts *clusters
}

func (t *tallies) keep(name string, counts *clusters) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, kept{name, counts})
}

// list is what was kept, once all of it has been counted.
func (t *tallies) list() (list []Tally) {
	for _, k := range t.kept {
		if len(k.counts.list) > 0 {
			list = append(list, Tally{Name: k.name, Unit: unitOperations, Clusters: k.counts.list})
		}
	}
	return list
}
