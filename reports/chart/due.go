package chart

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"mcpstorm/history"
)

// schedule says when the rollouts of one scenario with an arrival rate were due:
// arrival k at the time at which the area under the rate grows past k. Legs are in
// order of time.
type schedule struct {
	legs []rateLeg
	// origin is the instant from which due times count. The history does not say
	// when a scenario began, so it is the latest that lets no rollout start early:
	// what is corrected is never too much.
	origin history.Instant
}

// rateLeg is one straight piece of a rate, in arrivals a second over seconds.
type rateLeg struct{ start, length, from, to, area float64 }

// schedules reads the arrival rates of an arm's scenarios out of the options that
// the manifest keeps. Scenarios without one, and what cannot be read, are left out.
func schedules(run *history.Run, arm *history.Arm) map[string]*schedule {
	var options struct {
		Scenarios map[string]arrivalOptions `json:"scenarios"`
	}
	if json.Unmarshal(run.Manifest.Options, &options) != nil {
		return nil
	}
	out := map[string]*schedule{}
	for _, s := range arm.Scenarios {
		if legs := options.Scenarios[s.Name].legs(s.Executor); openLoad(s.Executor) && len(legs) > 0 {
			out[s.Name] = &schedule{legs: legs, origin: math.MaxInt64}
		}
	}
	for i := range run.Rollouts {
		r := &run.Rollouts[i]
		if s := out[r.Scenario]; s != nil && r.Arm == arm.Name {
			s.origin = min(s.origin, r.Start-history.Instant(s.offset(r.Iteration)))
		}
	}
	return out
}

// openLoad reports whether an executor starts rollouts by the clock, whatever
// becomes of those before.
func openLoad(executor string) bool { return strings.HasSuffix(executor, "-arrival-rate") }

// due is when an arrival should have started.
func (s *schedule) due(k int64) history.Instant { return s.origin + history.Instant(s.offset(k)) }

// offset is how long after the origin arrival k, from 0, is due.
func (s *schedule) offset(k int64) time.Duration {
	leg := s.legs[0]
	for _, l := range s.legs[1:] {
		if l.area > float64(k) {
			break
		}
		leg = l
	}
	return time.Duration((leg.start + leg.reach(float64(k)-leg.area)) * float64(time.Second))
}

// reach is how long after the leg's start the area under it is q: the root of
// from·x + (to-from)/(2·length)·x² = q.
func (l rateLeg) reach(q float64) float64 {
	if q <= 0 || l.length == 0 {
		return 0
	}
	root := math.Sqrt(max(l.from*l.from+2*(l.to-l.from)/l.length*q, 0))
	if l.from+root == 0 {
		return 0
	}
	return min(2*q/(l.from+root), l.length)
}

// arrivalOptions are what a scenario's options say of its rate. Times are texts
// such as 1m30s.
type arrivalOptions struct {
	Rate      float64 `json:"rate"`
	StartRate float64 `json:"startRate"`
	TimeUnit  string  `json:"timeUnit"`
	Duration  string  `json:"duration"`
	Stages    []struct {
		Duration string  `json:"duration"`
		Target   float64 `json:"target"`
	} `json:"stages"`
}

// legs are the pieces of the rate, or none where something cannot be read.
func (o arrivalOptions) legs(executor string) []rateLeg {
	unit := inSeconds(o.TimeUnit)
	if unit <= 0 {
		unit = 1
	}
	if executor == "constant-arrival-rate" {
		if length := inSeconds(o.Duration); length > 0 && o.Rate > 0 {
			return []rateLeg{{length: length, from: o.Rate / unit, to: o.Rate / unit}}
		}
		return nil
	}
	var legs []rateLeg
	var start, area float64
	rate := o.StartRate / unit
	for _, stage := range o.Stages {
		leg := rateLeg{start: start, length: inSeconds(stage.Duration), from: rate, to: stage.Target / unit, area: area}
		legs = append(legs, leg)
		start += leg.length
		area += (leg.from + leg.to) / 2 * leg.length
		rate = leg.to
	}
	return legs
}

func inSeconds(text string) float64 {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d.Seconds()
}
