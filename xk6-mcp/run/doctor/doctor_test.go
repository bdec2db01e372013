package doctor

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/clock"
)

func TestExamine(t *testing.T) {
	h, err := Examine(context.Background(), clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	if h.Cores < 1 || h.Timers.Samples == 0 {
		t.Errorf("%+v: want cores, and timers that were watched", h)
	}
}

// TestCarryIsARealRun drives the smallest level through everything.
func TestCarryIsARealRun(t *testing.T) {
	var heard []Level
	_, levels, err := Climb(context.Background(), Settings{
		From: 2, To: 2, Clock: clock.System{}, Each: func(l Level) { heard = append(heard, l) },
	})
	if err != nil || len(levels) == 0 {
		t.Fatalf("%+v, %v: want a level", levels, err)
	}
	if diff := cmp.Diff(levels, heard); diff != "" {
		t.Errorf("heard (-returned +heard):\n%s", diff)
	}
	if l := levels[0]; l.Rollouts != 2 || l.Text == "" || l.Took <= 0 {
		t.Errorf("%+v: want what two rollouts met", l)
	}
}

func TestClimbEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Climb(ctx, Settings{From: 1, To: 1, Clock: clock.System{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context canceled", err)
	}
}
