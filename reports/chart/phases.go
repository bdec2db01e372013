package chart

import (
	"cmp"
	"slices"
	"time"

	"mcpstorm/history"
)

// phase is when an operation ran, seen from the faults of its arm.
type phase int

// The phases, in order of time. Every operation is in exactly one.
const (
	phaseBefore phase = iota // it had ended before any fault could act
	phaseDuring              // it ran while one could
	phaseAfter               // it ran between two stretches of faults, or after the last
)

// stretch is a part of an arm's time, in times since its start. A burst takes none.
type stretch struct {
	from, to time.Duration
	// loose says that no window bounds it: it ends with a fault, whose own failure is
	// seen only afterwards.
	loose bool
}

// stretches says when faults could act in an arm: in the windows of its rules, at
// its bursts and, for rules without a window, from the first that was delivered to
// the last. Those that touch are one, and none reaches into the heal phase. A name
// keeps only the faults of that server; an empty one keeps all.
func stretches(run *history.Run, arm *history.Arm, server string) []stretch {
	var all []stretch
	windowed := map[string]bool{}
	for i := range run.Plan {
		rule := &run.Plan[i]
		if rule.Arm != arm.Name || server != "" && rule.On != server {
			continue
		}
		if from, to, ok := during(rule.During); ok {
			windowed[rule.Rule] = true
			all = append(all, stretch{from: from, to: to})
		}
	}
	if s, any := scattered(run, arm, server, windowed); any {
		all = append(all, s)
	}
	if arm.Heal != nil {
		all = slices.DeleteFunc(all, func(s stretch) bool { return s.from > arm.Heal.At })
		for i := range all {
			all[i].to = min(all[i].to, arm.Heal.At)
		}
	}
	return joined(all)
}

// scattered is the time from the first to the last fault without a window, or to the
// heal phase. A toxic of toxiproxy's own acts from its installation to the end of the
// arm.
func scattered(run *history.Run, arm *history.Arm, server string, windowed map[string]bool) (s stretch, any bool) {
	for i := range run.Faults {
		fault := &run.Faults[i]
		if fault.Arm != arm.Name || server != "" && fault.Server != server || windowed[fault.Rule] {
			continue
		}
		at := max(time.Duration(fault.At-arm.Start), 0)
		to := at
		switch fault.State {
		case history.FaultInstalled:
			to = max(time.Duration(arm.End-arm.Start), at)
		case history.FaultDelivered:
		default:
			continue
		}
		if !any {
			s, any = stretch{at, to, true}, true
		}
		s.from, s.to = min(s.from, at), max(s.to, to)
	}
	if arm.Heal != nil {
		s.to, s.loose = max(s.to, arm.Heal.At), false
	}
	return s, any
}

// joined puts stretches in order and makes one of those that touch.
func joined(all []stretch) []stretch {
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out []stretch
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			if s.to > out[n-1].to {
				out[n-1].to, out[n-1].loose = s.to, s.loose
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// phaseOf places an operation that ran between two times. One that a stretch of
// faults reached at either end ran during it. Without faults all is before.
func phaseOf(faulty []stretch, from, to time.Duration) phase {
	for _, s := range faulty {
		if from <= s.to && s.from <= to {
			return phaseDuring
		}
	}
	if len(faulty) == 0 || to < faulty[0].from {
		return phaseBefore
	}
	return phaseAfter
}
