package chart

import (
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// The layout of the recovery figure, in points.
const (
	backLeft  = 120
	backRight = 470
	backPitch = 44
	backHead  = 16
	backFoot  = 62
	dotRadius = 4
	arrow     = 16
)

// Recovery draws how fast failures ceased once faults had stopped: a row for each
// server of the judged arms, and a dot for each stretch of faults it had. It takes
// Recovery and Objective from the options. The errors are ErrNoArm, and ErrNoData
// where no server was asked often enough after its faults.
func Recovery(run *history.Run, o Options) (*Figure, error) {
	if len(judged(run)) == 0 {
		_, err := find(run, "")
		return nil, err
	}
	c := measureComebacks(run, o)
	if len(c.rows) == 0 {
		return nil, fmt.Errorf("%w: no server was asked anything after its faults", ErrNoData)
	}
	if !slices.ContainsFunc(c.all(), func(t comeback) bool { return !t.few }) {
		return nil, fmt.Errorf("%w: too few attempts were made after the faults to show a rate under %s", ErrNoData, c.percent())
	}
	return &Figure{
		title: c.title(), alt: c.alt(),
		width: figureWidth, height: headerHeight(c.title()) + noteDrop + backHead + backPitch*vg.Length(len(c.rows)) + backFoot,
		draw: c.draw,
	}, nil
}

func (c *comebacks) draw(s *surface) {
	top := s.headerNoted(c.title(), c.subtitle(), c.note()) - backHead
	p := &panel{surface: s, x0: backLeft, x1: backRight, y0: backFoot, y1: top, x: c.scale()}
	for _, t := range p.x.ticks {
		x := p.x.at(t.value, p.x0, p.x1)
		p.line(grid, 0.6, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y1})
		p.text(tickFace, soft, center, x, p.y0-13, t.label)
	}
	p.line(axis, 0.75, vg.Point{X: p.x0, Y: p.y0}, vg.Point{X: p.x0, Y: p.y1})
	p.text(tickFace, soft, center, (p.x0+p.x1)/2, p.y0-26, "Seconds after the faults had stopped")
	named := len(judged(c.run)) > 1
	for i := range c.rows {
		c.drawRow(p, &c.rows[i], top-backPitch*(vg.Length(i)+0.5), named)
	}
	s.footer(footer(c.run, ""))
}

// scale is an axis from 0 that holds every comeback.
func (c *comebacks) scale() scale {
	longest := 0.0
	for _, t := range c.all() {
		longest = max(longest, t.took.Seconds())
	}
	return timeScale(max(longest*1.05, c.bin.Seconds()))
}

// drawRow draws the dots of one server from the first stretch, at the top, to the
// last, and beside each when its faults ended, where there is room.
func (c *comebacks) drawRow(p *panel, row *comebackRow, y vg.Length, named bool) {
	c.rowName(p.surface, row, y, named)
	n := len(row.times)
	spread := vg.Length(0)
	if n > 1 {
		spread = min(backPitch*0.75/vg.Length(n-1), 13)
	}
	for i, t := range row.times {
		at := vg.Point{X: p.x.at(t.took.Seconds(), p.x0, p.x1), Y: y + spread*(vg.Length(n-1)/2-vg.Length(i))}
		p.comeback(t, at)
		if n == 1 || spread >= 9 {
			p.endNote(t, at)
		}
	}
	const x = backRight + 20
	room := figureWidth - margin - vg.Length(x)
	p.text(tickFace, ink, left, x, y+1.5, fit(tickFace, row.summary(), room))
	p.text(footerFace, soft, left, x, y-9.5, fit(footerFace, capital(row.served()), room))
}

// rowName writes the server and, where there are several, its arm under it.
func (c *comebacks) rowName(s *surface, row *comebackRow, y vg.Length, named bool) {
	const room = backLeft - margin - 10
	if !named {
		s.text(nameFace, ink, left, margin, y-3.3, fit(nameFace, row.server, room))
		return
	}
	s.text(nameFace, ink, left, margin, y+1.5, fit(nameFace, row.server, room))
	s.text(footerFace, soft, left, margin, y-9.5, fit(footerFace, row.arm, room))
}

// comeback draws one dot. One that did not come back is open, with an arrow.
func (p *panel) comeback(t comeback, at vg.Point) {
	p.dot(paper, dotRadius+1.1, at)
	switch {
	case t.few:
		p.dot(grey, dotRadius, at)
	case !t.open:
		p.dot(blue, dotRadius, at)
	default:
		p.dot(vermilion, dotRadius, at)
		p.dot(paper, dotRadius-1.6, at)
		tip := vg.Point{X: at.X + arrow, Y: at.Y}
		p.line(vermilion, 1.3, vg.Point{X: at.X + dotRadius, Y: at.Y}, tip)
		p.line(vermilion, 1.3, vg.Point{X: tip.X - 3.5, Y: tip.Y + 3}, tip, vg.Point{X: tip.X - 3.5, Y: tip.Y - 3})
	}
}

// endNote says beside a dot when its faults had ended.
func (p *panel) endNote(t comeback, at vg.Point) {
	const gap = dotRadius + 4
	text := "ended at " + seconds(t.after.Round(10*time.Millisecond))
	width := footerFace.width(text)
	x, right := at.X+gap, at.X+gap+width
	if t.open {
		x, right = x+arrow, right+arrow
	}
	if right > p.x1 {
		x, right = at.X-gap-width, at.X-gap
	}
	p.rect(paper, x-1, at.Y-4, right+1, at.Y+5) // the grid must not cross it
	p.text(footerFace, soft, left, x, at.Y-2.6, text)
}

// summary is the row in a few words.
func (r *comebackRow) summary() string {
	var took []time.Duration
	open := 0
	for _, t := range r.times {
		switch {
		case t.open:
			open++
		case !t.few:
			took = append(took, t.took)
		}
	}
	switch {
	case open > 0:
		return fmt.Sprintf("%d of %d not back", open, len(r.times))
	case len(took) == 0:
		return "too few attempts to tell"
	case len(took) == 1:
		return short(took[0])
	}
	slices.Sort(took)
	if len(took) == 2 {
		return short(took[0]) + " and " + short(took[1])
	}
	return fmt.Sprintf("median %s, most %s", short(took[(len(took)-1)/2]), short(took[len(took)-1]))
}
