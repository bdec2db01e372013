package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The bounds of a permutation test: it ends early once so many shuffles came out as
// far apart as what was seen (Besag and Clifford, Biometrika 78, 1991).
const (
	mostShuffles = 9999
	enoughBeyond = 50
)

// Permute is the two-sided p-value of "both sides have one rate" for trials that
// come in clusters, as operations come in rollouts: the share of the ways to deal all
// clusters out again to the two sides in which the rates come out at least as far
// apart. A cluster keeps its trials together, so their shared fate is allowed for. The
// value is never below 1/10,000. chance belongs to the caller.
func Permute(base, head []Cluster, chance *rand.Rand) float64 {
	all := make([]Cluster, 0, len(base)+len(head))
	all = append(append(all, base...), head...)
	total := Total(all)
	if total.Count == 0 || total.Count == total.Of || len(base) == 0 || len(head) == 0 {
		return 1
	}
	seen := apart(Total(base), total)
	beyond := 0
	for n := 1; n <= mostShuffles; n++ {
		var dealt Cluster
		for i := range base { // a shuffle of as much as is needed
			j := i + chance.IntN(len(all)-i)
			all[i], all[j] = all[j], all[i]
			dealt.Count += all[i].Count
			dealt.Of += all[i].Of
		}
		if apart(dealt, total) >= seen-1e-12 {
			beyond++
		}
		if beyond == enoughBeyond {
			return float64(beyond) / float64(n)
		}
	}
	return float64(beyond+1) / (mostShuffles + 1)
}

// LeastPermuted is the p-value of the deal of these clusters that puts as much of what
// is counted on one side as there can be: where even that is too large, the rate can
// show nothing, whatever the truth. It depends on all clusters together and not on
// who has which, so that choosing tests by it gives nothing away. Sides without
// clusters give 1.
func LeastPermuted(base, head []Cluster) float64 {
	all := slices.Concat(base, head)
	total := Total(all)
	excess := make([]int, len(all)) // over what the common rate gives, times the total
	for i, c := range all {
		excess[i] = c.Count*total.Of - total.Count*c.Of
	}
	slices.Sort(excess)
	least := extreme(excess, len(base)) + extreme(excess, len(head))
	if len(base) != len(head) { // the deals that favour the other side are as far apart only by chance
		least = min(extreme(excess, len(base)), extreme(excess, len(head)))
	}
	return min(least, 1)
}

// extreme is the share of the ways to choose so many values that choose the smallest.
// The values are in ascending order.
func extreme(values []int, chosen int) float64 {
	if chosen == 0 || chosen == len(values) {
		return 1
	}
	last := values[chosen-1]
	alike, needed := 0, 0
	for i, v := range values {
		if v == last {
			alike++
			if i < chosen {
				needed++
			}
		}
	}
	return math.Exp(choose(alike, needed) - choose(len(values), chosen))
}

// apart is how far the rate of a part is from that of the rest.
func apart(part, total Cluster) float64 {
	rest := Cluster{Count: total.Count - part.Count, Of: total.Of - part.Of}
	if part.Of == 0 || rest.Of == 0 {
		return 0
	}
	return math.Abs(float64(part.Count)/float64(part.Of) - float64(rest.Count)/float64(rest.Of))
}

// Total is all clusters together.
func Total(clusters []Cluster) (total Cluster) {
	for _, c := range clusters {
		total.Count += c.Count
		total.Of += c.Of
	}
	return total
}

// ClusteredRate is the rate over all clusters with the interval of Clustered.
func ClusteredRate(clusters []Cluster) Rate {
	rate, worth := Worth(clusters)
	return Rate{Value: rate, Interval: betaInterval(rate*worth, worth)}
}
