package check

import (
	"math"
	"slices"
)

// trend is how a series of counts develops: by how much in one step, and how
// probable it is that a series without a trend rises as steadily.
type trend struct {
	slope float64 // Theil and Sen's: the median of the slopes between all pairs
	p     float64 // of Mann and Kendall's test against a rise
}

// mostSamples bounds the work, which grows with the square of it. Of a longer series
// as many samples are taken, evenly spaced.
const mostSamples = 200

// trendOf tests a series against a rise. Neither the median of slopes nor the test
// minds an outlier or asks how the noise is distributed. Fewer than two counts have
// no trend.
func trendOf(series []int64) trend {
	sparse, step := thin(series)
	n := len(sparse)
	if n < 2 {
		return trend{p: 1}
	}
	slopes := make([]float64, 0, n*(n-1)/2)
	score := 0
	for i := range sparse {
		for j := i + 1; j < n; j++ {
			rise := sparse[j] - sparse[i]
			slopes = append(slopes, float64(rise)/(float64(j-i)*step))
			score += sign(rise)
		}
	}
	slices.Sort(slopes)
	return trend{slope: median(slopes), p: mannKendall(sparse, score)}
}

// thin takes at most mostSamples of a series, and says how far apart they lie.
func thin(series []int64) (sparse []int64, step float64) {
	n := len(series)
	if n <= mostSamples {
		return series, 1
	}
	step = float64(n-1) / (mostSamples - 1)
	for i := range mostSamples {
		sparse = append(sparse, series[int(math.Round(float64(i)*step))])
	}
	return sparse, step
}

func sign(n int64) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

// median is that of a sorted list which is not empty.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// mannKendall is how probable a score of at least this much is without a trend: for
// a series of different counts exactly, by the number of permutations that reach it,
// and else by the normal distribution with the variance that ties leave.
func mannKendall(series []int64, score int) float64 {
	ties := tiesOf(series)
	if n := len(series); len(ties) == 0 && n <= 40 {
		return exactScore(n, score)
	}
	n := float64(len(series))
	variance := n * (n - 1) * (2*n + 5)
	for _, t := range ties {
		variance -= t * (t - 1) * (2*t + 5)
	}
	if variance <= 0 {
		return 1
	}
	z := (float64(score) - 1) / math.Sqrt(variance/18)
	return math.Erfc(z/math.Sqrt2) / 2
}

// tiesOf is how often each count occurs that occurs more than once.
func tiesOf(series []int64) (ties []float64) {
	sorted := slices.Sorted(slices.Values(series))
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[0] {
			n++
		}
		if n > 1 {
			ties = append(ties, float64(n))
		}
		sorted = sorted[n:]
	}
	return ties
}

// exactScore counts permutations of n different things by their number of
// inversions: the score is all pairs less two for each.
func exactScore(n, score int) float64 {
	pairs := n * (n - 1) / 2
	share := make([]float64, pairs+1) // of the permutations, by inversions
	share[0] = 1
	for size := 2; size <= n; size++ {
		next := make([]float64, pairs+1)
		for inversions := range share {
			for more := 0; more < size && more <= inversions; more++ {
				next[inversions] += share[inversions-more] / float64(size)
			}
		}
		share = next
	}
	p := 0.0
	for inversions := 0; inversions <= pairs && pairs-2*inversions >= score; inversions++ {
		p += share[inversions]
	}
	return p
}
