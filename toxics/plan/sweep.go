package plan

import (
	"fmt"
	"slices"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
)

// Sweep is a systematic plan: every single placement of a fault in a rollout, and
// then every pair, each a case of its own. The rollouts of a run divide the cases
// among themselves, one each.
type Sweep struct {
	Steps    []string // the operations that are broken: s02, s03, …
	Attempts int      // of each operation, from the first
	Cuts     []string
	Manners  []string
	Pairs    bool // not only single placements
}

// Placement is one fault at one place in a rollout.
type Placement struct {
	Step        string
	Attempt     int
	Cut, Manner string
}

// Case is the faults that one rollout meets, in the order in which they come.
type Case []Placement

// MaxCases bounds a sweep, and maxPlacements what it is made of.
const (
	MaxCases      = 50_000
	maxPlacements = 1_000
)

// placements are all single ones, in the order of steps, attempts, cuts and
// manners.
func (s *Sweep) placements() (all []Placement) {
	for _, step := range s.Steps {
		for attempt := 1; attempt <= s.Attempts; attempt++ {
			for _, cut := range s.Cuts {
				for _, manner := range s.Manners {
					all = append(all, Placement{step, attempt, cut, manner})
				}
			}
		}
	}
	return all
}

// size is how many placements there are; it does not overflow.
func (s *Sweep) size() int {
	n := 1
	for _, factor := range []int{len(s.Steps), s.Attempts, len(s.Cuts), len(s.Manners)} {
		if n *= factor; n > maxPlacements {
			return maxPlacements + 1
		}
	}
	return n
}

// Cases are those that can occur, single ones first and each kind in an order of
// the seed, and what all of them were counted from. A rollout is given the case of
// its iteration's number. The role is the exchange at which the faults are placed.
func (s *Sweep) Cases(root seed.Root, at history.ExchangeRole) ([]Case, history.Sweep) {
	all := s.placements()
	count := history.Sweep{Placements: len(all)}
	var singles, pairs []Case
	for i, p := range all {
		if why := whyNot(at, p); why != "" {
			exclude(&count, false, why)
		} else {
			singles = append(singles, Case{p})
		}
		if !s.Pairs {
			continue
		}
		for _, q := range all[i+1:] {
			count.Pairs++
			if why := whyNot(at, p, q); why != "" {
				exclude(&count, true, why)
			} else {
				pairs = append(pairs, Case{p, q})
			}
		}
	}
	for name, list := range map[string][]Case{"single": singles, "pair": pairs} {
		root.Stream("sweep", name).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	cases := slices.Concat(singles, pairs)
	count.Cases = len(cases)
	return cases, count
}

// whyNot says why faults that are placed in order cannot occur together, whatever
// the client does, or nothing when they can. A second attempt is made because the
// first failed: a fault on it needs one on every attempt before it.
func whyNot(at history.ExchangeRole, faults ...Placement) string {
	if len(faults) == 2 && faults[0].Step == faults[1].Step && faults[0].Attempt == faults[1].Attempt {
		return "both on one exchange, which breaks once"
	}
	for i, p := range faults {
		if why := Impossible(p.Cut, p.Manner, at); why != "" {
			return fmt.Sprintf("%s by %s at %s: %s", p.Cut, p.Manner, at, why)
		}
		before := 0
		if i > 0 && faults[i-1].Step == p.Step {
			before = faults[i-1].Attempt
		}
		switch {
		case p.Attempt != before+1 && len(faults) == 1:
			return "alone on a later attempt, which is made only when the one before it failed"
		case p.Attempt != before+1:
			return "on a later attempt without one on the attempt before it, whose failure it needs"
		}
	}
	return ""
}

// exclude counts one more placement, or pair, that cannot occur.
func exclude(count *history.Sweep, pair bool, reason string) {
	for i := range count.Excluded {
		if e := &count.Excluded[i]; e.Pairs == pair && e.Reason == reason {
			e.Count++
			return
		}
	}
	count.Excluded = append(count.Excluded, history.Excluded{Pairs: pair, Count: 1, Reason: reason})
}
