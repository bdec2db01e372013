package chart

import (
	"image/color"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"

	"mcpstorm/reports/safe"
)

// surface is what figures are drawn on. Its origin is the lower left corner and
// its unit the point, as in package vg. Unlike gonum's plots it takes text by its
// baseline, so every text has a place that is known beforehand.
type surface struct {
	vg.Canvas
	width, height vg.Length
}

// align is the side of a text that its place means.
type align int

const (
	left align = iota
	center
	right
)

// text writes one line with its baseline at y, made harmless.
func (s *surface) text(f typeface, c color.Color, a align, x, y vg.Length, text string) {
	text = safe.Text(text)
	if text == "" {
		return
	}
	switch a {
	case center:
		x -= f.width(text) / 2
	case right:
		x -= f.width(text)
	}
	s.SetColor(c)
	s.FillString(f.face(), vg.Point{X: x, Y: y}, text)
}

// rect fills a rectangle given by two opposite corners.
func (s *surface) rect(c color.Color, x0, y0, x1, y1 vg.Length) {
	s.fill(c, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

func (s *surface) fill(c color.Color, points []vg.Point) {
	path := trace(points)
	path.Close()
	s.SetColor(c)
	s.Fill(path)
}

// line strokes straight lines from point to point.
func (s *surface) line(c color.Color, width vg.Length, points ...vg.Point) {
	s.SetColor(c)
	s.SetLineWidth(width)
	s.Stroke(trace(points))
}

// dashes strokes a line in dashes, given as lengths of what is drawn and left out.
func (s *surface) dashes(c color.Color, width vg.Length, pattern []vg.Length, points ...vg.Point) {
	s.SetLineDash(pattern, 0)
	s.line(c, width, points...)
	s.SetLineDash(nil, 0)
}

// dot fills a circle.
func (s *surface) dot(c color.Color, radius vg.Length, at vg.Point) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	s.SetColor(c)
	s.Fill(path)
}

func trace(points []vg.Point) vg.Path {
	var path vg.Path
	for i, p := range points {
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	return path
}

const ellipsis = "…"

// fit shortens a text to a width, and ends it with "…" where something is gone.
// Where not even one letter has room it is empty.
func fit(f typeface, text string, width vg.Length) string {
	text = safe.Text(text)
	if f.width(text) <= width {
		return text
	}
	letters := []rune(text)
	short := func(n int) string { return strings.TrimRight(string(letters[:n]), " ,·–") + ellipsis }
	n := sort.Search(len(letters), func(n int) bool { return f.width(short(n)) > width }) - 1
	if n < 1 {
		return ""
	}
	return short(n)
}

// wrap breaks a text at spaces into at most two lines of a width. The lines come
// out about as long as one another; what does not fit the second is shortened.
func wrap(f typeface, text string, width vg.Length) []string {
	text = safe.Text(text)
	if f.width(text) <= width {
		return []string{text}
	}
	best, rest, longest := fit(f, text, width), "", vg.Length(math.Inf(1))
	for i, letter := range text {
		if letter != ' ' {
			continue
		}
		first, second := text[:i], text[i+1:]
		if f.width(first) > width {
			break
		}
		if inQuantity(first, second) {
			continue
		}
		if w := max(f.width(first), f.width(second)); w < longest {
			best, rest, longest = first, second, w
		}
	}
	if rest == "" {
		return []string{best}
	}
	return []string{best, fit(f, rest, width)}
}

// inQuantity reports whether a break would part a number from its unit.
func inQuantity(first, second string) bool {
	unit, _, _ := strings.Cut(second, " ")
	switch strings.TrimRight(unit, ",;.") {
	case "s", "ms", "µs", "min":
		return first != "" && first[len(first)-1] >= '0' && first[len(first)-1] <= '9'
	}
	return false
}
