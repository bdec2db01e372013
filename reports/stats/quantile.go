package stats

import (
	"math"
	"slices"
)

// Quantile is the smallest of the values that at least the share q of them do
// not exceed (the nearest-rank rule), so it is always a value that was measured.
// sorted must be in ascending order; q is taken into [0, 1]. No values give NaN.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	rank := int(math.Ceil(q*float64(len(sorted)) - 1e-9)) // 0.07*100 is a little over 7
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Quantiles is Quantile for several shares over values in any order. The values
// are not changed; the answers are in the order of qs.
func Quantiles(values []float64, qs ...float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	out := make([]float64, len(qs))
	for i, q := range qs {
		out[i] = Quantile(sorted, q)
	}
	return out
}
