package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rate is a rate with the interval that its trials allow.
type Rate struct {
	Value float64 // in [0, 1]
	Interval
}

// Span is a closed range of any numbers.
type Span struct {
	Low, High float64
}

// Holds reports whether a number is in the span.
func (s Span) Holds(v float64) bool { return s.Low <= v && v <= s.High }

// Wilson is the 95 % score interval of a rate of which count successes were seen in
// of independent trials (Wilson, JASA 22, 1927). It is narrower than ClopperPearson
// and covers 95 % on average rather than always. No trials give [0, 1].
func Wilson(count, of int) Rate {
	if of <= 0 {
		return Rate{Interval: Interval{Low: 0, High: 1}}
	}
	n, z := float64(of), reach(distuv.UnitNormal)
	p := float64(min(max(count, 0), of)) / n
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	whole := 1 + z*z/n
	r := Rate{Value: p, Interval: Interval{Low: (middle - half) / whole, High: (middle + half) / whole}}
	if p == 0 { // exactly, and not but for a rounding
		r.Low = 0
	}
	if p == 1 {
		r.High = 1
	}
	return r
}

// Difference is the 95 % interval of the difference head − base of two independent
// rates, made of the interval of each: the square-and-add rule. With Wilson intervals
// it is Newcombe's hybrid score interval (Statistics in Medicine 17, 1998, method
// 10); with others it is that of Zou and Donner (Statistics in Medicine 27, 2008), so
// that rates over clustered trials have one too, also where nothing was seen on one
// side and a bootstrap would claim certainty.
func Difference(base, head Rate) Span {
	d := head.Value - base.Value
	return Span{
		Low:  d - math.Hypot(head.Value-head.Low, base.High-base.Value),
		High: d + math.Hypot(head.High-head.Value, base.Value-base.Low),
	}
}

// Ratio is the 95 % interval of head ÷ base of two independent positive quantities,
// made of the interval of each by the same rule on logarithms. A side whose interval
// is open, or not positive, leaves that end of the ratio open.
func Ratio(base, head float64, baseIn, headIn Span) Span {
	d := math.Log(head / base)
	apart := func(a, b float64) float64 {
		if a <= 0 || b <= 0 || math.IsInf(a, 0) || math.IsInf(b, 0) {
			return math.Inf(1)
		}
		return math.Log(a / b)
	}
	return Span{
		Low:  math.Exp(d - math.Hypot(apart(head, headIn.Low), apart(baseIn.High, base))),
		High: math.Exp(d + math.Hypot(apart(headIn.High, head), apart(base, baseIn.Low))),
	}
}
