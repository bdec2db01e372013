package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"

	"mcpstorm/reports/chart"
)

// drawing is what a test reads off an SVG: its size and every text with its box.
type drawing struct {
	width, height float64
	title, desc   string
	texts         []placed
}

// placed is one text and the box of its letters, in points from the upper left.
type placed struct {
	text                string
	x0, x1, top, bottom float64
}

var (
	fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)
	families = "font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"
)

// read parses a figure's SVG and measures its texts with the font they are set in.
func read(t *testing.T, f *chart.Figure) drawing {
	t.Helper()
	var document bytes.Buffer
	if err := f.WriteSVG(&document); err != nil {
		t.Fatal(err)
	}
	faces := font.NewCache(liberation.Collection())
	var d drawing
	decoder := xml.NewDecoder(&document)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		var content string
		switch start.Name.Local {
		case "svg":
			d.width = points(t, strings.TrimSuffix(attribute(start, "width"), "pt"))
			d.height = points(t, strings.TrimSuffix(attribute(start, "height"), "pt"))
		case "title", "desc", "text":
			if err := decoder.DecodeElement(&content, &start); err != nil {
				t.Fatal(err)
			}
		}
		switch start.Name.Local {
		case "title":
			d.title = content
		case "desc":
			d.desc = content
		case "text":
			d.texts = append(d.texts, place(t, faces, start, content, d.height))
		}
	}
}

func place(t *testing.T, faces *font.Cache, start xml.StartElement, content string, height float64) placed {
	t.Helper()
	style := attribute(start, "style")
	if !strings.Contains(style, families) {
		t.Errorf("the text %q has no fallback fonts: %s", content, style)
	}
	wanted := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if strings.Contains(style, "font-weight:bold") {
		wanted.Weight = xfont.WeightBold
	}
	match := fontSize.FindStringSubmatch(style)
	if match == nil {
		t.Fatalf("the text %q has no size: %s", content, style)
	}
	size := points(t, match[1])
	face := faces.Lookup(wanted, font.Length(size))
	x := points(t, attribute(start, "x"))
	baseline := height + points(t, attribute(start, "y")) // the drawing is upside down
	return placed{
		text: content, x0: x, x1: x + face.Width(content).Points(),
		top: baseline - 0.72*size, bottom: baseline + 0.2*size,
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func points(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("%q is no length", text)
	}
	return v
}

// checkTexts finds texts that leave the canvas or lie on one another.
func (d drawing) checkTexts(t *testing.T) {
	t.Helper()
	for i, a := range d.texts {
		if a.x0 < 0 || a.x1 > d.width || a.top < 0 || a.bottom > d.height {
			t.Errorf("%q leaves the canvas: %.1f to %.1f across, %.1f to %.1f down", a.text, a.x0, a.x1, a.top, a.bottom)
		}
		for _, b := range d.texts[i+1:] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.top < b.bottom-0.5 && b.top < a.bottom-0.5 {
				t.Errorf("%q and %q lie on one another", a.text, b.text)
			}
		}
	}
}

// says reports whether the whole of a text was written, in one line or in two.
func (d drawing) says(text string) bool {
	for i, p := range d.texts {
		if strings.Contains(p.text, text) || i > 0 && strings.Contains(d.texts[i-1].text+" "+p.text, text) {
			return true
		}
	}
	return false
}
