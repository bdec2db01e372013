package chart

import (
	"math"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// widths are the bin widths that a reader can count in.
var widths = []time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute,
	5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute, time.Hour,
}

// A timeline has between fewestBins and mostBins bins, and the more of them the
// more there is to count: with less than perBin in each, a p99 or a rate is noise.
const (
	fewestBins = 24
	mostBins   = 120
	perBin     = 30
)

// binWidth is the coarsest readable width that gives enough bins, or a finer one
// where there is much to count. It prefers a neighbour of which every edge of a
// fault window is a multiple, even for twice or half as many bins: in a bin across
// an edge the rise would seem to precede the fault.
func binWidth(length time.Duration, events int, edges []time.Duration) time.Duration {
	at := 0
	for at+1 < len(widths) && length >= fewestBins*widths[at+1] {
		at++
	}
	if length > mostBins*widths[at] { // longer than the widest is made for
		return time.Hour * time.Duration(math.Ceil(length.Hours()/mostBins))
	}
	for at > 0 && length <= mostBins*widths[at-1] && events >= perBin*int(length/widths[at-1]) {
		at--
	}
	finer, coarser := widths[max(at-1, 0)], widths[min(at+1, len(widths)-1)]
	switch {
	case aligned(widths[at], edges):
	case aligned(finer, edges) && length <= 2*mostBins*finer:
		return finer
	case aligned(coarser, edges) && 2*length >= fewestBins*coarser:
		return coarser
	}
	return widths[at]
}

func aligned(width time.Duration, edges []time.Duration) bool {
	return !slices.ContainsFunc(edges, func(edge time.Duration) bool { return edge%width != 0 })
}

// clock turns the instants of one arm into bins and seconds since its start.
type clock struct {
	start  history.Instant
	length time.Duration
	width  time.Duration
}

// bins is how many bins there are. The arm's end cuts the last one short or, where
// less than half of one would be left, makes it longer: a sliver says nothing.
func (c clock) bins() int { return max(int((c.length+c.width/2)/c.width), 1) }

// bin is the bin that holds an instant. What lies outside the arm counts in the
// nearest bin.
func (c clock) bin(at history.Instant) int {
	n := int(time.Duration(at-c.start) / c.width)
	return min(max(n, 0), c.bins()-1)
}

// edge is where the n-th bin begins, in seconds since the start.
func (c clock) edge(n int) float64 {
	if n >= c.bins() {
		return c.length.Seconds()
	}
	return (time.Duration(n) * c.width).Seconds()
}

// ratio counts what failed of what happened.
type ratio struct{ failed, of int }

func (r *ratio) add(failed bool) {
	r.of++
	if failed {
		r.failed++
	}
}

// series is one value a bin; a bin in which nothing happened holds NaN and is
// drawn as a gap.
type series []float64

func rates(bins []ratio) series {
	out := make(series, len(bins))
	for i, b := range bins {
		out[i] = math.NaN()
		if b.of > 0 {
			out[i] = float64(b.failed) / float64(b.of)
		}
	}
	return out
}

// quantiles gives one series for each of qs.
func quantiles(bins [][]float64, qs ...float64) []series {
	out := make([]series, len(qs))
	for i := range out {
		out[i] = make(series, len(bins))
	}
	for n, values := range bins {
		slices.Sort(values)
		for i, q := range qs {
			out[i][n] = stats.Quantile(values, q)
		}
	}
	return out
}

// highest is the highest value of all, or 0 when there is none.
func highest(all ...series) float64 {
	top := 0.0
	for _, s := range all {
		for _, v := range s {
			if !math.IsNaN(v) {
				top = max(top, v)
			}
		}
	}
	return top
}

// lowest is the lowest value, or positive infinity when there is none.
func lowest(s series) float64 {
	low := math.Inf(1)
	for _, v := range s {
		if !math.IsNaN(v) {
			low = min(low, v)
		}
	}
	return low
}

// last is the last value there is, or 0 when there is none.
func (s series) last() float64 {
	for _, v := range slices.Backward(s) {
		if !math.IsNaN(v) {
			return v
		}
	}
	return 0
}
