package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// The layout of a timeline, in points.
const (
	plotLeft    = 54
	plotRight   = 552
	keyLeft     = plotRight + 8
	axisRoom    = 55 // from the lower edge to the lowest panel
	panelGap    = 36
	laneHeight  = 12
	laneGap     = 2
	mostLanes   = 3
	densityRoom = 20
	nameGap     = 14 // below the name of a panel without strips
	stripGap    = 6  // between the name of a panel and its strips
)

// Timeline draws one arm of a run over the seconds since its start: how many
// attempts and operations failed, above the latency of the operations that
// succeeded, with the faults over both. Everything counts in the bin in which it
// ended. The errors are ErrNoArm and ErrNoAttempts.
func Timeline(run *history.Run, o Options) (*Figure, error) {
	arm, err := find(run, o.Arm)
	if err != nil {
		return nil, err
	}
	m, err := measure(run, arm)
	if err != nil {
		return nil, err
	}
	for _, row := range o.Arms {
		if row.Arm == arm.Name {
			m.replayed = row.Replayed.Count
		}
	}
	return &Figure{
		title: m.title(), alt: m.alt(),
		width: figureWidth, height: figureHeight,
		draw: m.draw,
	}, nil
}

// draw lays the whole timeline out, from the top and from the bottom inwards.
func (m *measures) draw(s *surface) {
	top := s.header(m.title(), m.subtitle())
	s.footer(m.footer())

	rows := lanes(m.faults.windows, mostLanes)
	top -= 20
	s.text(nameFace, ink, left, margin, top, "Error rate")
	top -= max(nameGap, m.stripsHeight(rows)+stripGap)
	height := (top - axisRoom - panelGap) / 2

	across := timeScale(m.length.Seconds())
	upper := &panel{surface: s, x0: plotLeft, x1: plotRight, y0: top - height, y1: top, x: across}
	lower := &panel{surface: s, x0: plotLeft, x1: plotRight, y0: axisRoom, y1: axisRoom + height, x: across}
	for _, w := range m.faults.windows {
		ground, edge := w.colors()
		upper.bandAt(ground, edge, w.from, w.to)
		lower.bandAt(ground, edge, w.from, w.to)
	}
	m.drawLanes(upper, rows)
	m.drawErrors(upper)
	s.text(nameFace, ink, left, margin, lower.y1+11, "Latency of successful operations (log scale)")
	m.drawLatency(lower)
}

// stripsHeight is the room that everything above the upper panel takes.
func (m *measures) stripsHeight(rows [][]window) vg.Length {
	height := vg.Length(len(rows)) * laneHeight
	if m.faults.scattered.n > 0 {
		height += densityRoom
	}
	return height
}

// colors are a window's: what heals must not look like what breaks.
func (w *window) colors() (ground, edge color.Color) {
	if w.heal != nil {
		return healBand, healStrip
	}
	return band, strip
}

// drawLanes names the fault windows above the upper panel, and shows faults that
// have no window as a density over them.
func (m *measures) drawLanes(p *panel, rows [][]window) {
	y := p.y1
	for i := len(rows) - 1; i >= 0; i-- {
		for n := range rows[i] {
			end := p.x1
			if n+1 < len(rows[i]) {
				end = p.x.at(rows[i][n+1].from, p.x0, p.x1)
			}
			p.drawStrip(&rows[i][n], y, end)
		}
		y += laneHeight
	}
	if m.faults.scattered.n > 0 {
		m.drawDensity(p, y+2)
	}
}

// drawStrip draws one window's strip with its name in it or, where that has no room,
// behind it: up to end, where the next one begins.
func (p *panel) drawStrip(w *window, y, end vg.Length) {
	const least = 2 // of a burst, which takes no time
	x0, x1 := p.x.at(w.from, p.x0, p.x1), p.x.at(w.to, p.x0, p.x1)
	x1 = max(x1, x0+least)
	_, edge := w.colors()
	p.rect(edge, x0, y, x1, y+laneHeight-laneGap/2)
	plain, counted := w.name()
	for _, name := range []string{counted, plain} {
		switch width := stripFace.width(name); {
		case width <= x1-x0-4:
			p.text(stripFace, stripInk, center, (x0+x1)/2, y+2.8, name)
			return
		case width <= end-x1-6:
			p.text(stripFace, stripInk, left, x1+3, y+2.8, name)
			return
		}
	}
	if x1-x0 >= end-x1 {
		p.text(stripFace, stripInk, center, (x0+x1)/2, y+2.8, fit(stripFace, plain, x1-x0-4))
		return
	}
	p.text(stripFace, stripInk, left, x1+3, y+2.8, fit(stripFace, plain, end-x1-6))
}

