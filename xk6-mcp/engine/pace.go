package engine

import (
	"math"
	"math/big"
	"slices"
	"sort"
	"time"
)

// Pacing is pure: when something is due follows from the scenario alone, as a
// time after the scenario's start. Nothing accumulates, so nothing drifts.

// arrivals are the due times of an arrival-rate scenario. Its rate is a line
// in pieces; arrival k, from 0, is due when the area under the line grows past
// k. A constant 10 a second gives 0 ms, 100 ms, 200 ms and so on.
type arrivals struct {
	count int64
	legs  []rateLeg
}

// rateLeg is one straight piece of the rate. Times are nanoseconds, rates are
// arrivals a nanosecond.
type rateLeg struct {
	start, length float64
	from, to      float64
	before        float64 // the area under all earlier legs
}

// newArrivals returns the due times of a scenario with an arrival rate.
func newArrivals(s Scenario) arrivals {
	var a arrivals
	unit := float64(s.TimeUnit)
	var start, before float64
	area := new(big.Int) // exact, in halves of an arrival times the time unit
	rate := s.startRate()
	for _, stage := range s.rateStages() {
		leg := rateLeg{start, float64(stage.Duration), float64(rate) / unit, float64(stage.Target) / unit, before}
		a.legs = append(a.legs, leg)
		start += leg.length
		before += (leg.from + leg.to) / 2 * leg.length
		sum := new(big.Int).Add(big.NewInt(rate), big.NewInt(stage.Target))
		area.Add(area, sum.Mul(sum, big.NewInt(int64(stage.Duration))))
		rate = stage.Target
	}
	a.count = ceilDiv(area, new(big.Int).Mul(big.NewInt(2), big.NewInt(int64(s.TimeUnit))))
	return a
}

// ceilDiv is area over unit, rounded up and held within an int64.
func ceilDiv(area, unit *big.Int) int64 {
	quotient, rest := new(big.Int).QuoRem(area, unit, new(big.Int))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	if !quotient.IsInt64() {
		return math.MaxInt64
	}
	return quotient.Int64()
}

// at returns when arrival k is due. k must be in [0, count).
func (a arrivals) at(k int64) time.Duration {
	n := float64(k)
	// The last leg that begins at or below k: legs without area are passed over.
	i := sort.Search(len(a.legs), func(i int) bool { return a.legs[i].before > n }) - 1
	leg := a.legs[i]
	return time.Duration(math.Round(leg.start + leg.reach(n-leg.before)))
}

// reach returns how long after the leg's start the area under it is q: the
// root of from·x + (to-from)/(2·length)·x² = q, written so that nothing cancels.
func (l rateLeg) reach(q float64) float64 {
	if q <= 0 || l.length == 0 {
		return 0
	}
	discriminant := l.from*l.from + 2*(l.to-l.from)/l.length*q
	x := 2 * q / (l.from + math.Sqrt(max(discriminant, 0)))
	return min(x, l.length)
}

// stint is a time in which one VU works: it starts iterations from start until
// stop, and whatever still runs at hard is interrupted.
type stint struct{ start, stop, hard time.Duration }

// stints returns when the scenario's VU with that index, from 0, works. Under
// RampingVUs the number of VUs is a line in pieces, rounded: VU i works while
// the line is above i + ½.
func (s Scenario) stints(index int) []stint {
	end := s.length()
	if s.Executor != RampingVUs {
		return []stint{{0, end, end + s.GracefulStop}}
	}
	var list []stint
	level, value := float64(index)+0.5, float64(s.StartVUs)
	begin, now := time.Duration(0), time.Duration(0)
	for _, stage := range s.Stages {
		target := float64(stage.Target)
		if (value > level) != (target > level) {
			share := (level - value) / (target - value)
			crossing := now + time.Duration(math.Round(share*float64(stage.Duration)))
			if target > level {
				begin = crossing
			} else if crossing > begin {
				list = append(list, stint{start: begin, stop: crossing})
			}
		}
		now, value = now+stage.Duration, target
	}
	if value > level && end > begin {
		list = append(list, stint{start: begin, stop: end})
	}
	s.limit(list)
	return list
}

// limit sets how long each stint may run on. One that the next follows within
// the grace is not interrupted in between.
func (s Scenario) limit(list []stint) {
	end := s.length()
	for i, st := range slices.Backward(list) {
		hard := st.stop + s.GracefulRampDown
		switch {
		case st.stop == end:
			hard = end + s.GracefulStop
		case i+1 < len(list) && list[i+1].start <= hard:
			hard = list[i+1].hard
		}
		list[i].hard = min(hard, end+s.GracefulStop)
	}
}

// length is how long the scenario starts iterations.
func (s Scenario) length() time.Duration {
	switch s.Executor {
	case ConstantVUs, ConstantArrivalRate:
		return s.Duration
	case RampingVUs, RampingArrivalRate:
		var sum time.Duration
		for _, stage := range s.Stages {
			sum += stage.Duration
		}
		return sum
	}
	return s.MaxDuration
}

func (s Scenario) startRate() int64 {
	if s.Executor == ConstantArrivalRate {
		return s.Rate
	}
	return s.StartRate
}

// rateStages are the stages of the rate; a constant rate is one flat stage.
func (s Scenario) rateStages() []Stage {
	if s.Executor == ConstantArrivalRate {
		return []Stage{{s.Duration, s.Rate}}
	}
	return s.Stages
}

// hasArrivals reports whether iterations start by the clock, whatever the VUs do.
func (s Scenario) hasArrivals() bool {
	return s.Executor == ConstantArrivalRate || s.Executor == RampingArrivalRate
}
