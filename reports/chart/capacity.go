package chart

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
)

// ErrNoLevels says that a capacity curve has no level that was measured.
var ErrNoLevels = errors.New("chart: no levels to draw")

// CapacityLevel is one objective at one level of concurrency.
type CapacityLevel struct {
	Concurrency int
	// Value is a share, or seconds; Low and High are its 95 % interval, and High +Inf
	// where there is no upper end.
	Value, Low, High float64
}

// CapacityCurve is what one policy carries.
type CapacityCurve struct {
	Name   string // empty for the only one
	Levels []CapacityLevel
	// Capacity is the last level up to which every upper bound holds; zero for none.
	// Beyond is true where no level broke.
	Capacity int
	Beyond   bool
}

// CapacityOptions say what a capacity chart is of.
type CapacityOptions struct {
	// Objective is as it was written, and Bound what it holds against: a share, or
	// seconds where Seconds is true.
	Objective string
	Bound     float64
	Seconds   bool
	// Measured is what the vertical axis shows: "Failed rollouts".
	Measured string
	// Method and Provenance are the subtitle and the footer.
	Method, Provenance string
}

// The layout of a capacity chart, in points.
const (
	capacityLeft  = 46
	capacityRight = 528
	capacityBase  = 62
)

// curveColors are those of the curves, in order; beyond them grey.
var curveColors = []struct{ line, tint color.RGBA }{
	{blue, rgb(0xC3DDEC)}, {vermilion, vermilionTint}, {rgb(0x007A5A), rgb(0xC6E2DA)}, {rgb(0x7A4FA3), rgb(0xDDD1E8)},
}

// Capacity draws what policies carry: one objective against the rollouts at once, a
// curve and a band of 95 % intervals for each policy, the objective dashed, and each
// capacity dropped to the axis. The error is ErrNoLevels. The curves are not kept.
func Capacity(curves []CapacityCurve, o CapacityOptions) (*Figure, error) {
	c := &capacity{options: o}
	for _, curve := range curves {
		if len(curve.Levels) > 0 {
			c.curves = append(c.curves, curve)
		}
	}
	if len(c.curves) == 0 {
		return nil, ErrNoLevels
	}
	c.fix()
	return &Figure{title: c.title(), alt: c.alt(), width: figureWidth, height: figureHeight, draw: c.draw}, nil
}

// WriteCapacity draws a capacity chart into a folder, as capacity.png and
// capacity.svg, and returns the paths that it wrote.
func WriteCapacity(curves []CapacityCurve, o CapacityOptions, dir string) ([]string, error) {
	figure, err := Capacity(curves, o)
	if err != nil {
		return nil, err
	}
	return figure.WriteFiles(filepath.Join(dir, "capacity"))
}

type capacity struct {
	curves  []CapacityCurve
	options CapacityOptions
	x, y    scale
}

// fix lays the two axes.
func (c *capacity) fix() {
	low, high, top, bottom := math.MaxInt, 1, c.options.Bound, c.options.Bound
	for _, curve := range c.curves {
		for _, l := range curve.Levels {
			low, high = min(low, l.Concurrency), max(high, l.Concurrency)
			top, bottom = max(top, l.Value), min(bottom, l.Value)
			if !math.IsInf(l.High, 1) {
				top = max(top, l.High)
			}
		}
	}
	c.x = octaves(low, high)
	if c.options.Seconds {
		c.y = latencyScale(bottom, top)
	} else {
		c.y = rateScale(top, min(2*c.options.Bound, 1))
	}
}

// octaves is a logarithmic axis with a tick at every power of two, and at the ends of
// what was tried where they are none.
func octaves(low, high int) scale {
	if high == low {
		high = 2 * low
	}
	s := scale{min: float64(low), max: float64(high), log: true}
	near := func(a, b int) bool { return float64(max(a, b)) < 1.35*float64(min(a, b)) }
	add := func(n int) { s.ticks = append(s.ticks, tick{float64(n), thousands(n)}) }
	add(low)
	for n := 1; n < high; n *= 2 {
		if n > low && !near(n, low) && !near(n, high) {
			add(n)
		}
	}
	add(high)
	return s
}

func (c *capacity) draw(s *surface) {
	top := s.header(c.title(), c.options.Method)
	s.footer(c.options.Provenance)
	p := &panel{surface: s, x0: capacityLeft, x1: capacityRight, y0: capacityBase, y1: top - 36, x: c.x, y: c.y}
	s.text(nameFace, ink, left, margin, top-20, c.options.Measured)
	for i := range c.curves {
		c.band(p, i)
	}
	p.axes("Concurrent rollouts (log scale)", true)
	c.objective(p)
	for i := range c.curves {
		c.line(p, i)
	}
	c.capacities(p)
	c.names(p)
}

func colorsOf(i int) (stroke, tint color.RGBA) {
	if i < len(curveColors) {
		return curveColors[i].line, curveColors[i].tint
	}
	return grey, grid
}

