package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// The layout of the fault map, in points.
const (
	mapLeft    = 150
	mapPitch   = 31 // of a row
	mapWidest  = 84 // of a column
	mapGap     = 2  // between cells
	mapBetween = 10 // between groups of columns
	mapHead    = 56 // from the note to the first row
	mapFoot    = 34 // from the lower edge to the last row, without the ramp
	rampRoom   = 24
)

// The ends of the ramp, of one hue. What did not fail at all is paler than any share.
var (
	rampNone = rgb(0xFBF5F1)
	rampLow  = rgb(0xF7DFD0)
	rampHigh = rgb(0xA83E00)
)

// FaultMap draws which faults did harm: a cell for each kind of fault and each place
// where it struck, with the share of the operations struck there that failed. A
// dash is where none was. The errors are ErrNoArm, and ErrNoData where no fault
// struck an operation.
func FaultMap(run *history.Run, o Options) (*Figure, error) {
	arm, err := find(run, o.Arm)
	if err != nil {
		return nil, err
	}
	m := measureFaultMap(run, arm)
	if m.struck.of == 0 {
		return nil, fmt.Errorf("%w: no fault struck an operation of arm %q", ErrNoData, arm.Name)
	}
	return &Figure{
		title: m.title(), alt: m.alt(),
		width: figureWidth, height: headerHeight(m.title()) + noteDrop + mapHead + mapPitch*vg.Length(len(m.cuts)) + m.foot(),
		draw: m.draw,
	}, nil
}

// foot is the room under the last row.
func (m *faultMap) foot() vg.Length {
	if m.struck.failed == 0 {
		return mapFoot
	}
	return mapFoot + rampRoom
}

func (m *faultMap) draw(s *surface) {
	note := s.headerNoted(m.title(), m.subtitle(), m.note())
	top := note - mapHead
	most := m.top()
	columns := m.columns()
	for i, cut := range m.cuts {
		y := top - mapPitch*(vg.Length(i)+0.5)
		name := fit(nameFace, cut, mapLeft-margin-12)
		s.text(nameFace, ink, left, margin, y-3.3, name)
		after := margin + max(nameFace.width(name)+6, 24)
		s.text(tickFace, soft, left, after, y-3.3, fit(tickFace, cutWords[cut], mapLeft-8-after))
		for n, at := range m.places {
			r, struck := m.cells[cell{cut, at}]
			s.cell(columns[n], y, r, struck, most)
		}
	}
	m.drawColumnNames(s, columns, top)
	m.drawRamp(s, most)
	s.footer(footer(m.run, ""))
}

// extent is where a column lies.
type extent struct{ x0, x1 vg.Length }

// columns places the columns, with room between groups.
func (m *faultMap) columns() []extent {
	groups := 0
	for n, at := range m.places {
		if n > 0 && at.group() != m.places[n-1].group() {
			groups++
		}
	}
	width := (figureWidth - margin - mapLeft - mapBetween*vg.Length(groups)) / vg.Length(len(m.places))
	width = min(width, mapWidest)
	var out []extent
	x := vg.Length(mapLeft)
	for n, at := range m.places {
		if n > 0 && at.group() != m.places[n-1].group() {
			x += mapBetween
		}
		out = append(out, extent{x, x + width - mapGap})
		x += width
	}
	return out
}

// drawColumnNames writes manners over their columns, and over them, with a line,
// where they struck.
func (m *faultMap) drawColumnNames(s *surface, columns []extent, top vg.Length) {
	for n := 0; n < len(columns); {
		last := n
		for last+1 < len(columns) && m.places[last+1].group() == m.places[n].group() {
			last++
		}
		x0, x1 := columns[n].x0, columns[last].x1
		if name := m.places[n].group(); name != "" {
			s.groupName(name, x0, x1, top+22)
		}
		for i := n; i <= last; i++ {
			at := columns[i]
			s.text(tickFace, soft, center, (at.x0+at.x1)/2, top+6, fit(tickFace, m.places[i].manner, at.x1-at.x0))
		}
		n = last + 1
	}
}

// groupName writes a name over a line, in two lines where one has no room.
func (s *surface) groupName(name string, x0, x1, y vg.Length) {
	s.line(axis, 0.75, vg.Point{X: x0, Y: y - 5}, vg.Point{X: x1, Y: y - 5})
	lines := wrap(nameFace, name, x1-x0)
	for i, line := range lines {
		s.text(nameFace, ink, center, (x0+x1)/2, y+11*vg.Length(len(lines)-1-i), line)
	}
}

// top is the share at the dark end of the ramp: the highest that occurs, and not
// less than a tenth, so that a little does not look like much.
func (m *faultMap) top() float64 {
	_, r := m.worst()
	return max(r.share(), 0.1)
}

// heat is the colour of a cell, and the ink that can be read on it.
func heat(r ratio, most float64) (fill, text color.RGBA) {
	if r.failed == 0 {
		return rampNone, soft
	}
	t := r.share() / most
	fill, text = blend(rampLow, rampHigh, t), ink
	if t > 0.55 {
		text = paper
	}
	return fill, text
}

// cell draws one cell with its numbers, or a dash.
func (s *surface) cell(at extent, y vg.Length, r ratio, struck bool, most float64) {
	x := (at.x0 + at.x1) / 2
	if !struck {
		s.text(tickFace, axis, center, x, y-3.2, "–")
		return
	}
	fill, text := heat(r, most)
	s.rect(fill, at.x0, y-mapPitch/2+mapGap/2, at.x1, y+mapPitch/2-mapGap/2)
	width := at.x1 - at.x0 - 4
	s.text(nameFace, text, center, x, y+0.8, fit(nameFace, percent(r.failed, r.of), width))
	of := thousands(r.failed) + " of " + thousands(r.of)
	if footerFace.width(of) > width {
		of = thousands(r.of)
	}
	s.text(footerFace, text, center, x, y-9.2, fit(footerFace, of, width))
}

// drawRamp explains the colours, where there are any.
func (m *faultMap) drawRamp(s *surface, most float64) {
	if m.struck.failed == 0 {
		return
	}
	const y, height, width, steps = 34, 8, 110, 55
	x := vg.Length(mapLeft)
	s.text(tickFace, soft, right, x-8, y+0.6, "share that failed")
	s.rect(rampNone, x, y, x+width/10, y+height)
	from := x + width/10 + 1
	for i := range steps {
		w := (x + width - from) / steps
		x0 := from + w*vg.Length(i)
		s.rect(blend(rampLow, rampHigh, (float64(i)+0.5)/steps), x0, y, min(x0+w+0.4, x+width), y+height)
	}
	s.text(tickFace, soft, left, x+width+6, y+0.6, "0% to "+share(most))
}
