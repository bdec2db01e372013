package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"gonum.org/v1/plot/vg/vgsvg"
)

// svgFamilies replaces the one family that gonum names. The others have the same
// metrics, or nearly, so labels keep their places where Liberation is missing.
const svgFamilies = "font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"

// WriteSVG writes the chart as an SVG document with a title and a description.
// Its text is text. Its errors are those of the writer.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := vgsvg.New(f.width, f.room())
	f.drawOn(canvas)
	var document bytes.Buffer
	if _, err := canvas.WriteTo(&document); err != nil {
		return fmt.Errorf("chart: drawing an SVG: %w", err)
	}
	data := bytes.ReplaceAll(document.Bytes(), []byte("font-family:Liberation Sans"), []byte(svgFamilies))
	if _, err := w.Write(f.describe(data)); err != nil {
		return fmt.Errorf("chart: writing an SVG: %w", err)
	}
	return nil
}

// describe puts a title, a description and a white ground behind the opening tag.
func (f *Figure) describe(document []byte) []byte {
	start := bytes.Index(document, []byte("<svg"))
	end := start + bytes.IndexByte(document[start:], '>') + 1
	head := fmt.Sprintf("\n<title>%s</title>\n<desc>%s</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>",
		html.EscapeString(f.Title()), html.EscapeString(f.Alt()))
	out := make([]byte, 0, len(document)+len(head))
	out = append(out, document[:end]...)
	out = append(out, head...)
	return append(out, document[end:]...)
}
