package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Counts are successes of trials on two sides.
type Counts struct {
	Base, BaseOf, Head, HeadOf int
}

// fewest is the least expected count in any of the four cells for which an
// approximation is good enough (Cochran, Biometrics 10, 1954).
const fewest = 5

// Small reports whether the counts are too small for anything but an exact test.
func (c Counts) Small() bool {
	of := float64(c.BaseOf + c.HeadOf)
	seen := float64(c.Base + c.Head)
	smallest := min(float64(c.BaseOf), float64(c.HeadOf)) * min(seen, of-seen) / of
	return !(smallest >= fewest) // also where there are no trials at all, and nothing is a number
}

// Test is the two-sided p-value of "both sides have one rate": Fisher's exact test
// for small counts, and the score test for others.
func (c Counts) Test() float64 {
	if c.Small() {
		return c.Fisher()
	}
	return c.score()
}

// Fisher is the two-sided p-value of Fisher's exact test: the probability, given the
// margins, of every table that is no more probable than the one seen. Sides without
// trials give 1: they say nothing.
func (c Counts) Fisher() float64 {
	p := 0.0
	seen := c.probability(c.Base)
	for k := max(0, c.Base+c.Head-c.HeadOf); k <= min(c.BaseOf, c.Base+c.Head); k++ {
		if q := c.probability(k); q <= seen*(1+1e-7) {
			p += q
		}
	}
	return min(p, 1)
}

// probability is that of the table with k successes on the base side, given the
// margins (hypergeometric).
func (c Counts) probability(k int) float64 {
	seen, of := c.Base+c.Head, c.BaseOf+c.HeadOf
	return math.Exp(choose(c.BaseOf, k) + choose(c.HeadOf, seen-k) - choose(of, seen))
}

// choose is the logarithm of n over k.
func choose(n, k int) float64 {
	lg := func(v int) float64 { l, _ := math.Lgamma(float64(v + 1)); return l }
	return lg(n) - lg(k) - lg(n-k)
}

// score is the two-sided p-value of the score test with a pooled rate, which is
// Pearson's chi-square test of the two by two table.
func (c Counts) score() float64 {
	base, head := float64(c.BaseOf), float64(c.HeadOf)
	pooled := float64(c.Base+c.Head) / (base + head)
	spread := math.Sqrt(pooled * (1 - pooled) * (1/base + 1/head))
	if spread == 0 {
		return 1
	}
	z := math.Abs(float64(c.Head)/head-float64(c.Base)/base) / spread
	return 2 * distuv.UnitNormal.Survival(z)
}

// Least is the smallest p-value that Test could give with these margins: where even
// that is too large, the rate can show nothing, whatever the truth.
func (c Counts) Least() float64 {
	all := c.Base + c.Head
	low, high := c, c
	low.Base = max(0, all-c.HeadOf)
	low.Head = all - low.Base
	high.Base = min(c.BaseOf, all)
	high.Head = all - high.Base
	return min(low.Test(), high.Test())
}
