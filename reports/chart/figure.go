package chart

import (
	"fmt"
	"image/png"
	"io"
	"os"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"mcpstorm/reports/safe"
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
	mark          string // over the title, or empty
	width, height vg.Length
	draw          func(*surface)
}

// Title is the finding that stands over the chart, with computed numbers only. It
// is harmless text: see package safe.
func (f *Figure) Title() string { return safe.Text(f.title) }

// Alt describes the chart to a reader who cannot see it: its title, its method
// and what it shows. It is harmless text: see package safe.
func (f *Figure) Alt() string { return safe.Printable(safe.Redact(f.alt)) }

// WritePNG writes the chart as a PNG of 160 dots an inch, 1,440 wide. Its errors
// are those of the writer.
func (f *Figure) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(f.width, f.room()), vgimg.UseDPI(figureDPI), vgimg.UseBackgroundColor(paper))
	f.drawOn(canvas)
	encoder := png.Encoder{CompressionLevel: png.BestSpeed} // most of the time goes into it
	if err := encoder.Encode(w, canvas.Image()); err != nil {
		return fmt.Errorf("chart: writing a PNG: %w", err)
	}
	return nil
}

func (f *Figure) drawOn(canvas vg.Canvas) {
	s := &surface{Canvas: canvas, width: f.width, height: f.height}
	f.draw(s)
	f.drawMark(s)
}

// WriteFiles writes both formats, stem.png and stem.svg, and says which files are
// whole, also beside an error.
func (f *Figure) WriteFiles(stem string) (paths []string, err error) {
	for _, format := range []struct {
		suffix string
		write  func(io.Writer) error
	}{{".png", f.WritePNG}, {".svg", f.WriteSVG}} {
		if err := writeFile(stem+format.suffix, format.write); err != nil {
			return paths, err
		}
		paths = append(paths, stem+format.suffix)
	}
	return paths, nil
}

// WriteVector is WriteFiles for the SVG alone, which takes a hundredth of the time.
func (f *Figure) WriteVector(stem string) (paths []string, err error) {
	path := stem + ".svg"
	if err := writeFile(path, f.WriteSVG); err != nil {
		return nil, err
	}
	return []string{path}, nil
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	defer func() {
		if closeErr := out.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("chart: closing %s: %w", path, closeErr)
		}
	}()
	return write(out)
}
