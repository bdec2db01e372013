package chart

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
)

// ErrNoChanges says that a comparison has no rate to draw.
var ErrNoChanges = errors.New("chart: no rates to compare")

// RateChange is one rate of a comparison: what it was, what it is, and the difference
// with its 95 % interval, all as shares.
type RateChange struct {
	Name                  string
	Base, Head            string // the counts: 0 of 512
	Difference, Low, High float64
	// Direction is above zero for one that got worse by more than chance, below zero for
	// one that got better, and zero where there is no evidence of either.
	Direction int
}

// The layout of a chart of changes, in points.
const (
	changesNames  = 150
	changesCounts = 150
	changesPitch  = 22
	changesBase   = 62
)

// Changes draws a comparison: a row for each rate with the interval on its difference,
// grey where chance explains it. title is the finding, and method the subtitle. The
// error is ErrNoChanges.
func Changes(rows []RateChange, title, method, provenance string) (*Figure, error) {
	if len(rows) == 0 {
		return nil, ErrNoChanges
	}
	c := &changes{rows: append([]RateChange(nil), rows...), heading: title, method: method, provenance: provenance}
	height := headerHeight(title) + 30 + changesPitch*vg.Length(len(rows)) + changesBase
	return &Figure{title: title, alt: c.alt(), width: figureWidth, height: height, draw: c.draw}, nil
}

// WriteChanges draws a comparison into a folder, as compare.png and compare.svg, and
// returns the paths that it wrote.
func WriteChanges(rows []RateChange, title, method, provenance, dir string) ([]string, error) {
	figure, err := Changes(rows, title, method, provenance)
	if err != nil {
		return nil, err
	}
	return figure.WriteFiles(filepath.Join(dir, "compare"))
}

type changes struct {
	rows                        []RateChange
	heading, method, provenance string
}

// bothWays is an axis around zero that holds every interval, in percentage points.
func (c *changes) bothWays() scale {
	reach := 0.0
	for _, r := range c.rows {
		reach = max(reach, math.Abs(r.Low), math.Abs(r.High))
	}
	half := rateScale(reach, 0.02)
	s := scale{min: -half.max, max: half.max}
	for n := len(half.ticks) - 1; n > 0; n-- {
		s.ticks = append(s.ticks, tick{-half.ticks[n].value, "−" + pointsOf(half.ticks[n].value)})
	}
	for n, t := range half.ticks {
		label := "0"
		if n > 0 {
			label = "+" + pointsOf(t.value)
		}
		s.ticks = append(s.ticks, tick{t.value, label})
	}
	return s
}

func pointsOf(v float64) string { return number(math.Round(v*1000)/10) + " pp" }

func (c *changes) draw(s *surface) {
	top := s.header(c.heading, c.method) - 30
	s.footer(c.provenance)
	p := &panel{surface: s, x0: margin + changesNames, x1: s.width - margin - changesCounts, y0: changesBase, y1: top, x: c.bothWays()}
	for _, t := range p.x.ticks {
		x := p.x.at(t.value, p.x0, p.x1)
		stroke := grid
		if t.value == 0 {
			stroke = axis
		}
		p.line(stroke, 0.75, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y1})
		p.text(tickFace, soft, center, x, p.y0-13, t.label)
	}
	p.text(tickFace, soft, center, (p.x0+p.x1)/2, p.y0-27, "Change of the rate, head less base")
	s.text(nameFace, ink, left, p.x1+14, top+8, "base → head")
	for i, r := range c.rows {
		c.row(p, r, top-changesPitch*(vg.Length(i)+0.5))
	}
}

func (c *changes) row(p *panel, r RateChange, y vg.Length) {
	stroke := grey
	switch {
	case r.Direction > 0:
		stroke = vermilion
	case r.Direction < 0:
		stroke = blue
	}
	low, high := p.x.at(r.Low, p.x0, p.x1), p.x.at(r.High, p.x0, p.x1)
	p.line(stroke, 1.4, vg.Point{X: low, Y: y}, vg.Point{X: high, Y: y})
	for _, x := range []vg.Length{low, high} {
		p.line(stroke, 1.4, vg.Point{X: x, Y: y - 3}, vg.Point{X: x, Y: y + 3})
	}
	at := vg.Point{X: p.x.at(r.Difference, p.x0, p.x1), Y: y}
	p.dot(paper, 4.6, at)
	p.dot(stroke, 3.5, at)
	p.text(nameFace, ink, left, margin, y-3.3, fit(nameFace, r.Name, changesNames-8))
	p.text(tickFace, soft, left, p.x1+14, y-3.3, fit(tickFace, r.Base+" → "+r.Head, changesCounts-14))
}

// alt describes the rows in words.
func (c *changes) alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s.", c.heading, c.method)
	for _, r := range c.rows {
		word := "no evidence of change"
		switch {
		case r.Direction > 0:
			word = "worse"
		case r.Direction < 0:
			word = "better"
		}
		fmt.Fprintf(&b, " %s: %s, then %s: %s.", r.Name, r.Base, r.Head, word)
	}
	return b.String()
}
