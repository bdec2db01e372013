package chart

import (
	"fmt"
	"math"
	"strings"
)

// level is a quantile and its name.
type level struct {
	q    float64
	name string
}

// levels are the quantiles that the figure names, the lowest first.
var levels = []level{{0.5, "50%"}, {0.9, "90%"}, {0.99, "99%"}, {0.999, "99.9%"}}

// title says how the tail fared under faults, at the highest level that the
// operations are enough for.
func (l *latencies) title() string {
	worst, base := l.line("during the faults"), l.baseline()
	if worst == nil {
		own := l.own()
		text := own[len(own)-1].finding()
		if len(l.faulty) == 0 {
			return text + "; no faults were delivered"
		}
		return text + " " + own[len(own)-1].name
	}
	q := telling(worst)
	text := worst.finding() + " during the faults"
	if worst.at(q) == never || base == nil || !base.tells(q) || base.at(q) == never {
		return text
	}
	return fmt.Sprintf("%s, within %s %s", text, within(base.at(q)), base.when())
}

// finding is what a line comes to: how many failed, where those are so many that the
// tail has no end, and else within what time the rest was answered.
func (l *quantiled) finding() string {
	if q := telling(l); l.at(q) != never {
		return fmt.Sprintf("%s of operations were answered within %s", share(q), within(l.at(q)))
	}
	return percent(l.of-len(l.took), l.of) + " of operations failed"
}

// when is the time of a line that faults are held against.
func (l *quantiled) when() string {
	if l.look == lookControl {
		return "without them"
	}
	return "before them"
}

// line is the one of a name, or nil.
func (l *latencies) line(name string) *quantiled {
	for i := range l.lines {
		if l.lines[i].name == name {
			return &l.lines[i]
		}
	}
	return nil
}

// baseline is what the faults are held against: the time before them where there is
// enough of it, and else the control arm.
func (l *latencies) baseline() *quantiled {
	if b := l.line("before the faults"); b != nil && b.tells(0.99) {
		return b
	}
	return l.line("control, no faults")
}

// telling is the highest level up to 99 % that a line has enough operations for.
func telling(l *quantiled) float64 {
	q := levels[0].q
	for _, level := range levels[:3] {
		if l.tells(level.q) {
			q = level.q
		}
	}
	return q
}

// within is a latency in a text: 12 ms, 1.24 s, or that it never ends.
func within(s float64) string {
	switch {
	case math.IsNaN(s):
		return "–"
	case math.IsInf(s, 1):
		return "never"
	}
	return latency(s)
}

func (l *latencies) subtitle() string {
	n := 0
	for _, line := range l.own() {
		n += line.of
	}
	return dots(armName(l.run, l.arm), "Share of all operations answered within a time", "failed ones never were", "n = "+thousands(n), strings.Join(l.few, ", "))
}

// note says from when on time was measured, for readers who know coordinated omission.
func (l *latencies) note() string {
	if !l.open {
		return "Closed load: measured from the actual start, so a server that is slow is asked less often"
	}
	text := "Open load: a rollout's first operation is measured from when the rollout was due, the others from their start"
	if l.missed > 0 {
		text += " · " + thousands(l.missed) + " that were due never started"
	}
	return text
}

// alt gives the quantiles of every line in words.
func (l *latencies) alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s. %s.", l.title(), l.subtitle(), l.note())
	for i := range l.lines {
		line := &l.lines[i]
		fmt.Fprintf(&b, " %s (%s):", capital(line.name), count(line.of, "operation"))
		for _, level := range levels {
			if line.tells(level.q) {
				fmt.Fprintf(&b, " %s within %s,", level.name, within(line.at(level.q)))
			}
		}
		fmt.Fprintf(&b, " %s failed.", thousands(line.of-len(line.took)))
	}
	return b.String()
}
