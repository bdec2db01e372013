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
	return permute(base, head, chance).p(0)
}

// permutation is a permutation test that was made: what was seen, head − base, and
// what each deal came to.
type permutation struct {
	seen  float64
	deals []deal
}

// deal is one way to deal the clusters out: the difference head − base that it gives,
// and how far that falls when every trial of the head's own clusters counts one less.
type deal struct {
	difference, slope float64
}

// permute deals until enough is known. Where the counts can tell nothing there is no
// deal.
func permute(base, head []Cluster, chance *rand.Rand) permutation {
	type card struct {
		Cluster
		head int // its trials, where it is the head's
	}
	var all []card
	for _, c := range base {
		all = append(all, card{Cluster: c})
	}
	for _, c := range head {
		all = append(all, card{c, c.Of})
	}
	ours, theirs := Total(base), Total(head)
	total := Cluster{Count: ours.Count + theirs.Count, Of: ours.Of + theirs.Of}
	if total.Count == 0 || total.Count == total.Of || len(base) == 0 || len(head) == 0 {
		return permutation{}
	}
	test := permutation{seen: apart(ours, total)}
	for beyond := 0; len(test.deals) < mostShuffles && beyond < enoughBeyond; {
		var dealt card
		for i := range base { // a shuffle of as much as is needed
			j := i + chance.IntN(len(all)-i)
			all[i], all[j] = all[j], all[i]
			dealt.Count += all[i].Count
			dealt.Of += all[i].Of
			dealt.head += all[i].head
		}
		d := deal{apart(dealt.Cluster, total), apart(Cluster{dealt.head, dealt.Of}, Cluster{theirs.Of, total.Of})}
		if d.beyond(test.seen, 0) {
			beyond++
		}
		test.deals = append(test.deals, d)
	}
	return test
}

// beyond reports whether the deal is at least as far apart as what was seen, once a
// supposed difference is taken from the head's clusters.
func (d deal) beyond(seen, supposed float64) bool {
	return math.Abs(d.difference-supposed*d.slope) >= math.Abs(seen-supposed)-1e-12
}

// p is the p-value of "the difference is the one supposed".
func (t permutation) p(supposed float64) float64 {
	if len(t.deals) == 0 {
		return 1
	}
	beyond := 0
	for _, d := range t.deals {
		if d.beyond(t.seen, supposed) {
			beyond++
		}
	}
	if len(t.deals) < mostShuffles {
		return float64(beyond) / float64(len(t.deals))
	}
	return float64(beyond+1) / (mostShuffles + 1)
}

// nearest is the end, towards no difference, of the differences that the test does not
// reject, where it rejects 0: never 0 itself.
func (t permutation) nearest() float64 {
	rejected, kept := 0.0, t.seen
	for range 30 { // to a billionth of what was seen
		if middle := (rejected + kept) / 2; t.p(middle) <= 1-Confidence {
			rejected = middle
		} else {
			kept = middle
		}
	}
	return rejected
}

// PermutedDifference is the p-value of Permute and a 95 % interval of the difference
// head − base that agrees with it: the interval leaves out 0 exactly where the p-value
// is at most 5 %. It is that of Difference over ClusteredRate, which is wide where one
// side saw nothing; where the two disagree about 0 the test, which is exact, has the
// word, and that end becomes the one of the differences that the test does not reject
// (or 0). chance belongs to the caller.
func PermutedDifference(base, head []Cluster, chance *rand.Rand) (p float64, span Span) {
	test := permute(base, head, chance)
	p, span = test.p(0), Difference(ClusteredRate(base), ClusteredRate(head))
	switch rejects := p <= 1-Confidence; {
	case rejects == !span.Holds(0):
	case !rejects:
		span = Span{Low: min(span.Low, 0), High: max(span.High, 0)}
	case test.seen > 0:
		span.Low = test.nearest()
	default:
		span.High = test.nearest()
	}
	return p, span
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

// apart is how far the rate of the rest is above that of a part.
func apart(part, total Cluster) float64 {
	rest := Cluster{Count: total.Count - part.Count, Of: total.Of - part.Of}
	if part.Of == 0 || rest.Of == 0 {
		return 0
	}
	return float64(rest.Count)/float64(rest.Of) - float64(part.Count)/float64(part.Of)
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
