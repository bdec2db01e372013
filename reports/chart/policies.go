package chart

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// PolicyRow is one policy's outcome under the faults that all rows share. An
// interval over nothing (Of is 0) was not measured and is shown as such.
type PolicyRow struct {
	// Name is the policy's.
	Name string
	// Of is how many rollouts ran under it.
	Of int
	// Failed is the rate of rollouts that failed, for whatever cause.
	Failed history.Interval
	// SpuriousFailed is the rate of rollouts that failed although nothing real was
	// wrong: neither for a genuine cause nor after an honest unknown.
	SpuriousFailed history.Interval
	// Replays is the rate of operations that were executed twice or more.
	Replays history.Interval
}

// The layout of a comparison, in points.
const (
	rowPitch     = 32
	namesWidth   = 112
	columnGap    = 26
	numberRoom   = 76 // to the right of each column, for the numbers
	policiesBase = 46 // from the lower edge to the lowest row's lower edge
	policiesHead = 34 // from the subtitle to the first row's upper edge
)

// Policies compares retry policies, one row each in the order given: which share
// of rollouts failed spuriously, beside which share of operations
// was executed twice or more, with 95 % intervals. The error is ErrNoRows. The
// rows are copied.
func Policies(rows []PolicyRow, o Options) (*Figure, error) {
	if len(rows) == 0 {
		return nil, ErrNoRows
	}
	if o.Replayed == "" {
		o.Replayed = "operations"
	}
	c := &comparison{rows: append([]PolicyRow(nil), rows...), options: o}
	return &Figure{
		title: c.title(), alt: c.alt(),
		width: figureWidth, height: headerHeight(c.title()) + policiesHead + rowPitch*vg.Length(len(rows)) + policiesBase,
		draw: c.draw,
	}, nil
}

type comparison struct {
	rows    []PolicyRow
	options Options
}

// column is one of the two measured things.
type column struct {
	name  string
	value func(PolicyRow) history.Interval
	floor float64 // the least that the axis reaches to
}

func (c *comparison) columns() [2]column {
	return [2]column{
		{"Rollouts that failed spuriously", func(r PolicyRow) history.Interval { return r.SpuriousFailed }, 0.1},
		{capital(c.options.Replayed) + " executed twice or more", func(r PolicyRow) history.Interval { return r.Replays }, 0.02},
	}
}

func (c *comparison) draw(s *surface) {
	top := s.header(c.title(), c.subtitle()) - policiesHead
	for i, row := range c.rows {
		y := top - rowPitch*(vg.Length(i)+0.5)
		s.text(nameFace, ink, left, margin, y-3.3, fit(nameFace, row.Name, namesWidth-8))
	}
	width := (s.width - 2*margin - namesWidth - columnGap) / 2
	for i, column := range c.columns() {
		x := margin + namesWidth + vg.Length(i)*(width+columnGap)
		p := &panel{surface: s, x0: x, x1: x + width - numberRoom, y0: policiesBase, y1: top}
		c.drawColumn(p, column, x+width)
	}
	s.footer(c.options.Provenance)
}

// drawColumn draws one measured thing for every row; end is where its numbers
// must end.
func (c *comparison) drawColumn(p *panel, column column, end vg.Length) {
	highest := 0.0
	for _, row := range c.rows {
		if v := column.value(row); v.Of > 0 {
			highest = max(highest, v.High, v.Rate)
		}
	}
	p.x = rateScale(highest, column.floor)
	p.text(nameFace, ink, left, p.x0, p.y1+10, fit(nameFace, column.name, end-p.x0))
	for _, t := range p.x.ticks {
		x := p.x.at(t.value, p.x0, p.x1)
		p.line(grid, 0.6, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y1})
		p.text(tickFace, soft, center, x, p.y0-13, t.label)
	}
	p.line(axis, 0.75, vg.Point{X: p.x0, Y: p.y0}, vg.Point{X: p.x0, Y: p.y1})
	for i, row := range c.rows {
		p.whisker(column.value(row), p.y1-rowPitch*(vg.Length(i)+0.5), end)
	}
}

