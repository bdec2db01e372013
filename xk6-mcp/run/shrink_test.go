package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/reports"
)

// fault is one that is told from others by its step.
func fault(n int) listedFault {
	return listedFault{On: "sim", Op: fmt.Sprintf("t000001/s%02d", n), Attempt: 1, At: "call", Cut: "C4", Manner: "rst"}
}

func someFaults(n int) (list []listedFault) {
	for i := range n {
		list = append(list, fault(i+1))
	}
	return list
}

// subject violates whenever the faults that it needs are there, and with them the
// neighbours, if it needs those.
type subject struct {
	needs     []listedFault
	neighbour bool
	tries     int
}

func (s *subject) try(_ context.Context, faults []listedFault, among bool, times int, first bool) (seen, tried int, err error) {
	s.tries++
	for _, f := range s.needs {
		if !slices.ContainsFunc(faults, func(g listedFault) bool { return g.Op == f.Op }) {
			return 0, times, nil
		}
	}
	if s.neighbour && !among {
		return 0, times, nil
	}
	return times, times, nil
}

func shrinkerOf(s *subject) *shrinker {
	return &shrinker{try: s.try, times: 20, note: func(reports.ReproduceStep) {}}
}

func TestShrinkFindsWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := someFaults(rapid.IntRange(0, 24).Draw(t, "faults"))
		own := all[:rapid.IntRange(0, len(all)).Draw(t, "own")]
		var needs []listedFault
		for _, f := range all {
			if len(needs) < 3 && rapid.Bool().Draw(t, "needed") {
				needs = append(needs, f)
			}
		}
		s := &subject{needs: needs, neighbour: rapid.Bool().Draw(t, "neighbour")}
		shrink := shrinkerOf(s)
		smallest, ok, err := shrink.shrink(t.Context(), own, all)
		if err != nil || !ok {
			t.Fatalf("shrink = %v, %v", ok, err)
		}
		if shrink.stopped {
			return
		}
		if diff := cmp.Diff(names(needs), names(smallest)); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		if shrink.among != s.neighbour {
			t.Fatalf("neighbours kept: %v, needed: %v", shrink.among, s.neighbour)
		}
		if most := maxLists + 1; s.tries > most || len(shrink.steps) != s.tries {
			t.Fatalf("%d lists tried, %d noted, at most %d wanted", s.tries, len(shrink.steps), most)
		}
	})
}

// TestShrinkOfHundreds looks for two of another rollout's faults among eight
// hundred, which each try pays for with the whole load.
func TestShrinkOfHundreds(t *testing.T) {
	all := someFaults(800)
	s := &subject{needs: []listedFault{all[100], all[700]}}
	shrink := shrinkerOf(s)
	smallest, ok, err := shrink.shrink(t.Context(), all[:2], all)
	if err != nil || !ok || shrink.stopped {
		t.Fatalf("shrink = %v, %v; stopped %v", ok, err, shrink.stopped)
	}
	if diff := cmp.Diff(names(s.needs), names(smallest)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if shrink.among {
		t.Error("neighbours are kept that are not needed")
	}
}

func TestShrinkIsBounded(t *testing.T) {
	all := someFaults(60)
	s := &subject{needs: all}
	shrink := shrinkerOf(s)
	smallest, ok, err := shrink.shrink(t.Context(), all, all)
	if err != nil || !ok || !shrink.stopped || len(smallest) != len(all) || s.tries > maxLists {
		t.Errorf("%d faults after %d lists, stopped %v; %v, %v", len(smallest), s.tries, shrink.stopped, ok, err)
	}
}

func TestShrinkOfWhatNeverComesAgain(t *testing.T) {
	s := &subject{needs: []listedFault{fault(9)}}
	shrink := shrinkerOf(s)
	if _, ok, err := shrink.shrink(t.Context(), someFaults(3), someFaults(5)); ok || err != nil {
		t.Fatalf("shrink = %v, %v", ok, err)
	}
	if s.tries != 3 {
		t.Errorf("%d lists tried: alone, among the neighbours and with their faults are enough", s.tries)
	}
}

func TestShrinkStopsAtAnError(t *testing.T) {
	broken := errors.New("no port is left")
	shrink := &shrinker{times: 20, note: func(reports.ReproduceStep) { t.Error("a step that failed is noted") }, try: func(context.Context, []listedFault, bool, int, bool) (int, int, error) {
		return 0, 0, broken
	}}
	if _, _, err := shrink.shrink(t.Context(), someFaults(3), someFaults(5)); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}
