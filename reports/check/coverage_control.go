package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// control asks of a control arm that it ran first, under the same load as every
// judged arm, and that nothing went wrong in it: what then goes wrong under faults
// is the faults' doing, and neither the script's nor the server's.
func control(ix *index) history.Clause {
	const name = "control arm"
	var clean []string
	for i, c := range ix.declared {
		if !c.Control {
			continue
		}
		for _, a := range ix.judged {
			if text := unlike(c, a, i > slices.Index(ix.declared, a)); text != "" {
				return clause(name, false, fmt.Sprintf("%s is no control of %s: %s", c.Name, a.Name, text))
			}
		}
		if text := ix.unclean(c); text != "" {
			lead := ""
			if c.targetFails() {
				lead = targetFails + ": "
			}
			return clause(name, false, fmt.Sprintf("%s%s, which has no faults, is not clean: %s", lead, c.Name, text))
		}
		clean = append(clean, fmt.Sprintf("%s ran first, %s, all clean", c.Name, number(len(c.rollouts), "rollout")))
	}
	if len(clean) == 0 {
		return ix.uncontrolled(name)
	}
	return clause(name, true, strings.Join(clean, "; "))
}

// uncontrolled is what a run without a control arm comes to: where faults are planned and
// the script did not say that it wants none, nothing shows what they did.
func (ix *index) uncontrolled(name string) history.Clause {
	switch {
	case ix.run.Manifest.NoControl:
		return notEvaluated(name, "the run has no control arm, and is to have none")
	case slices.ContainsFunc(ix.judged, func(a *arm) bool { return len(ix.rules(a)) > 0 }):
		return clause(name, false, "the run has no control arm, so that nothing shows what would have happened without faults")
	}
	return notEvaluated(name, "the run has no control arm, and no faults")
}

// unlike says in what the load of a control arm differs from that of a judged
// arm, or nothing. Arms run one after another in one process, whose clock places
// them.
func unlike(c, a *arm, declaredLater bool) string {
	if declaredLater || c.Start > a.Start {
		return "it did not run before it"
	}
	for _, s := range a.Scenarios {
		i := slices.IndexFunc(c.Scenarios, func(o history.Scenario) bool { return o.Name == s.Name })
		if i < 0 {
			return fmt.Sprintf("it has no scenario %s", s.Name)
		}
		if o := c.Scenarios[i]; o.Executor != s.Executor || o.VUs != s.VUs {
			return fmt.Sprintf("its scenario %s is %s with %s, and not %s with %s", s.Name,
				o.Executor, number(o.VUs, "virtual user"), s.Executor, number(s.VUs, "virtual user"))
		}
	}
	if more := len(c.Scenarios) - len(a.Scenarios); more > 0 {
		return fmt.Sprintf("it has %s more", number(more, "scenario"))
	}
	if peak := a.load().peak(); len(c.rollouts) < max(peak, 1) {
		return fmt.Sprintf("it had %s, and %d ran at once", number(len(c.rollouts), "rollout"), peak)
	}
	return ""
}

// unclean says what went wrong in a control arm, the first operation and its cause
// before all, or nothing.
func (ix *index) unclean(c *arm) string {
	if len(c.faults) > 0 {
		return fmt.Sprintf("%s in it, the first at %s", number(len(c.faults), "fault record"), cmp.Or(c.faults[0].Op, c.faults[0].Server))
	}
	for _, text := range []string{badOps(c), ix.badRollouts(c), c.workless()} {
		if text != "" {
			return text
		}
	}
	if text, holds := c.interrupted(); !holds {
		return text
	}
	view := ix.only(c)
	for _, inv := range ix.asked {
		if inv.ID == coverageID {
			continue
		}
		if v := inv.judge(view); v.Status == history.Fail {
			return fmt.Sprintf("%s is violated in %d of %d %s (%s), first: %s", v.ID, v.Violated, v.Evaluated, v.Unit, v.Reason, v.Proof.Text)
		}
	}
	return ""
}

func badOps(c *arm) string {
	bad := 0
	var first *history.Op
	for _, op := range c.ops {
		if endedBadly(op) {
			if bad++; first == nil {
				first = op
			}
		}
	}
	if first == nil {
		return ""
	}
	text := fmt.Sprintf("%d of %s ended badly, the first %s, %s, told %s", bad, number(len(c.ops), "operation"), first.Op, opText(first), first.Told)
	if first.Cause != nil {
		text += ": " + causeText(first.Cause)
	}
	return text
}

func (ix *index) badRollouts(c *arm) string {
	bad := 0
	var first *history.Rollout
	for _, r := range c.rollouts {
		if r.Outcome == history.Failed || r.Outcome == history.ScriptError {
			if bad++; first == nil {
				first = r
			}
		}
	}
	if first == nil {
		return ""
	}
	text := fmt.Sprintf("%d of %s did not complete, the first %s, %s", bad, number(len(c.rollouts), "rollout"), first.Rollout, first.Outcome)
	if ix.alsoThrown(first) {
		return text + ", by an error that was thrown under faults too"
	}
	if first.Cause != nil {
		text += ": " + first.Cause.Text
		if first.Cause.At != "" {
			text += " at " + first.Cause.At
		}
	}
	return text
}

// alsoThrown reports whether a rollout ended in a script error that the clause about
// those tells already, because it is the first of a judged arm.
func (ix *index) alsoThrown(r *history.Rollout) bool {
	return r.Outcome == history.ScriptError && r.Cause != nil && slices.ContainsFunc(ix.judged, func(a *arm) bool {
		_, first := thrown(a)
		return first != nil && first.Cause != nil && *first.Cause == *r.Cause
	})
}
