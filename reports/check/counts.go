package check

import (
	"strings"

	"mcpstorm/history"
)

// counts are the totals of the judged arms. A control arm would double them and
// say nothing of what was judged.
func counts(ix *index) history.Counts {
	n := history.Counts{
		Rollouts: map[history.Outcome]int{},
		Ops:      map[history.Told]int{},
		Faults:   map[history.FaultState]int{},
		Cuts:     map[string]int{},
	}
	run := ix.run
	for i := range run.Rollouts {
		if ix.judges(run.Rollouts[i].Arm) {
			n.Rollouts[run.Rollouts[i].Outcome]++
		}
	}
	for i := range run.Ops {
		if ix.judges(run.Ops[i].Arm) {
			n.Ops[run.Ops[i].Told]++
		}
	}
	for i := range run.Attempts {
		if at := &run.Attempts[i]; ix.judges(at.Arm) {
			n.Exchanges++
			if at.Exchange == 1 {
				n.Attempts++
			}
		}
	}
	for i := range run.Faults {
		if f := &run.Faults[i]; ix.judges(f.Arm) {
			n.Faults[f.State]++
			if f.State == history.FaultDelivered {
				n.Cuts[strings.TrimSpace(f.Cut+" "+f.Manner)]++
			}
		}
	}
	for i := range run.Effects {
		if e := &run.Effects[i]; ix.judges(e.Arm) {
			switch {
			case e.Kind == history.EffectCommit:
				n.Commits++
			case e.Kind == history.EffectAnswer && e.Replayed:
				n.Replays++
			}
		}
	}
	return n
}

// judges reports whether an arm sets the verdict.
func (ix *index) judges(name string) bool {
	a := ix.arms[name]
	return a != nil && a.judged
}
