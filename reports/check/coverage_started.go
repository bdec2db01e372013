package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
)

// planned asks that every planned iteration of a judged arm was started: planned
// is what the manifest says, started is what has a rollout, counted by task so
// that a restart is not counted twice. An arm of which the manifest lists no
// scenario, or whose rollouts did nothing that was recorded, measured nothing.
func planned(ix *index) history.Clause {
	const name = "planned = started"
	return ix.eachArm(name, func(a *arm) history.Clause {
		switch {
		case len(a.Scenarios) == 0:
			return clause(name, false, "the manifest lists no scenario")
		case len(a.ops) == 0 && len(a.opOrder) == 0 && len(a.rollouts) > 0:
			return clause(name, false, fmt.Sprintf("%s, and no operation is recorded", number(len(a.rollouts), "rollout")))
		}
		starts := startsOf(a)
		var texts []string
		holds := true
		for _, s := range a.Scenarios {
			text, ok := starts[s.Name].against(s)
			texts = append(texts, text)
			holds = holds && ok
		}
		return clause(name, holds, strings.Join(texts, "; "))
	})
}

// starts are the tasks that were started of one scenario.
type starts struct{ tasks map[string]bool }

func startsOf(a *arm) map[string]*starts {
	all := map[string]*starts{}
	for _, r := range a.rollouts {
		s, ok := all[r.Scenario]
		if !ok {
			s = &starts{tasks: make(map[string]bool, len(a.rollouts))}
			all[r.Scenario] = s
		}
		s.tasks[r.Task] = true
	}
	return all
}

// against compares with the plan. A scenario that only time bounds must have
// started something.
func (s *starts) against(plan history.Scenario) (text string, ok bool) {
	started := int64(0)
	if s != nil {
		started = int64(len(s.tasks))
	}
	switch {
	case plan.Planned < 0:
		ok = started > 0
		text = fmt.Sprintf("%s: %d started, bounded by time alone", plan.Name, started)
	default:
		ok = started == plan.Planned && started > 0
		text = fmt.Sprintf("%s: %d of %d started", plan.Name, started, plan.Planned)
		if missing := plan.Planned - started; missing > 0 {
			text += fmt.Sprintf(", %d never", missing)
		}
	}
	return text, ok
}