// whisker draws one interval with its dot, and its numbers beside it. What never
// happened is blue, what happened vermilion.
func (p *panel) whisker(v history.Interval, y, end vg.Length) {
	if v.Of == 0 {
		const text = "not measured"
		p.rect(paper, p.x0+4, y-6, p.x0+8+tickFace.width(text), y+6)
		p.text(tickFace, soft, left, p.x0+6, y-3.2, text)
		return
	}
	stroke, tint := color.Color(blue), color.Color(blueMiddle)
	if v.Count > 0 {
		stroke, tint = vermilion, vermilion
	}
	low, high := p.x.at(v.Low, p.x0, p.x1), p.x.at(v.High, p.x0, p.x1)
	p.line(tint, 1.4, vg.Point{X: low, Y: y}, vg.Point{X: high, Y: y})
	for _, x := range []vg.Length{low, high} {
		p.line(tint, 1.4, vg.Point{X: x, Y: y - 3}, vg.Point{X: x, Y: y + 3})
	}
	at := vg.Point{X: p.x.at(v.Rate, p.x0, p.x1), Y: y}
	p.dot(paper, 4.6, at)
	p.dot(stroke, 3.5, at)

	p.numbers(v, stroke, max(high, at.X+3.5)+7, y, end)
}

// numbers writes a count, what it is out of, and under them the interval.
func (p *panel) numbers(v history.Interval, c color.Color, x, y, end vg.Length) {
	number := thousands(v.Count)
	after := x + nameFace.width(number) + 4
	of := fit(tickFace, "of "+thousands(v.Of), end-after)
	bounds := fit(footerFace, bounds(v), end-x)
	widest := max(after+tickFace.width(of), x+footerFace.width(bounds))
	p.rect(paper, x-2, y-11, widest+2, y+9) // the grid must not cross a number
	p.text(nameFace, c, left, x, y, number)
	p.text(tickFace, soft, left, after, y, of)
	p.text(footerFace, soft, left, x, y-9, bounds)
}

// bounds says what an interval allows, in the fewest words.
func bounds(v history.Interval) string {
	switch {
	case v.Count == 0:
		return "below " + share(v.High)
	case v.Count == v.Of:
		return "above " + share(v.Low)
	}
	return share(v.Low) + " to " + share(v.High)
}

// title names the best policy's numbers and what the worst one did.
func (c *comparison) title() string {
	best, replaying, failing := c.rows[0], c.rows[0], c.rows[0]
	for _, row := range c.rows[1:] {
		if worse(best, row) {
			best = row
		}
		if row.Replays.Rate > replaying.Replays.Rate {
			replaying = row
		}
		if row.SpuriousFailed.Rate > failing.SpuriousFailed.Rate {
			failing = row
		}
	}
	text := fmt.Sprintf("%s: %s and %s", best.Name, failedText(best), replaysText(best))
	switch {
	case replaying.Replays.Count > 0 && replaying.Name != best.Name:
		return fmt.Sprintf("%s; %s replayed %s %s", text, replaying.Name, thousands(replaying.Replays.Count), c.options.Replayed)
	case failing.SpuriousFailed.Count > 0 && failing.Name != best.Name:
		return fmt.Sprintf("%s; %s failed %s of %s", text, failing.Name,
			thousands(failing.SpuriousFailed.Count), thousands(failing.SpuriousFailed.Of))
	}
	return text
}

// worse reports whether a is worse than b: a replay does harm that lasts, so it
// weighs more than any failure. What was not measured is never the best.
func worse(a, b PolicyRow) bool {
	if measured(a) != measured(b) {
		return measured(b)
	}
	if a.Replays.Rate != b.Replays.Rate {
		return a.Replays.Rate > b.Replays.Rate
	}
	return a.SpuriousFailed.Rate > b.SpuriousFailed.Rate
}

func measured(r PolicyRow) bool { return r.Replays.Of > 0 && r.SpuriousFailed.Of > 0 }

// failedText leaves the cause out where no genuine failure could be mistaken for
// one without.
func failedText(r PolicyRow) string {
	text := fmt.Sprintf("%s of %s failed", thousands(r.SpuriousFailed.Count), count(r.SpuriousFailed.Of, "rollout"))
	if r.Failed.Of == r.SpuriousFailed.Of && r.Failed.Count == r.SpuriousFailed.Count {
		return text
	}
	return text + " spuriously"
}

func replaysText(r PolicyRow) string { return count(r.Replays.Count, "replay") }

func (c *comparison) subtitle() string {
	low, high := c.rows[0].Of, c.rows[0].Of
	for _, row := range c.rows {
		low, high = min(low, row.Of), max(high, row.Of)
	}
	each := thousands(low)
	if high != low {
		each += " to " + thousands(high)
	}
	return dots("Same script, seed and faults for each policy", each+" rollouts a policy", "dots with 95% intervals")
}

// alt describes the comparison in words, row by row.
func (c *comparison) alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.", c.title())
	for _, r := range c.rows {
		fmt.Fprintf(&b, " %s: %s of %s rollouts failed spuriously, %s of %s %s executed twice or more.", r.Name,
			thousands(r.SpuriousFailed.Count), thousands(r.SpuriousFailed.Of), thousands(r.Replays.Count), thousands(r.Replays.Of), c.options.Replayed)
	}
	return b.String()
}
