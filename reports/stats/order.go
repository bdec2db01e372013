package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// QuantileInterval is the 95 % interval of the quantile q, in (0, 1), of what the
// values were drawn from, independently: two of the values themselves, by the
// binomial distribution of how many lie below the quantile, whatever they are
// distributed like. Where there are too few values for an end, that end is open: −Inf
// or +Inf. sorted must be in ascending order.
func QuantileInterval(sorted []float64, q float64) Span {
	const tail = (1 - Confidence) / 2
	n := len(sorted)
	span := Span{Low: math.Inf(-1), High: math.Inf(1)}
	if n == 0 {
		return span
	}
	below := distuv.Binomial{N: float64(n), P: q}
	// The low end is the largest rank r with P(fewer than r below) ≤ tail, the high end
	// the smallest with P(r or more below) ≤ tail.
	low := lastWhere(n, func(r int) bool { return below.CDF(float64(r-1)) <= tail })
	high := n + 1 - lastWhere(n, func(r int) bool { return below.Survival(float64(n-r)) <= tail })
	if low >= 1 {
		span.Low = sorted[low-1]
	}
	if high <= n {
		span.High = sorted[high-1]
	}
	return span
}

// lastWhere is the largest of 1 to n for which a condition holds that holds up to
// some number and not beyond; 0 if for none.
func lastWhere(n int, holds func(int) bool) int {
	low, high := 0, n+1
	for high-low > 1 {
		if middle := (low + high) / 2; holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// ValuesFor is how many independent values the quantile q, in (0, 1), needs for an
// upper end of QuantileInterval at all: 368 for the 99th percentile.
func ValuesFor(q float64) int {
	return int(math.Ceil(math.Log((1-Confidence)/2) / math.Log(q)))
}
