package chart

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// The size of a figure. Comparisons are as high as their rows need.
const (
	figureWidth  = 9 * vg.Inch
	figureHeight = 5.9 * vg.Inch
	figureDPI    = 160
)

// Figure is one finished chart. It never changes, and may be written any number
// of times from any goroutine, to the same bytes each time.
type Figure struct {
	title         string
	alt           string
	width, height vg.Length
	draw          func(*surface)
}

// Title is the finding that stands over the chart, with computed numbers only.
func (f *Figure) Title() string { return f.title }

// Alt describes the chart to a reader who cannot see it: its title, its method
// and what it shows.
func (f *Figure) Alt() string { return f.alt }

// WritePNG writes the chart as a PNG of 160 dots an inch, 1,440 wide. Its errors
// are those of the writer.
func (f *Figure) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(figureDPI), vgimg.UseBackgroundColor(paper))
	f.drawOn(canvas)
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("chart: writing a PNG: %w", err)
	}
	return nil
}

func (f *Figure) drawOn(canvas vg.Canvas) {
	f.draw(&surface{Canvas: canvas, width: f.width, height: f.height})
}
