package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	"mcpstorm/reports/safe"
)

// The strip of a marked figure, in points.
const (
	markHeight   = 20
	markBaseline = 6.5 // from the strip's lower edge
)

// Marked is the figure with a strip above its title that says that the run is
// inconclusive and why, so that no picture of such a run goes from hand to hand as
// if it proved something. Its title and its alternative text say so too. An empty
// reason is said as such.
func (f *Figure) Marked(reason string) *Figure {
	text := "Inconclusive"
	if reason = safe.Text(reason); reason != "" {
		text += ": " + reason
	}
	marked := *f
	marked.mark = text
	marked.alt = text + ". " + f.alt
	marked.title = text + ". " + f.title
	return &marked
}

// room is how high the figure is with its mark.
func (f *Figure) room() vg.Length {
	if f.mark == "" {
		return f.height
	}
	return f.height + markHeight
}

// drawMark draws the strip over the figure's own height. It is dark, so that it
// stands out in print without colours as well.
func (f *Figure) drawMark(s *surface) {
	if f.mark == "" {
		return
	}
	s.rect(markGround, 0, f.height, f.width, f.height+markHeight)
	s.text(nameFace, paper, left, margin, f.height+markBaseline, fit(nameFace, f.mark, textWidth))
}

// markGround is darker than any band of a chart.
var markGround color.Color = rgb(0x5C4B14)
