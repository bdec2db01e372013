package chart

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

// The layout of the outcome figure, in points.
const (
	barPitch    = 27
	barHeight   = 16
	barsLeft    = 150
	barsRight   = 500
	barsHead    = 46 // from the note to the first bar's slot
	barsFoot    = 50 // from the lower edge to the last bar's slot
	leastInside = 3  // points on either side of a number in its part of a bar
)

// deliveryColors are the parts' colours: what is well in tints of blue, the worse
// the darker; what is not, from vermilion to nearly black. In grey each differs from
// its neighbours.
var deliveryColors = [deliveries]color.RGBA{
	rgb(0xD8E8F3), rgb(0xA3CCE6), rgb(0x66A9D2), rgb(0x9E3A06), rgb(0x2E1206), rgb(0xC9CED4),
}

// deliveryInks are the colours of numbers on them.
var deliveryInks = [deliveries]color.RGBA{ink, ink, ink, paper, paper, ink}

// Outcomes draws what became of the operations that each kind of fault struck, as
// bars of 100 %: answered at once, late, or after a retry; executed twice; lost; or
// unknown to the caller. The operations that no fault struck are the last bar. The
// errors are ErrNoArm, and ErrNoData where no fault struck an operation that
// executes something.
func Outcomes(run *history.Run, o Options) (*Figure, error) {
	arm, err := find(run, o.Arm)
	if err != nil {
		return nil, err
	}
	b := measureOutcomes(run, arm)
	if b.all.of == 0 {
		return nil, fmt.Errorf("%w: no fault struck an operation of arm %q that executes something", ErrNoData, arm.Name)
	}
	return &Figure{
		title: b.title(), alt: b.alt(),
		width: figureWidth, height: headerHeight(b.title()) + noteDrop + barsHead + barPitch*vg.Length(len(b.rows)) + barsFoot,
		draw: b.draw,
	}, nil
}

func (b *bars) draw(s *surface) {
	top := s.headerNoted(b.title(), b.subtitle(), b.note())
	b.drawKey(s, top-24)
	top -= barsHead
	p := &panel{surface: s, x0: barsLeft, x1: barsRight, y0: barsFoot, y1: top, x: shareScale()}
	for _, t := range p.x.ticks {
		x := p.x.at(t.value, p.x0, p.x1)
		s.line(grid, 0.6, vg.Point{X: x, Y: p.y0}, vg.Point{X: x, Y: p.y1 + 4})
		s.text(tickFace, soft, center, x, p.y0-12, t.label)
	}
	for i := range b.rows {
		b.drawBar(p, &b.rows[i], top-barPitch*(vg.Length(i)+0.5))
	}
	s.footer(footer(b.run, ""))
}

// shareScale is an axis from 0 % to 100 %.
func shareScale() scale {
	s := scale{max: 1}
	for n := range 5 {
		s.ticks = append(s.ticks, tick{float64(n) / 4, fmt.Sprintf("%d%%", 25*n)})
	}
	return s
}

// drawKey names all parts, in their order, whether they occur or not: a reader who
// knows one report knows every other.
func (b *bars) drawKey(s *surface, y vg.Length) {
	x := vg.Length(margin)
	for d, name := range deliveryNames {
		s.part(delivery(d), x, y-2, x+11, y+8)
		x += 15
		s.text(tickFace, ink, left, x, y, name)
		x += tickFace.width(name) + 18
	}
}

// part fills a part of a bar. What is unknown is hatched.
func (s *surface) part(d delivery, x0, y0, x1, y1 vg.Length) {
	s.rect(deliveryColors[d], x0, y0, x1, y1)
	if d != unsettled {
		return
	}
	h := y1 - y0
	for x := x0 - h; x < x1; x += 4 {
		from, to := max(x, x0), min(x+h, x1)
		if from < to {
			s.line(grey, 0.7, vg.Point{X: from, Y: y0 + from - x}, vg.Point{X: to, Y: y0 + to - x})
		}
	}
}

func (b *bars) drawBar(p *panel, row *bar, y vg.Length) {
	name, words := "no fault", ""
	if row.cut != "" {
		name, words = row.cut, cutWords[row.cut]
	}
	name = fit(nameFace, name, barsLeft-margin-12)
	p.text(nameFace, ink, left, margin, y-3.3, name)
	after := margin + max(nameFace.width(name)+6, 24)
	p.text(tickFace, soft, left, after, y-3.3, fit(tickFace, words, barsLeft-8-after))
	low := 0.0
	for d, n := range row.counts {
		if n == 0 {
			continue
		}
		high := low + float64(n)/float64(row.of)
		x0, x1 := p.x.at(low, p.x0, p.x1), p.x.at(high, p.x0, p.x1)
		p.part(delivery(d), x0, y-barHeight/2, x1, y+barHeight/2)
		p.line(paper, 0.8, vg.Point{X: x1, Y: y - barHeight/2}, vg.Point{X: x1, Y: y + barHeight/2})
		p.partLabel(delivery(d), n, row.of, x0, x1, y)
		low = high
	}
	b.drawCounts(p, row, y)
}

