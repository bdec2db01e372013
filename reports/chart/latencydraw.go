package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// The layout of the latency figure, in points.
const (
	latencyHeight = 5.2 * vg.Inch
	latencyRight  = 500
	latencyKey    = latencyRight + 18
	latencyFoot   = 55
)

// look is how a line is told from the others, also without colour.
type look struct {
	stroke color.Color
	width  vg.Length
	dash   string // a key of dashPatterns
}

var dashPatterns = map[string][]vg.Length{"dashed": {6, 3}, "dotted": {1.6, 2.6}}

var (
	looks       = [3]look{{blue, 1.5, ""}, {vermilion, 2.3, ""}, {green, 1.7, "dashed"}}
	lookControl = look{grey, 1.5, "dotted"}
)

func (s *surface) stroke(l look, points ...vg.Point) {
	if pattern := dashPatterns[l.dash]; pattern != nil {
		s.dashes(l.stroke, l.width, pattern, points...)
		return
	}
	s.line(l.stroke, l.width, points...)
}

// nines puts a share on an axis on which 90, 99 and 99.9 % are equally far apart.
func nines(q float64) float64 { return -math.Log10(1 - q) }

// topNines is the upper end of that axis: 99.9 %, and a little above it.
const topNines = 3.08

func (l *latencies) draw(s *surface) {
	top := s.headerNoted(l.title(), l.subtitle(), l.note()) - 20
	s.footer(footer(l.run, ""))
	s.text(nameFace, ink, left, margin, top, "Operations answered")
	p := &panel{surface: s, x0: plotLeft, x1: latencyRight, y0: latencyFoot, y1: top - 12}
	p.x, p.y = l.scales()
	l.drawGrid(p)
	for i := len(l.lines) - 1; i >= 0; i-- {
		if line := &l.lines[i]; line.look != looks[phaseDuring] {
			p.stroke(line.look, line.curve(p)...)
		}
	}
	if line := l.line("during the faults"); line != nil { // on top
		p.stroke(line.look, line.curve(p)...)
	}
	l.drawKeys(p)
}

// scales are the axes that hold every line.
func (l *latencies) scales() (x, y scale) {
	low, high := never, 0.0
	for i := range l.lines {
		if took := l.lines[i].took; len(took) > 0 {
			low, high = min(low, l.lines[i].at(0.02)), max(high, took[len(took)-1])
		}
	}
	y = scale{max: topNines, ticks: []tick{{0, "0%"}}}
	for _, level := range levels {
		y.ticks = append(y.ticks, tick{nines(level.q), level.name})
	}
	return latencyScale(low, high), y
}

// drawGrid is the axes with light lines upwards too: here both are read.
func (l *latencies) drawGrid(p *panel) {
	for _, t := range p.x.ticks {
		x := p.x.at(t.value, p.x0, p.x1)
		p.line(grid, 0.6, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y1})
	}
	p.axes("Time to the answer (log scale)", true)
}

// A curve has so many points for each tenfold of rareness, and so many at most.
const (
	curveSteps  = 60
	curvePoints = 3*curveSteps + 5
)

// curve traces a line from its fastest operation up, as far as there is one operation
// beyond the level or, where some failed, to the last that was answered.
func (l *quantiled) curve(p *panel) []vg.Point {
	var points []vg.Point
	for k := range curvePoints {
		level := float64(k) / curveSteps
		q := 1 - math.Pow(10, -level)
		v := l.at(q)
		if v == never || k > 0 && !l.tells(q) {
			break
		}
		points = append(points, p.at(v, level))
	}
	return points
}

// drawKeys explains the lines beside the plot, each with its median, the highest
// level that it is enough for, and how many failed.
func (l *latencies) drawKeys(p *panel) {
	y := p.y1 - 6
	for i := range l.lines {
		line := &l.lines[i]
		p.stroke(line.look, vg.Point{X: latencyKey, Y: y + 3}, vg.Point{X: latencyKey + 18, Y: y + 3})
		p.text(nameFace, ink, left, latencyKey+23, y, line.name)
		for _, level := range levels {
			if level != levels[0] && level.q != telling(line) {
				continue // it is read off the plot
			}
			y -= 11.5
			p.text(tickFace, soft, right, latencyKey+52, y, level.name)
			p.text(tickFace, ink, left, latencyKey+58, y, within(line.at(level.q)))
		}
		y -= 11.5
		p.text(tickFace, soft, right, latencyKey+52, y, "failed")
		p.text(tickFace, ink, left, latencyKey+58, y, thousands(line.of-len(line.took))+" of "+thousands(line.of))
		y -= 20
	}
}
