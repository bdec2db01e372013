package reports

import (
	"fmt"

	"mcpstorm/history"
)

// sweeps says how much of each systematic plan was covered, and why the rest was
// not.
func (p *page) sweeps(list []history.SweepCoverage) {
	for _, c := range list {
		name := "sweep"
		if len(list) > 1 {
			name = "sweep " + c.Arm
		}
		p.row(name, sweepLines(c)...)
		p.blank()
	}
}

func sweepLines(c history.SweepCoverage) []string {
	lines := []string{
		fmt.Sprintf("%s of %s single placements met, alone or in a pair", thousands(c.Singles), thousands(c.Placements)),
	}
	if c.Pairs > 0 {
		lines = append(lines, fmt.Sprintf("%s of %s pairs met", thousands(c.PairsMet), thousands(c.Pairs)))
	}
	for _, m := range c.Missing {
		lines = append(lines, placements(m)+" did not occur: "+m.Reason)
	}
	for _, e := range c.Excluded {
		lines = append(lines, placements(e)+" cannot occur: "+e.Reason)
	}
	return lines
}

// placements is how many single ones or pairs are meant.
func placements(e history.Excluded) string {
	noun := "single placement"
	if e.Pairs {
		noun = "pair"
	}
	if e.Count != 1 {
		noun += "s"
	}
	return thousands(e.Count) + " " + noun
}

// sweepText is a systematic plan as one line.
func sweepText(rule history.PlanRule, arm history.Arm) string {
	return fmt.Sprintf("%s sweep at %s of %s: %s cases of %s single placements and %s pairs", rule.Rule, rule.At, rule.On,
		thousands(arm.Sweep.Cases), thousands(arm.Sweep.Placements), thousands(arm.Sweep.Pairs))
}
