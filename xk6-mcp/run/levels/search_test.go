package levels_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/xk6-mcp/run/levels"
)

// The levels in the order in which they are asked for, to within a quarter.
func TestSearchAsksFor(t *testing.T) {
	tests := []struct {
		name     string
		from, to int
		capacity int
		want     int
		levels   []int
	}{
		{"the first level breaks", 64, 4096, 10, 10, []int{64, 32, 16, 8, 12, 10}},
		{"between two levels", 64, 4096, 300, 256, []int{64, 128, 256, 512, 384, 320}},
		{"just under a level", 64, 4096, 500, 448, []int{64, 128, 256, 512, 384, 448}},
		{"more than was tried", 64, 256, 9999, 256, []int{64, 128, 256}},
		{"a last level that is no double", 100, 150, 9999, 150, []int{100, 150}},
		{"nothing is carried", 4, 8, 0, 0, []int{4, 2, 1}},
		{"one rollout", 1, 1, 9, 1, []int{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var tried []int
			got, err := levels.Search(test.from, test.to, 0.25, func(n int) (bool, error) {
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

// Whatever the limit is, the search comes within the share that was asked for, and
// asks of no level twice.
func TestSearchComesClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 3000).Draw(t, "limit")
		from := rapid.IntRange(1, 64).Draw(t, "from")
		to := rapid.IntRange(from, 2048).Draw(t, "to")
		var asked []int
		got, err := levels.Search(from, to, 0.05, func(n int) (bool, error) {
			if slices.Contains(asked, n) || n < 1 || n > to {
				t.Fatalf("asked of %d, after %v", n, asked)
			}
			asked = append(asked, n)
			return n <= limit, nil
		})
		want := min(limit, to)
		if err != nil || got > want || float64(want-got) > 0.05*float64(want) {
			t.Fatalf("the limit is %d of %d: got %d, %v, by %v", limit, to, got, err, asked)
		}
	})
}

func TestSearchStopsAtAnError(t *testing.T) {
	stop := errors.New("stop")
	n := 0
	got, err := levels.Search(8, 512, 0.05, func(int) (bool, error) {
		if n++; n == 3 {
			return false, stop
		}
		return true, nil
	})
	if !errors.Is(err, stop) || got != 16 || n != 3 {
		t.Errorf("got %d, %v after %d levels", got, err, n)
	}
}
