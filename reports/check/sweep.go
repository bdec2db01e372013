package check

import (
	"cmp"
	"fmt"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// sweeps are how much of its systematic plan each judged arm has covered.
func sweeps(ix *index) (list []history.SweepCoverage) {
	for _, a := range ix.judged {
		if a.Sweep != nil {
			list = append(list, sweepOf(ix, a).coverage())
		}
	}
	return list
}

// swept asks that every case of a systematic plan had its rollout, and that each
// fault of it was met, or that it is known why not.
func swept(ix *index) history.Clause {
	const name = "sweep"
	return ix.eachArm(name, func(a *arm) history.Clause {
		if a.Sweep == nil {
			return notEvaluated(name, "the plan is no sweep")
		}
		s := sweepOf(ix, a)
		c := s.coverage()
		text := fmt.Sprintf("%d of %d cases ran, %d met every fault of theirs", c.Started, c.Cases, c.Met)
		if s.unexplained > 0 {
			text += fmt.Sprintf("; %d faults were not met and nothing says why", s.unexplained)
		}
		if c.Started < c.Cases {
			text += fmt.Sprintf("; each scenario needs at least %d iterations", c.Cases)
		}
		single := unmetSingles(c)
		return clause(name, c.Met > 0 && c.Started == c.Cases && s.unexplained == 0 && single == "", text+single)
	})
}

// unmetSingles says how many single placements were not met though their rollouts ran, and
// why. A pair may fail to occur because of its own first fault, but nothing came before a
// single one: it was asked for, and nobody knows what it does.
func unmetSingles(c history.SweepCoverage) string {
	var texts []string
	for _, m := range c.Missing {
		if !m.Pairs && m.Reason != notRun {
			texts = append(texts, fmt.Sprintf("%s not met: %s", number(m.Count, "single placement"), m.Reason))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "; " + strings.Join(texts, "; ")
}

// notRun is why a case did not occur whose rollout was not started.
const notRun = "their rollouts did not run"

// sweep is what became of the cases of one arm.
type sweep struct {
	*arm
	cases       map[int]*sweepCase // by number; the best of several scenarios
	met         map[placement]bool
	unexplained int
}

// sweepCase is one case of a sweep: a fault, or a pair.
type sweepCase struct {
	faults        []*history.PlanRule
	started, done bool
	why           string // it did not occur
}

// placement is where and how a fault is placed in a rollout.
type placement struct {
	step        string
	attempt     int
	cut, manner string
}

// spot is one exchange of an operation.
type spot struct {
	op      string
	attempt int
	role    history.ExchangeRole
}

// sweepOf follows every case of an arm through its records.
func sweepOf(ix *index, a *arm) *sweep {
	s := &sweep{arm: a, cases: map[int]*sweepCase{}, met: map[placement]bool{}}
	seen := s.seen(ix)
	for _, c := range s.planned(ix) {
		number := c.faults[0].Case
		task, _, _ := strings.Cut(c.faults[0].Op, "/")
		if c.started = seen.tasks[task]; c.started {
			s.follow(c, seen)
		} else {
			c.why = notRun
		}
		if other := s.cases[number]; other == nil || c.done && !other.done {
			s.cases[number] = c
		}
	}
	return s
}

// planned are the cases of the plan as the arm's own tasks meet them.
func (s *sweep) planned(ix *index) (cases []*sweepCase) {
	scenarioOf := map[int]string{}
	blocks := map[string]int{}
	for _, a := range ix.declared {
		for _, scenario := range a.Scenarios {
			scenarioOf[scenario.Block] = scenario.Name
		}
	}
	for _, scenario := range s.Scenarios {
		blocks[scenario.Name] = scenario.Block
	}
	for i := range ix.run.Plan {
		rule := ix.run.Plan[i]
		task, step, _ := strings.Cut(rule.Op, "/")
		block, iteration, err := wire.SplitTask(task)
		if rule.Arm != s.Name || rule.Case == 0 || err != nil {
			continue
		}
		own := wire.TaskID(blocks[scenarioOf[block]], iteration)
		rule.Op = own + "/" + step
		if last := len(cases) - 1; last >= 0 && strings.HasPrefix(cases[last].faults[0].Op, own+"/") {
			cases[last].faults = append(cases[last].faults, &rule)
			continue
		}
		cases = append(cases, &sweepCase{faults: []*history.PlanRule{&rule}})
	}
	return cases
}

// sightings are what the records of an arm hold of each exchange.
type sightings struct {
	tasks  map[string]bool
	made   map[spot]bool
	faults map[spot]*history.Fault // the delivered one, where there is one
}

func (s *sweep) seen(ix *index) sightings {
	seen := sightings{tasks: map[string]bool{}, made: map[spot]bool{}, faults: map[spot]*history.Fault{}}
	for _, r := range s.rollouts {
		seen.tasks[r.Task] = true
	}
	for i := range ix.run.Attempts {
		if at := &ix.run.Attempts[i]; at.Arm == s.Name {
			seen.made[spot{at.Op, at.Attempt, at.Role}] = true
		}
	}
	for _, f := range s.faults {
		where := spot{f.Op, f.Attempt, f.Role}
		if old := seen.faults[where]; old == nil || old.State != history.FaultDelivered {
			seen.faults[where] = f
		}
	}
	return seen
}

// follow says of a case whose rollout ran whether its faults were met.
func (s *sweep) follow(c *sweepCase, seen sightings) {
	c.done = true
	for i, rule := range c.faults {
		where := spot{rule.Op, rule.Attempt, rule.At}
		f := seen.faults[where]
		if f != nil && f.State == history.FaultDelivered && f.Cut == rule.Cut && f.Manner == rule.Manner {
			_, step, _ := strings.Cut(rule.Op, "/")
			s.met[placement{step, rule.Attempt, rule.Cut, rule.Manner}] = true
			continue
		}
		c.done = false
		switch {
		case c.why != "": // the first of a pair says why
		case f != nil:
			c.why = fmt.Sprintf("%s was missed: %s", rule.Cut, cmp.Or(f.Reason, string(f.State)))
		case !seen.made[where] && i > 0 && rule.Attempt > 1:
			c.why = fmt.Sprintf("no attempt %d was made after %s on attempt %d", rule.Attempt, c.faults[i-1].Cut, c.faults[i-1].Attempt)
		case !seen.made[where]:
			c.why = "the operation was never made"
		default:
			c.why = "the exchange was made, and nothing says what became of the fault"
			s.unexplained++
		}
	}
}

// coverage counts the cases.
func (s *sweep) coverage() history.SweepCoverage {
	c := history.SweepCoverage{Arm: s.Name, Sweep: *s.Sweep, Singles: len(s.met)}
	for number := 1; number <= s.Sweep.Cases; number++ {
		one := s.cases[number]
		if one == nil {
			continue
		}
		if one.started {
			c.Started++
		}
		switch pair := len(one.faults) > 1; {
		case !one.done:
			c.Missing = missing(c.Missing, pair, one.why)
		case pair:
			c.PairsMet++
			fallthrough
		default:
			c.Met++
		}
	}
	return c
}

// missing counts one more case that did not occur.
func missing(list []history.Excluded, pair bool, why string) []history.Excluded {
	for i := range list {
		if list[i].Pairs == pair && list[i].Reason == why {
			list[i].Count++
			return list
		}
	}
	return append(list, history.Excluded{Pairs: pair, Count: 1, Reason: why})
}
