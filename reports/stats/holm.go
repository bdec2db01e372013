package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts the p-values of one family of tests, so that the chance of any false
// alarm among all of them is at most the level that the adjusted ones are held
// against (Holm, Scandinavian Journal of Statistics 6, 1979). The answers are in the
// order of the p-values, which are not changed.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}
