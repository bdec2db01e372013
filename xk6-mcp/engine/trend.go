package engine

import (
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// exactLimit is how many values a distribution keeps one by one. Up to here
// quantiles are exact and cost less memory than a histogram.
const exactLimit = 16384

// A histogram counts thousandths of a value, from 0.001 to an hour of
// milliseconds, with three significant digits.
const (
	histogramUnit   = 1000
	histogramMax    = 3_600_000 * histogramUnit
	histogramDigits = 3
)

// distribution is the state of a trend. Count, sum, minimum and maximum are
// always exact. Past exactLimit values the quantiles come from a histogram,
// where negative values count as zero and those above an hour as an hour.
type distribution struct {
	count    int64
	sum      float64
	min, max float64
	exact    []float64
	sorted   bool
	hist     *hdrhistogram.Histogram
}

func (d *distribution) add(v float64) {
	if d.count == 0 {
		d.min, d.max = v, v
	}
	d.count++
	d.sum += v
	d.min, d.max = min(d.min, v), max(d.max, v)
	switch {
	case d.hist != nil:
		d.record(v)
	case len(d.exact) < exactLimit:
		d.exact, d.sorted = append(d.exact, v), false
	default:
		d.spill()
		d.record(v)
	}
}

// spill moves the values into a histogram.
func (d *distribution) spill() {
	d.hist = hdrhistogram.New(1, histogramMax, histogramDigits)
	for _, v := range d.exact {
		d.record(v)
	}
	d.exact = nil
}

func (d *distribution) record(v float64) {
	scaled := int64(math.Round(min(max(v*histogramUnit, 0), histogramMax)))
	if err := d.hist.RecordValue(scaled); err != nil {
		panic(err) // unreachable: the value was clamped into the range
	}
}

func (d *distribution) mean() float64 {
	if d.count == 0 {
		return 0
	}
	return d.sum / float64(d.count)
}

// quantile returns the value below which the share q of all values lies, q in
// [0, 1], interpolated between neighbours while the values are exact. An empty
// distribution gives 0.
func (d *distribution) quantile(q float64) float64 {
	if d.count == 0 {
		return 0
	}
	if d.hist != nil {
		v := float64(d.hist.ValueAtQuantile(q*100)) / histogramUnit
		return min(max(v, d.min), d.max)
	}
	if !d.sorted {
		slices.Sort(d.exact)
		d.sorted = true
	}
	rank := q * float64(len(d.exact)-1)
	low := int(rank)
	if low+1 >= len(d.exact) {
		return d.exact[low]
	}
	return d.exact[low] + (rank-float64(low))*(d.exact[low+1]-d.exact[low])
}