// partLabel writes a part's share in it, where there is room.
func (p *panel) partLabel(d delivery, n, of int, x0, x1, y vg.Length) {
	text := percent(n, of)
	if tickFace.width(text) > x1-x0-2*leastInside {
		return
	}
	at := (x0 + x1) / 2
	if d == unsettled { // the hatching must not cross a number
		half := tickFace.width(text)/2 + 2
		p.rect(deliveryColors[d], at-half, y-5, at+half, y+6)
	}
	p.text(tickFace, deliveryInks[d], center, at, y-3.2, text)
}

// drawCounts writes beside a bar how many operations it holds, and how many of them
// are not well: parts that may be too small to be seen.
func (b *bars) drawCounts(p *panel, row *bar, y vg.Length) {
	const x = barsRight + 10
	room := figureWidth - margin - vg.Length(x)
	of := "n = " + thousands(row.of)
	harm := row.harm()
	if len(harm) == 0 {
		p.text(tickFace, soft, left, x, y-3.2, of)
		return
	}
	p.text(tickFace, soft, left, x, y+2, of)
	p.text(stripFace, vermilion, left, x, y-8, fit(stripFace, strings.Join(harm, ", "), room))
}

// harm lists what is not well: "2 duplicated, 1 lost".
func (row *bar) harm() []string {
	var parts []string
	for _, d := range []delivery{duplicated, lost, unsettled} {
		if n := row.counts[d]; n > 0 {
			name, _, _ := strings.Cut(deliveryNames[d], " ")
			parts = append(parts, thousands(n)+" "+name)
		}
	}
	return parts
}

func (b *bars) title() string {
	struck := count(b.all.of, "operation") + " that a fault struck"
	if b.all.harmed() == 0 {
		return fmt.Sprintf("Of %s, none was lost, duplicated or left unknown; %s needed a second try", struck, percent(b.all.counts[retried], b.all.of))
	}
	verb := "were"
	parts := b.all.harm()
	if b.all.harmed() == 1 {
		verb = "was"
	}
	parts[0] = strings.Replace(parts[0], " ", " "+verb+" ", 1)
	for i, p := range parts {
		parts[i] = strings.Replace(p, " unknown", " left unknown", 1)
	}
	return fmt.Sprintf("Of %s, %s", struck, list(parts))
}

func (b *bars) subtitle() string {
	bound := ""
	switch b.baseline {
	case "control":
		bound = "Late: over the control's 99%, " + latency(b.bound.Seconds())
	case "unstruck":
		bound = "Late: over 99% of the others, " + latency(b.bound.Seconds())
	default:
		bound = "Late: not told, too few unstruck"
	}
	return dots(armName(b.run, b.arm), "Operations by the fault that struck them, in each bar if several did", bound)
}

// note says by what it is known how often an operation was executed, and what is
// left out.
func (b *bars) note() string {
	var own, seen []string
	for _, s := range b.arm.Servers {
		if s.Effects {
			own = append(own, s.Name)
		} else {
			seen = append(seen, s.Name)
		}
	}
	var parts []string
	if len(own) > 0 {
		parts = append(parts, "executions by the servers' own records ("+list(own)+")")
	}
	if len(seen) > 0 {
		parts = append(parts, "executions by what the witness saw ("+list(seen)+")")
	}
	if b.keyless > 0 {
		parts = append(parts, count(b.keyless, "struck operation")+" that "+executesNothing(b.keyless)+" left out")
	}
	if b.stray > 0 {
		parts = append(parts, count(b.stray, "fault")+" struck none")
	}
	return capital(dots(parts...))
}

func executesNothing(n int) string {
	if n == 1 {
		return "executes nothing is"
	}
	return "execute nothing are"
}

func (b *bars) alt() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s. %s. %s.", b.title(), b.subtitle(), b.note())
	for i := range b.rows {
		row := &b.rows[i]
		name := "No fault"
		if row.cut != "" {
			name = strings.TrimSpace(row.cut + " " + cutWords[row.cut])
		}
		fmt.Fprintf(&text, " %s (%s):", name, count(row.of, "operation"))
		var parts []string
		for d, n := range row.counts {
			if n > 0 {
				parts = append(parts, thousands(n)+" "+deliveryNames[d])
			}
		}
		fmt.Fprintf(&text, " %s.", list(parts))
	}
	return text.String()
}
