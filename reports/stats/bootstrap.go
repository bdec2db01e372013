package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// resamples is how often a bootstrap draws.
const resamples = 1000

// ClusteredQuantile is a quantile of values that come in clusters, with its 95 %
// interval.
type ClusteredQuantile struct {
	Q     float64 // which, in (0, 1)
	Value float64 // by Quantile
	Span
}

// ClusteredQuantiles gives quantiles of values that come in clusters, as latencies
// come in rollouts, with intervals by a bootstrap over the clusters (percentile
// method): values of one cluster stay together. An interval is never narrower than that
// of QuantileInterval, and open where that is, for no resample goes beyond the largest
// value seen. The answers are in the order of qs; without values there are none. chance
// belongs to the caller.
func ClusteredQuantiles(clusters [][]float64, qs []float64, chance *rand.Rand) []ClusteredQuantile {
	values := flatten(clusters)
	if len(values) == 0 {
		return nil
	}
	sorted := make([]float64, len(values))
	for i, v := range values {
		sorted[i] = v.value
	}
	drawn := make([][]float64, len(qs))
	weights, passed := make([]int, len(clusters)), make([]int, len(values))
	for range resamples {
		draw(weights, chance)
		for i, v := range weighted(values, weights, passed, qs) {
			drawn[i] = append(drawn[i], v)
		}
	}
	list := make([]ClusteredQuantile, len(qs))
	for i, q := range qs {
		slices.Sort(drawn[i])
		open := QuantileInterval(sorted, q)
		list[i] = ClusteredQuantile{Q: q, Value: Quantile(sorted, q), Span: Span{
			Low:  min(Quantile(drawn[i], (1-Confidence)/2), open.Low),
			High: max(Quantile(drawn[i], 1-(1-Confidence)/2), open.High),
		}}
	}
	return list
}

// member is a value and the cluster that it belongs to.
type member struct {
	value   float64
	cluster int
}

// flatten is all values in ascending order.
func flatten(clusters [][]float64) (all []member) {
	for i, values := range clusters {
		for _, v := range values {
			all = append(all, member{v, i})
		}
	}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.cluster, b.cluster))
	})
	return all
}

// draw draws as many clusters as there are, with replacement.
func draw(weights []int, chance *rand.Rand) {
	clear(weights)
	for range weights {
		weights[chance.IntN(len(weights))]++
	}
}

// weighted is the quantiles, by the nearest-rank rule, of values that count as often
// as their cluster was drawn. Where only empty clusters were drawn it is the largest
// value. passed is room for as many numbers as there are values.
func weighted(values []member, weights, passed []int, qs []float64) []float64 {
	total := 0
	for i, v := range values {
		total += weights[v.cluster]
		passed[i] = total
	}
	list := make([]float64, len(qs))
	for i, q := range qs {
		rank := max(int(math.Ceil(q*float64(total)-1e-9)), 1)
		at := sort.SearchInts(passed, rank)
		list[i] = values[min(at, len(values)-1)].value
	}
	return list
}
