package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
)

// The texts of what ended a rollout from outside: as it is recorded, and as it is told
// of a run that nobody stopped.
const (
	runStopped = "the run was stopped"
	timeOver   = "its scenario's time was over (duration or maxDuration, and gracefulStop)"
)

// uninterrupted asks that rollouts ended by themselves, for of one that did not nothing
// is known but that it had not ended yet. An executor that counts iterations is to end
// every one, and interrupts one only when maxDuration and gracefulStop are over: that
// is what a hang looks like. One that time alone bounds leaves a rollout of each virtual
// user under way, so there more than half of the rollouts must have ended, and more
// than half of the virtual users must have ended one.
func uninterrupted(ix *index) history.Clause {
	const name = "interrupted"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if a.cutShort {
			return notEvaluated(name, "the run did not come to its end")
		}
		text, holds := a.interrupted()
		return clause(name, holds, text)
	})
}

// interrupted says how many rollouts of each scenario were interrupted, and whether
// that is no more than its executor does by itself.
func (a *arm) interrupted() (text string, holds bool) {
	var texts []string
	holds = true
	for _, s := range a.Scenarios {
		text, ok := a.countInterrupted(s.Name).against(s)
		if text != "" {
			texts = append(texts, s.Name+": "+text)
		}
		holds = holds && ok
	}
	if len(texts) == 0 {
		return "every rollout ended by itself", true
	}
	return strings.Join(texts, "; "), holds
}

// interruptions are the rollouts of one scenario that did not end by themselves.
type interruptions struct {
	rollouts []string
	why      string       // of the first
	started  int          // rollouts
	ended    map[int]bool // by virtual user: it ended one
}

func (a *arm) countInterrupted(scenario string) interruptions {
	n := interruptions{ended: map[int]bool{}}
	for _, r := range a.rollouts {
		if r.Scenario != scenario {
			continue
		}
		n.started++
		if r.Outcome != history.Interrupted {
			n.ended[r.VU] = true
			continue
		}
		n.ended[r.VU] = n.ended[r.VU] || false
		n.rollouts = append(n.rollouts, r.Rollout)
		if n.why == "" {
			n.why = whyInterrupted(a.index.run, r)
		}
	}
	return n
}

// against compares with what the scenario's executor does by itself. Without a rollout
// that was interrupted there is nothing to say.
func (n interruptions) against(s history.Scenario) (text string, holds bool) {
	if len(n.rollouts) == 0 {
		return "", true
	}
	text = fmt.Sprintf("%d of %s interrupted (%s), because %s", len(n.rollouts), number(n.started, "rollout"), few(n.rollouts), n.why)
	idle := 0
	for _, ended := range n.ended {
		if !ended {
			idle++
		}
	}
	switch {
	case s.Planned >= 0 && !strings.HasSuffix(s.Executor, "arrival-rate"):
		return text + ": an executor that counts iterations is to end each, and what these would have come to is not known", false
	case 2*len(n.rollouts) > n.started:
		return text + ": more than half of them were not judged", false
	case 2*idle >= len(n.ended):
		return fmt.Sprintf("%s: %d of %s ended none", text, idle, number(len(n.ended), "virtual user")), false
	}
	return text, true
}

// whyInterrupted is what ended a rollout from outside. A history may say that the run was
// stopped also where it came to its end.
func whyInterrupted(run *history.Run, r *history.Rollout) string {
	switch {
	case r.Cause == nil, r.Cause.Text == runStopped && run.Manifest.State == history.StateFinished:
		return timeOver
	}
	return r.Cause.Text
}