// drawDensity shows, bin by bin, how many faults without a window were delivered.
func (m *measures) drawDensity(p *panel, y vg.Length) {
	const height = 6
	most := slices.Max(m.faults.byBin)
	for n, hits := range m.faults.byBin {
		if hits > 0 {
			x0, x1 := p.x.at(m.edge(n), p.x0, p.x1), p.x.at(m.edge(n+1), p.x0, p.x1)
			share := math.Sqrt(float64(hits) / float64(most))                     // a crowd at the start must not hide the rest
			p.rect(blend(band, dense, share), x0, y, min(x1+0.4, p.x1), y+height) // no seam between neighbours
		}
	}
	p.text(stripFace, stripInk, left, p.x0, y+height+3, fit(stripFace, m.faults.allAlong(), p.x1-p.x0))
}

func (m *measures) drawErrors(p *panel) {
	p.y = rateScale(highest(m.attemptRates, m.opRates), 0.1)
	p.axes("", false)
	p.area(m.clock, m.opRates, vermilionTint)
	p.steps(m.clock, m.attemptRates, grey, 1.3)
	p.steps(m.clock, m.opRates, vermilion, 1.9)

	y := p.y1 - 10
	p.key(y, grey, nil, 1.3, "attempts", percent(m.attempts.failed, m.attempts.of)+" failed")
	p.key(y-32, vermilion, vermilionTint, 1.9, "operations", percent(m.ops.failed, m.ops.of)+" failed")
}

// key explains a line in the right margin, with a number under its name.
func (p *panel) key(y vg.Length, stroke, fill color.Color, width vg.Length, name, value string) {
	if fill != nil {
		p.rect(fill, keyLeft, y-4, keyLeft+14, y+3)
	}
	p.line(stroke, width, vg.Point{X: keyLeft, Y: y + 3}, vg.Point{X: keyLeft + 14, Y: y + 3})
	p.text(nameFace, ink, left, keyLeft+19, y, name)
	p.text(tickFace, soft, left, keyLeft+19, y-11, value)
}

func (m *measures) drawLatency(p *panel) {
	lines := []struct {
		name   string
		series series
		color  color.Color
		text   color.Color
		width  vg.Length
	}{
		{"p99", m.p99, blue, blue, 1.9},
		{"p95", m.p95, blueMiddle, blueText, 1.4},
		{"p50", m.p50, bluePale, blueText, 1.4},
	}
	if m.succeeded == 0 {
		p.y = latencyScale(0.001, 1)
		p.axes("Seconds since start", true)
		p.text(tickFace, soft, center, (p.x0+p.x1)/2, (p.y0+p.y1)/2, "no operation succeeded")
		return
	}
	p.y = latencyScale(lowest(m.p50), highest(m.p99))
	p.axes("Seconds since start", true)
	for _, l := range slices.Backward(lines) { // the darkest lies on top
		p.steps(m.clock, l.series, l.color, l.width)
	}
	var labels []label
	for _, l := range lines {
		labels = append(labels, label{l.name, l.text, p.y.at(l.series.last(), p.y0, p.y1) - 3.3})
	}
	spread(labels, p.y0-3, p.y1-6, 12)
	for _, l := range labels {
		p.text(nameFace, l.color, left, keyLeft, l.y, l.text)
	}
}

// alt describes the timeline in words.
func (m *measures) alt() string {
	return fmt.Sprintf("%s. %s. Two panels over %s since the start: the error rate of attempts and of operations, "+
		"and the p50, p95 and p99 latency of successful operations. %s of attempts and %s of operations failed.%s%s",
		m.title(), m.subtitle(), seconds(m.length), percent(m.attempts.failed, m.attempts.of), percent(m.ops.failed, m.ops.of),
		m.peak(), m.faults.alt())
}

// peak says where the error rate of attempts was highest.
func (m *measures) peak() string {
	at, most := 0, 0.0
	for n, rate := range m.attemptRates {
		if rate > most {
			at, most = n, rate
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf(" The error rate of attempts is highest at %s s: %s.", number(m.edge(at)), share(most))
}

// spokenWindows is how many windows a description names.
const spokenWindows = 12

// alt says when faults acted.
func (f *faults) alt() string {
	var b strings.Builder
	for i := range f.windows {
		if i == spokenWindows {
			fmt.Fprintf(&b, " And %s more.", count(len(f.windows)-i, "window"))
			break
		}
		w := &f.windows[i]
		_, name := w.name()
		if w.from == w.to {
			fmt.Fprintf(&b, " At %s s: %s.", number(w.from), name)
			continue
		}
		fmt.Fprintf(&b, " From %s to %s s: %s.", number(w.from), number(w.to), name)
	}
	if along := f.allAlong(); along != "" {
		fmt.Fprintf(&b, " All along: %s.", along)
	}
	return b.String()
}

// allAlong names the faults that no window bounds.
func (f *faults) allAlong() string {
	scattered := ""
	if f.scattered.n > 0 {
		scattered = f.scattered.name()
	}
	return dots(scattered, list(f.always))
}
