package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// tick is one mark of an axis.
type tick struct {
	value float64
	label string
}

// scale maps values to lengths along one axis. A value outside [min, max] lands
// on the nearer end; a logarithmic scale has a positive min, so no logarithm of
// zero is ever taken.
type scale struct {
	min, max float64
	log      bool
	ticks    []tick
}

// at is where a value lies between two ends of an axis.
func (s scale) at(v float64, from, to vg.Length) vg.Length {
	v = min(max(v, s.min), s.max)
	share := (v - s.min) / (s.max - s.min)
	if s.log {
		share = math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return from + vg.Length(share)*(to-from)
}

// rateTops are the upper ends that a rate axis may have, with the step of its ticks.
var rateTops = []struct{ top, step float64 }{
	{0.02, 0.01},
	{0.04, 0.02},
	{0.06, 0.02},
	{0.1, 0.05},
	{0.2, 0.1},
	{0.3, 0.1},
	{0.4, 0.2},
	{0.6, 0.2},
	{0.8, 0.2},
	{1, 0.25},
}

// rateScale is an axis from 0% to a round top that holds the highest rate, and
// not below the floor, so that a little noise does not look like much.
func rateScale(highest, floor float64) scale {
	choice := rateTops[len(rateTops)-1]
	for _, t := range rateTops {
		if t.top >= floor && highest <= t.top {
			choice = t
			break
		}
	}
	s := scale{max: choice.top}
	for n := 0; float64(n)*choice.step <= choice.top*1.001; n++ {
		v := float64(n) * choice.step
		s.ticks = append(s.ticks, tick{v, number(math.Round(v*1000)/10) + "%"})
	}
	return s
}

// timeSteps are distances between ticks of a time axis, in seconds.
var timeSteps = []float64{
	0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800,
}

// timeScale is an axis over the seconds since the start, with at most nine ticks.
func timeScale(length float64) scale {
	const mostSteps = 8
	step := timeSteps[len(timeSteps)-1] * math.Ceil(length/timeSteps[len(timeSteps)-1]/mostSteps)
	for _, s := range timeSteps {
		if length <= s*mostSteps {
			step = s
			break
		}
	}
	s := scale{max: length}
	for n := 0; float64(n)*step <= length*1.0001; n++ {
		s.ticks = append(s.ticks, tick{float64(n) * step, number(float64(n) * step)})
	}
	return s
}

// shortest is the shortest latency an axis can show: a microsecond, in seconds.
const shortest = 1e-6

// latencyScale is a logarithmic axis whose ends are 1, 2 or 5 times a power of
// ten. Beyond two decades only the powers themselves are marked.
func latencyScale(lowest, highest float64) scale {
	lowest = max(lowest, shortest)
	highest = max(highest, lowest)
	low, high := roundLog(lowest, -1), roundLog(highest, +1)
	if high == low {
		low, high = low-1, high+1
	}
	s := scale{min: valueLog(low), max: valueLog(high), log: true}
	const decade = 3 // steps
	for n := low; n <= high; n++ {
		if high-low <= 2*decade || n%decade == 0 {
			s.ticks = append(s.ticks, tick{valueLog(n), latency(valueLog(n))})
		}
	}
	return s
}

// roundLog is the step of the series 1, 2, 5, 10, … at or below a value, or at or
// above it when direction is positive; step 0 is 1, step 3 is 10.
func roundLog(v float64, direction int) int {
	n := 3 * int(math.Floor(math.Log10(v)))
	for valueLog(n+1) <= v*1.0001 {
		n++
	}
	if direction > 0 && valueLog(n) < v*0.9999 {
		n++
	}
	return n
}

// valueLog is the value of a step of the series 1, 2, 5, 10, ….
func valueLog(n int) float64 {
	decade := int(math.Floor(float64(n) / 3))
	return [...]float64{1, 2, 5}[n-3*decade] * math.Pow10(decade)
}
