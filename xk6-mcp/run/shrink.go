package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/reports"
)

// tryOut repeats a rollout under a list of faults, at most so many times: among its
// neighbours, or without those that none of the faults is about. With first it may
// stop once the violation has come again. It returns how often that was, and how
// many tries were made.
type tryOut func(ctx context.Context, faults []listedFault, among bool, times int, first bool) (seen, tried int, err error)

// maxLists bounds how many lists a shrinker tries: with hundreds of faults, each
// among hundreds of neighbours, it would never end.
const maxLists = 60

// shrinker looks for the smallest list of faults under which a violation still
// comes again. What it does depends on the tries alone.
type shrinker struct {
	try   tryOut
	times int                         // tries of a step that does not succeed
	note  func(reports.ReproduceStep) // called once after each step

	among   bool // the neighbours are needed
	steps   []reports.ReproduceStep
	barren  map[string]bool // lists under which the violation never came
	stopped bool            // by maxLists: the list may not be the smallest
}

// step tries one list, and keeps what came of it.
func (s *shrinker) step(ctx context.Context, what string, faults []listedFault, among bool) (again bool, err error) {
	seen, tried, err := s.try(ctx, faults, among, s.times, true)
	if err != nil {
		return false, err
	}
	step := reports.ReproduceStep{What: what, Seen: seen, Tried: tried}
	s.steps = append(s.steps, step)
	s.note(step)
	return seen > 0, nil
}

// shrink finds out what must be there for the violation to come again, and drops
// faults for as long as it comes without them. A rollout's own faults are tried
// first, alone and then among its neighbours; where that is not enough, those of
// all rollouts are. It returns false when the violation never came again.
func (s *shrinker) shrink(ctx context.Context, own, all []listedFault) (smallest []listedFault, ok bool, err error) {
	s.barren = map[string]bool{}
	for _, start := range []struct {
		what          string
		faults        []listedFault
		among, others bool
	}{
		{"alone, with every fault of its own", own, false, false},
		{"among its neighbours, with every fault of its own and none of theirs", own, true, false},
		{"among its neighbours, with every fault of all", all, true, true},
	} {
		if ok, err = s.step(ctx, start.what, start.faults, start.among); err != nil {
			return nil, false, err
		}
		if !ok {
			continue
		}
		s.among = start.among
		if smallest, err = s.minimise(ctx, start.faults); err == nil && start.others {
			err = s.leave(ctx, smallest)
		}
		return smallest, true, err
	}
	return own, false, nil
}

// minimise drops faults, in ever smaller groups and in the end one by one, until
// none that is left can be spared, as far as the tries tell.
func (s *shrinker) minimise(ctx context.Context, faults []listedFault) ([]listedFault, error) {
	for group := firstGroup(len(faults)); ; {
		fewer, dropped, err := s.pass(ctx, faults, group)
		if err != nil {
			return nil, err
		}
		faults = fewer
		switch {
		case group > 1:
			group /= 2
		case !dropped:
			return faults, nil
		}
	}
}

// leave tries to do without the neighbours that no fault is about.
func (s *shrinker) leave(ctx context.Context, faults []listedFault) error {
	again, err := s.step(ctx, "without the rollouts that none of these faults is about", faults, false)
	s.among = s.among && !again
	return err
}

// firstGroup is how many faults are dropped together at first: of a few, each is
// tried by itself.
func firstGroup(n int) int {
	const few = 8
	if n <= few {
		return 1
	}
	return n / 2
}

// pass tries to drop each group of a list in turn.
func (s *shrinker) pass(ctx context.Context, faults []listedFault, group int) (fewer []listedFault, dropped bool, err error) {
	for i := 0; i < len(faults) && !s.stopped; {
		end := min(i+group, len(faults))
		again, err := s.without(ctx, faults[i:end], slices.Delete(slices.Clone(faults), i, end))
		switch {
		case err != nil:
			return nil, false, err
		case again:
			faults, dropped = slices.Delete(slices.Clone(faults), i, end), true
		default:
			i = end
		}
	}
	return faults, dropped, nil
}

// without tries a list that lacks some faults, unless that has been tried in vain.
func (s *shrinker) without(ctx context.Context, dropped, rest []listedFault) (again bool, err error) {
	key := strings.Join(names(rest), "\n")
	if s.barren[key] {
		return false, nil
	}
	if s.stopped = len(s.steps) >= maxLists; s.stopped {
		return false, nil
	}
	again, err = s.step(ctx, "without "+someNames(dropped), rest, s.among)
	s.barren[key] = err == nil && !again
	return again, err
}

func names(faults []listedFault) (list []string) {
	for _, f := range faults {
		list = append(list, f.String())
	}
	return list
}

// someNames names one fault, or says how many they are.
func someNames(faults []listedFault) string {
	if len(faults) == 1 {
		return faults[0].String()
	}
	return fmt.Sprintf("%d faults, the first %s", len(faults), faults[0])
}