// band fills what lies between the ends of the intervals. An open end is the axis'.
func (c *capacity) band(p *panel, i int) {
	_, tint := colorsOf(i)
	var points []vg.Point
	levels := c.curves[i].Levels
	for _, l := range levels {
		points = append(points, p.at(float64(l.Concurrency), l.High))
	}
	for n := len(levels) - 1; n >= 0; n-- {
		points = append(points, p.at(float64(levels[n].Concurrency), levels[n].Low))
	}
	p.fill(tint, points)
}

func (c *capacity) line(p *panel, i int) {
	stroke, _ := colorsOf(i)
	var points []vg.Point
	for _, l := range c.curves[i].Levels {
		points = append(points, p.at(float64(l.Concurrency), l.Value))
	}
	if len(points) > 1 {
		p.line(stroke, 1.9, points...)
	}
	for _, at := range points {
		p.dot(paper, 3.8, at)
		p.dot(stroke, 2.7, at)
	}
}

// objective draws the bound, dashed, with its name at the side where there is room.
func (c *capacity) objective(p *panel) {
	y := p.y.at(c.options.Bound, p.y0, p.y1)
	p.dashes(ink, 1, []vg.Length{4, 3}, vg.Point{X: p.x0, Y: y}, vg.Point{X: p.x1, Y: y})
}

// capacities drops every capacity to the axis. Each has its label on a line of its own
// above the objective.
func (c *capacity) capacities(p *panel) {
	objective := p.y.at(c.options.Bound, p.y0, p.y1)
	y := objective + 6
	p.text(tickFace, ink, left, p.x0+4, y, "objective "+c.bound())
	taken := p.x0 + 4 + tickFace.width("objective "+c.bound()) + 12
	for i, curve := range c.curves {
		if curve.Capacity == 0 {
			continue
		}
		stroke, _ := colorsOf(i)
		x := p.x.at(float64(curve.Capacity), p.x0, p.x1)
		p.dashes(stroke, 1.2, []vg.Length{1.5, 2}, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: objective})
		text := "capacity " + c.carried(curve)
		at := x - nameFace.width(text) - 5 // left of its own curve, which rises behind it
		if at < p.x0+4 {
			at = x + 5
		}
		if at < taken {
			y += 13
		}
		p.text(nameFace, stroke, left, at, y, text)
		taken = at + nameFace.width(text) + 10
	}
}

// names writes every policy beside the end of its curve.
func (c *capacity) names(p *panel) {
	if len(c.curves) == 1 && c.curves[0].Name == "" {
		return
	}
	const gap = 12
	order := make([]int, len(c.curves))
	var labels []label
	for i := range order {
		order[i] = i
	}
	ends := func(i int) vg.Length {
		levels := c.curves[i].Levels
		return p.y.at(levels[len(levels)-1].Value, p.y0, p.y1)
	}
	for n := range order { // by the height of their ends, the highest first
		for m := n; m > 0 && ends(order[m]) > ends(order[m-1]); m-- {
			order[m], order[m-1] = order[m-1], order[m]
		}
	}
	for _, i := range order {
		stroke, _ := colorsOf(i)
		labels = append(labels, label{fit(nameFace, c.curves[i].Name, p.width-margin/2-p.x1-8), stroke, ends(i)})
	}
	spread(labels, p.y0, p.y1, gap)
	for _, l := range labels {
		p.text(nameFace, l.color, left, p.x1+8, l.y-3.3, l.text)
	}
}

// bound is the objective's bound as a reader sees it.
func (c *capacity) bound() string {
	if c.options.Seconds {
		return latency(c.options.Bound)
	}
	return number(100*c.options.Bound) + "%"
}

func (c *capacity) carried(curve CapacityCurve) string {
	if curve.Beyond {
		return thousands(curve.Capacity) + " or more"
	}
	return thousands(curve.Capacity)
}

// title says what each policy carries.
func (c *capacity) title() string {
	var parts []string
	for i, curve := range c.curves {
		name := curve.Name
		switch {
		case name == "":
			name = "The target"
		case i == 0:
			name = capital(name)
		}
		switch {
		case curve.Capacity == 0:
			parts = append(parts, name+" carries none of what was tried")
		case i == 0:
			parts = append(parts, fmt.Sprintf("%s carries %s concurrent rollouts", name, c.carried(curve)))
		default:
			parts = append(parts, fmt.Sprintf("%s carries %s", name, c.carried(curve)))
		}
	}
	return strings.Join(parts, "; ")
}

// alt describes the curves in words, level by level.
func (c *capacity) alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s. Objective: %s.", c.title(), c.options.Method, c.options.Objective)
	for _, curve := range c.curves {
		fmt.Fprintf(&b, " %s by concurrent rollouts", capital(strings.TrimSpace(curve.Name+" "+strings.ToLower(c.options.Measured))))
		for _, l := range curve.Levels {
			value := share(l.Value)
			if c.options.Seconds {
				value = latency(l.Value)
			}
			fmt.Fprintf(&b, ", %s: %s", thousands(l.Concurrency), value)
		}
		b.WriteByte('.')
	}
	return b.String()
}
