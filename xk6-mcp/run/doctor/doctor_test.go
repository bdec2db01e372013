package doctor

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/clock"
)

func TestClimb(t *testing.T) {
	tests := []struct {
		name     string
		from, to int
		capacity int
		want     int
		levels   []int
	}{
		{"the first level breaks", 64, 4096, 10, 0, []int{64, 32, 16}},
		{"between two levels", 64, 4096, 300, 256, []int{64, 128, 256, 512, 384, 320}},
		{"just under a level", 64, 4096, 500, 448, []int{64, 128, 256, 512, 384, 448}},
		{"more than was tried", 64, 256, 9999, 256, []int{64, 128, 256}},
		{"one rollout", 1, 1, 9, 1, []int{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var tried []int
			got, err := climb(test.from, test.to, func(n int) (bool, error) {
				tried = append(tried, n)
				return n <= test.capacity, nil
			})
			if err != nil || got != test.want {
				t.Errorf("carried %d (%v), want %d", got, err, test.want)
			}
			if diff := cmp.Diff(test.levels, tried); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClimbKeepsWhatItKnowsWhenARunFails(t *testing.T) {
	broken := errors.New("broken")
	got, err := climb(1, 8, func(n int) (bool, error) {
		if n == 4 {
			return false, broken
		}
		return true, nil
	})
	if got != 2 || !errors.Is(err, broken) {
		t.Errorf("carried %d, %v; want 2 and the error", got, err)
	}
}

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
