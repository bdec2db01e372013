package check

import (
	"math"
	"testing"
)

// The exact distribution is that of tables of Kendall's test, and near the normal
// one where that holds.
func TestMannKendall(t *testing.T) {
	for _, c := range []struct {
		n, score int
		want     float64
	}{
		{4, 6, 1.0 / 24}, {4, 4, 4.0 / 24}, {4, 0, 15.0 / 24}, {8, 28, 1.0 / 40320}, {8, 26, 8.0 / 40320}, {10, -45, 1},
	} {
		if got := exactScore(c.n, c.score); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("n %d, score %d: %g, want %g", c.n, c.score, got, c.want)
		}
	}
	if got := exactScore(40, 780); got <= 0 || got > 1e-40 {
		t.Errorf("the only permutation of 40 that rises throughout has %g", got)
	}
}

func TestTrend(t *testing.T) {
	for _, c := range []struct {
		name        string
		series      []int64
		slope       float64
		least, most float64 // of p
	}{
		{"nothing", nil, 0, 1, 1},
		{"one", []int64{7}, 0, 1, 1},
		{"constant", []int64{7, 7, 7, 7, 7, 7, 7, 7}, 0, 1, 1},
		{"rising", []int64{1, 3, 5, 7, 9, 11, 13, 15}, 2, 0, 1e-4},
		{"falling", []int64{8, 7, 6, 5, 4, 3, 2, 1}, -1, 1, 1},
		{"an outlier", []int64{1, 2, 3, 4, 500, 6, 7, 8}, 1, 0, 0.01},
		{"two plateaus", []int64{1, 1, 1, 1, 2, 2, 2, 2}, 0.2, 1e-4, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := trendOf(c.series)
			if math.Abs(got.slope-c.slope) > 0.06 || got.p < c.least-1e-9 || got.p > c.most+1e-9 {
				t.Errorf("%+v, want slope %g and p in [%g, %g]", got, c.slope, c.least, c.most)
			}
		})
	}
}

// A long series costs no more than its bound, and keeps its slope.
func TestTrendOfALongSeries(t *testing.T) {
	series := make([]int64, 10_000)
	for i := range series {
		series[i] = int64(3 * i)
	}
	if got := trendOf(series); math.Abs(got.slope-3) > 0.1 || got.p > 1e-9 {
		t.Errorf("%+v", got)
	}
}
