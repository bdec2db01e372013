package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the chance with which TrialsNeeded and Detectable want a difference seen.
const Power = 0.8

// TrialsNeeded is how many independent trials a side needs for a two-sided exact test
// at a level, such as 0.05, to tell one rate from the other with a chance of Power
// (Casagrande, Pike and Smith, Biometrics 34, 1978; Fleiss, Statistical Methods for
// Rates and Proportions). Rates that are equal give 0: no number would tell them
// apart.
func TrialsNeeded(one, other, level float64) int { return trialsNeeded(one, other, level, Power) }

func trialsNeeded(one, other, level, power float64) int {
	d := math.Abs(one - other)
	if d == 0 {
		return 0
	}
	mean := (one + other) / 2
	alpha, beta := distuv.UnitNormal.Quantile(1-level/2), distuv.UnitNormal.Quantile(power)
	root := alpha*math.Sqrt(2*mean*(1-mean)) + beta*math.Sqrt(one*(1-one)+other*(1-other))
	n := root * root / (d * d)
	corrected := n / 4 * math.Pow(1+math.Sqrt(1+4/(n*d)), 2) // for a test of whole numbers
	return int(math.Ceil(corrected))
}

// Detectable is the smallest rate above base that a comparison with so many
// independent trials a side would tell from it, at a level, with a chance of Power. It
// is 1 where not even that could be told.
func Detectable(base float64, trials int, level float64) float64 {
	low, high := base, 1.0
	for range 50 {
		middle := (low + high) / 2
		if need := TrialsNeeded(base, middle, level); need == 0 || need > trials {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
