package reports

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// mostFolded is how many rules of an arm a summary lists; a schedule lists all.
const mostFolded = 6

// rulesOf lists the rules of one arm. A sweep, which has a rule for each of its cases,
// is told as one.
func rulesOf(plan []history.PlanRule, arm history.Arm) (lines []string) {
	for _, r := range plan {
		switch {
		case r.Arm != arm.Name:
		case r.Case > 0 && len(lines) > 0:
		case r.Case > 0 && arm.Sweep != nil:
			lines = append(lines, sweepText(r, arm))
		default:
			lines = append(lines, ruleText(r))
		}
	}
	return lines
}

// folded is the beginning of a list of rules, and how many more there are.
func folded(rules []string) []string {
	more := len(rules) - mostFolded
	if more <= 0 {
		return rules
	}
	return append(slices.Clone(rules[:mostFolded]), "and "+counted(more, "more rule"))
}

// ruleText is one rule as one line: what it breaks, where, how much and when.
func ruleText(r history.PlanRule) string {
	text := r.Rule + " "
	switch {
	case r.Toxic != "":
		return text + fmt.Sprintf("%s of %s, %s", r.Toxic, r.On, r.Stream) + duringText(r.During)
	case len(r.Idle) == 2:
		idle := r.Idle[0]
		if r.Idle[1] != idle {
			idle += " to " + r.Idle[1]
		}
		return text + fmt.Sprintf("%s %s%s of %s of the connections of %s that are idle for %s", r.Cut, r.Manner, detailText(r.Detail), percent(r.Share), r.On, idle) + duringText(r.During)
	case r.Cut == "accept":
		return text + fmt.Sprintf("accept %s of %s", r.Manner, r.On) + duringText(r.During)
	case r.Cut == "kill" && r.At == "":
		return text + fmt.Sprintf("kill of %s at %s%s", r.On, strings.Join(r.During, ""), downText(r.Detail))
	case r.Cut == "burst":
		return text + fmt.Sprintf("burst %s%s on %s of the open connections of %s, at %s", r.Manner, detailText(r.Detail), percent(r.Share), r.On, strings.Join(r.During, ""))
	}
	if r.Cut == "kill" {
		text += fmt.Sprintf("kill of %s after the commit of %s%s", r.On, r.At, downText(r.Detail))
	} else {
		text += fmt.Sprintf("%s %s%s at %s of %s", r.Cut, r.Manner, detailText(r.Detail), r.At, r.On)
	}
	if r.Op != "" {
		return text + fmt.Sprintf(", attempt %d of %s", max(r.Attempt, 1), r.Op) + duringText(r.During)
	}
	if r.Tool != "" {
		text += ", tool " + r.Tool
	}
	if r.First > 0 {
		text += ", the first " + agree(r.First, "operation", counted(r.First, "operation"))
	}
	if len(r.Ramp) == 2 {
		return text + fmt.Sprintf(", share %s to %s", percent(r.Ramp[0]), percent(r.Ramp[1])) + duringText(r.During)
	}
	return text + ", share " + percent(r.Share) + duringText(r.During)
}

// downText is how long a killed server is left down.
func downText(d *history.PlanDetail) string {
	if d == nil {
		return ", started again at once"
	}
	return ", down for " + d.For
}

func duringText(during []string) string {
	if len(during) == 0 {
		return ""
	}
	return ", during " + strings.Join(during, " to ")
}

// detailText is what a manner says beside its name.
func detailText(d *history.PlanDetail) string {
	if d == nil {
		return ""
	}
	var text string
	if d.Code > 0 {
		text += fmt.Sprintf(" %d", d.Code)
	}
	for _, part := range []struct{ name, value string }{
		{"to", d.Location}, {"on leg", d.Leg}, {"on way", d.Way}, {"for", d.For},
	} {
		if part.value != "" {
			text += " " + part.name + " " + part.value
		}
	}
	if d.RetryAfter > 0 {
		text += fmt.Sprintf(" with Retry-After %d", d.RetryAfter)
	}
	return text
}
