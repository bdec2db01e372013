package run

import (
	"context"
	"slices"
	"strings"

	"mcpstorm/reports"
)

// tryOut repeats a rollout under a list of faults, alone or among its neighbours,
// at most so many times. With first it may stop once the violation has come again.
// It returns how often that was, and how many tries were made.
type tryOut func(ctx context.Context, faults []listedFault, among bool, times int, first bool) (seen, tried int, err error)

// shrinker looks for the smallest list of faults under which a violation still
// comes again. What it does depends on the tries alone.
type shrinker struct {
	try   tryOut
	times int                         // tries of a step that does not succeed
	note  func(reports.ReproduceStep) // called once after each step

	among  bool // the neighbours are needed
	steps  []reports.ReproduceStep
	barren map[string]bool // lists under which the violation never came
}

// step tries one list, and keeps what came of it.
func (s *shrinker) step(ctx context.Context, what string, faults []listedFault, first bool) (seen int, err error) {
	seen, tried, err := s.try(ctx, faults, s.among, s.times, first)
	if err != nil {
		return 0, err
	}
	step := reports.ReproduceStep{What: what, Seen: seen, Tried: tried}
	s.steps = append(s.steps, step)
	s.note(step)
	return seen, nil
}

// shrink drops faults one by one, for as long as the violation comes without them:
// the list that is left has none that can be spared, as far as the tries tell. The
// neighbours are kept until the violation has come without them. It returns false
// when the violation never came again.
func (s *shrinker) shrink(ctx context.Context, faults []listedFault) (smallest []listedFault, ok bool, err error) {
	if ok, err = s.settleNeighbours(ctx, faults); err != nil || !ok {
		return faults, ok, err
	}
	smallest, s.barren = slices.Clone(faults), map[string]bool{}
	for again := true; again; {
		again = false
		for i := 0; i < len(smallest); {
			fewer := slices.Delete(slices.Clone(smallest), i, i+1)
			seen, err := s.without(ctx, smallest[i], fewer)
			if err != nil {
				return nil, false, err
			}
			if seen == 0 {
				i++
				continue
			}
			smallest, again = fewer, true
		}
	}
	return smallest, true, nil
}

// without tries a list that lacks one fault, unless that has been tried in vain.
func (s *shrinker) without(ctx context.Context, dropped listedFault, rest []listedFault) (seen int, err error) {
	key := strings.Join(names(rest), "\n")
	if s.barren[key] {
		return 0, nil
	}
	seen, err = s.step(ctx, "without "+dropped.String(), rest, true)
	s.barren[key] = err == nil && seen == 0
	return seen, err
}

// settleNeighbours finds out whether the violation comes without the neighbours.
// Where it does, that is proof; where it does not in so many tries, they stay.
func (s *shrinker) settleNeighbours(ctx context.Context, faults []listedFault) (ok bool, err error) {
	seen, err := s.step(ctx, "alone, with every fault of its own", faults, true)
	if err != nil || seen > 0 {
		return seen > 0, err
	}
	s.among = true
	seen, err = s.step(ctx, "among its neighbours, with every fault of its own and none of theirs", faults, true)
	return seen > 0, err
}
