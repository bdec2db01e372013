package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// faultMap is how operations ended that each kind of fault struck, by where it did.
type faultMap struct {
	run    *history.Run
	arm    *history.Arm
	cuts   []string // the rows
	places []place  // the columns, grouped
	cells  map[cell]ratio
	struck ratio // every operation that was struck, once
	stray  int
}

// place is one column: where a fault struck, and in what manner. Where there are
// more places than columns have room, either of the first two may be empty, and
// stands for all.
type place struct{ server, role, manner string }

// group is the name over the columns that differ only in manner.
func (p place) group() string { return strings.TrimSpace(p.server + " " + p.role) }

type cell struct {
	cut string
	at  place
}

// mostColumns is how many columns the figure has room for.
const mostColumns = 12

// measureFaultMap counts what was struck, as finely as there is room for.
func measureFaultMap(run *history.Run, arm *history.Arm) *faultMap {
	m := &faultMap{run: run, arm: arm}
	struck, stray := hits(run, arm)
	m.stray = stray
	ops := asked(run, arm)
	for _, op := range ops {
		if len(struck[op.Op]) > 0 {
			m.struck.add(opFailed(op.Told))
		}
	}
	for _, by := range []func(strike) place{
		func(s strike) place { return place{s.server, string(s.role), s.manner} },
		func(s strike) place { return place{"", string(s.role), s.manner} },
		func(s strike) place { return place{s.server, "", s.manner} },
		func(s strike) place { return place{"", "", s.manner} },
	} {
		m.fill(ops, struck, by)
		if len(m.places) <= mostColumns {
			break
		}
	}
	return m
}

// fill counts every operation once in each cell in which it was struck.
func (m *faultMap) fill(ops []*history.Op, struck map[string][]strike, by func(strike) place) {
	m.cells, m.cuts, m.places = map[cell]ratio{}, nil, nil
	for _, op := range ops {
		seen := map[cell]bool{}
		for _, s := range struck[op.Op] {
			at := cell{s.cut, by(s)}
			if seen[at] {
				continue
			}
			seen[at] = true
			r := m.cells[at]
			r.add(opFailed(op.Told))
			m.cells[at] = r
		}
	}
	for at := range m.cells {
		if !slices.Contains(m.cuts, at.cut) {
			m.cuts = append(m.cuts, at.cut)
		}
		if !slices.Contains(m.places, at.at) {
			m.places = append(m.places, at.at)
		}
	}
	slices.SortFunc(m.cuts, compareCuts)
	slices.SortFunc(m.places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.role, b.role), cmp.Compare(a.manner, b.manner))
	})
}

// worst is the cell with the highest share of failures; of equal ones that with the
// most operations, and then the first.
func (m *faultMap) worst() (at cell, r ratio) {
	for _, cut := range m.cuts {
		for _, p := range m.places {
			one, struck := m.cells[cell{cut, p}]
			if !struck || one.share() < r.share() || one.share() == r.share() && one.of <= r.of {
				continue
			}
			at, r = cell{cut, p}, one
		}
	}
	return at, r
}

// share is the rate of failures; of nothing it is 0.
func (r ratio) share() float64 {
	if r.of == 0 {
		return 0
	}
	return float64(r.failed) / float64(r.of)
}

func (m *faultMap) title() string {
	at, r := m.worst()
	if r.failed == 0 {
		return fmt.Sprintf("None of %s that a fault struck failed, whatever the fault", count(m.struck.of, "operation"))
	}
	if m.struck.failed == m.struck.of && len(m.cells) > 1 {
		return fmt.Sprintf("All %s that a fault struck failed, whatever the fault", count(m.struck.of, "operation"))
	}
	if len(m.cells) == 1 {
		return fmt.Sprintf("%s failed %s of %s that it struck", at.name(), thousands(r.failed), count(r.of, "operation"))
	}
	return fmt.Sprintf("%s failed %s of %s that it struck (%s); all faults together %s", at.name(), thousands(r.failed),
		count(r.of, "operation"), percent(r.failed, r.of), percent(m.struck.failed, m.struck.of))
}

// name is the fault and its place: "C4 rst on sim call".
func (c cell) name() string {
	text := c.cut
	if c.at.manner != toxicManner {
		text += " " + c.at.manner
	}
	if group := c.at.group(); group != "" {
		text += " on " + group
	}
	return text
}

func (m *faultMap) subtitle() string {
	return dots(armName(m.run, m.arm), "Share that failed of the operations that a fault struck", "by fault and place",
		"n = "+count(m.struck.of, "operation"))
}

func (m *faultMap) note() string {
	dash, stray := "", ""
	if len(m.cells) < len(m.cuts)*len(m.places) {
		dash = "– is where no such fault struck"
	}
	if m.stray > 0 {
		stray = count(m.stray, "fault") + " struck no operation"
	}
	return dots("Struck by several: counted in each cell", dash, stray)
}

func (m *faultMap) alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s.", m.title(), m.subtitle())
	for _, cut := range m.cuts {
		for _, p := range m.places {
			if r, struck := m.cells[cell{cut, p}]; struck {
				fmt.Fprintf(&b, " %s: %s of %s failed.", cell{cut, p}.name(), thousands(r.failed), thousands(r.of))
			}
		}
	}
	return b.String()
}
