package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
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
	users    map[int]bool // virtual users that started one
	ended    map[int]bool // those of them that ended one
}

func (a *arm) countInterrupted(scenario string) interruptions {
	n := interruptions{users: map[int]bool{}, ended: map[int]bool{}}
	for _, r := range a.rollouts {
		if r.Scenario != scenario {
			continue
		}
		n.started++
		n.users[r.VU] = true
		if r.Outcome != history.Interrupted {
			n.ended[r.VU] = true
			continue
		}
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
	none := len(n.users) - len(n.ended)
	switch {
	case s.Planned >= 0 && !strings.HasSuffix(s.Executor, "arrival-rate"):
		return text + ": an executor that counts iterations is to end each, and what these would have come to is not known", false
	case 2*len(n.rollouts) > n.started:
		return text + ": more than half of them were not judged", false
	case 2*none >= len(n.users):
		return fmt.Sprintf("%s: %d of %s ended none", text, none, number(len(n.users), "virtual user")), false
	}
	return text, true
}

// whyInterrupted is what ended a rollout from outside. A history may say that the run was
// stopped also where it came to its end.
func whyInterrupted(run *history.Run, r *history.Rollout) string {
	if r.Cause == nil || r.Cause.Text == history.CauseStopped && run.Manifest.State == history.StateFinished {
		return history.CauseTimeOver
	}
	return r.Cause.Text
}
