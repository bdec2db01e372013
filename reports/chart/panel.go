package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// panel is one plot: a rectangle of the surface with a scale on each side.
type panel struct {
	*surface
	x0, x1, y0, y1 vg.Length
	x, y           scale
}

// at is the place of a point of data.
func (p *panel) at(x, y float64) vg.Point {
	return vg.Point{X: p.x.at(x, p.x0, p.x1), Y: p.y.at(y, p.y0, p.y1)}
}

// bandAt shades a stretch of time over the panel's whole height.
func (p *panel) bandAt(ground, edge color.Color, from, to float64) {
	x0, x1 := p.x.at(from, p.x0, p.x1), p.x.at(to, p.x0, p.x1)
	p.rect(ground, x0, p.y0, x1, p.y1)
	for _, x := range []vg.Length{x0, x1} {
		p.line(edge, 0.75, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y1})
	}
}

// axes draws the horizontal grid with its labels, and the time axis, whose labels
// only the lowest panel has.
func (p *panel) axes(name string, labelled bool) {
	for _, t := range p.y.ticks {
		y := p.y.at(t.value, p.y0, p.y1)
		p.line(grid, 0.6, vg.Point{X: p.x0, Y: y}, vg.Point{X: p.x1, Y: y})
		p.text(tickFace, soft, right, p.x0-6, y-3.2, t.label)
	}
	p.line(axis, 0.75, vg.Point{X: p.x0, Y: p.y0}, vg.Point{X: p.x1, Y: p.y0})
	for _, t := range p.x.ticks {
		x := p.x.at(t.value, p.x0, p.x1)
		p.line(axis, 0.75, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y0 - 3.5})
		if labelled {
			p.text(tickFace, soft, center, x, p.y0-13, t.label)
		}
	}
	if labelled {
		p.text(tickFace, soft, center, (p.x0+p.x1)/2, p.y0-26, name)
	}
}

// steps draws a series as a step line.
func (p *panel) steps(c clock, s series, stroke color.Color, width vg.Length) {
	for _, points := range p.segments(c, s) {
		p.line(stroke, width, points...)
	}
}

// area fills what is between a step line and the time axis.
func (p *panel) area(c clock, s series, fill color.Color) {
	for _, points := range p.segments(c, s) {
		first, last := points[0], points[len(points)-1]
		p.fill(fill, append(points, vg.Point{X: last.X, Y: p.y0}, vg.Point{X: first.X, Y: p.y0}))
	}
}

// segments traces a step line: two points a bin. A bin without a value is a gap,
// so a line may come in several parts.
func (p *panel) segments(c clock, s series) [][]vg.Point {
	var parts [][]vg.Point
	gap := true
	for n, v := range s {
		if math.IsNaN(v) {
			gap = true
			continue
		}
		if gap {
			parts = append(parts, nil)
			gap = false
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], p.at(c.edge(n), v), p.at(c.edge(n+1), v))
	}
	return parts
}

// label is a text beside the end of a line.
type label struct {
	text  string
	color color.Color
	y     vg.Length
}

// spread pushes labels apart, in their order from the top, until neighbours are
// at least gap apart and all lie between low and high.
func spread(labels []label, low, high, gap vg.Length) {
	for i := range labels {
		labels[i].y = min(labels[i].y, high-gap*vg.Length(i))
		if i > 0 {
			labels[i].y = min(labels[i].y, labels[i-1].y-gap)
		}
	}
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].y = max(labels[i].y, low+gap*vg.Length(len(labels)-1-i))
	}
}
