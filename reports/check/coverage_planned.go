package check

import (
	"fmt"
	"slices"

	"mcpstorm/history"
)

// planKept asks that the fault layer did what the plan says and no more: every
// cut that it delivered is that of a rule and was marked, and what it left unarmed has
// a window. A burst
// marks nothing by name, nor does the end of an idle connection, and both are left out.
func planKept(ix *index) history.Clause {
	const name = "plan kept"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if len(a.faults) == 0 {
			return notEvaluated(name, "no fault was recorded")
		}
		rules := ix.marksOf(a.Name)
		for _, f := range a.faults {
			switch {
			case ofConnection(f) || f.Op == "":
			case f.State == history.FaultDelivered && !rules[markOf(f)]:
				return clause(name, false, fmt.Sprintf("%s at %s was delivered by rule %s, and the plan has no such rule", faultText(f), f.Op, f.Rule))
			case f.State == history.FaultUnarmed && !ix.windowed(a.Name, f.Rule):
				return clause(name, false, fmt.Sprintf("%s at %s was left unarmed, and its rule has no window", faultText(f), f.Op))
			case f.State == history.FaultDelivered && !a.planned(f):
				return clause(name, false, fmt.Sprintf("%s at %s, attempt %d, %s, was delivered, and the plan does not mark it", faultText(f), f.Op, f.Attempt, f.Role))
			}
		}
		return clause(name, true, "no cut was delivered that the plan does not mark")
	})
}

// planned reports whether the plan marks the exchange that a fault was delivered to.
// A receipt may name no rollout.
func (a *arm) planned(f *history.Fault) bool {
	o := a.operations[baseOp(f.Op)]
	return slices.ContainsFunc(o.exchanges, func(at *history.Attempt) bool {
		return at.Op == f.Op && concerns(f, at) && at.Mark != nil && *at.Mark == markOf(f)
	})
}

// marksOf are the marks that the plan of an arm can make.
func (ix *index) marksOf(arm string) map[history.Mark]bool {
	marks := map[history.Mark]bool{}
	for i := range ix.run.Plan {
		if r := &ix.run.Plan[i]; r.Arm == arm {
			marks[history.Mark{Rule: r.Rule, Cut: r.Cut, Manner: r.Manner}] = true
		}
	}
	return marks
}

// windowed reports whether a rule of an arm is armed for a part of it only.
func (ix *index) windowed(arm, rule string) bool {
	for i := range ix.run.Plan {
		if r := &ix.run.Plan[i]; r.Arm == arm && r.Rule == rule {
			return len(r.During) > 0
		}
	}
	return false
}
