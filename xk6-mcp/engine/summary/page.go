package summary

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// indent stands before every line under a heading.
const indent = "    "

// page is a summary under construction.
type page struct {
	style Style
	width int
	unit  string // of times; empty for the one that suits
	stats []string
	out   strings.Builder
}

func newPage(s Style, unit string, stats []string) *page {
	width := s.Width
	if width == 0 {
		width = 80
	}
	return &page{style: s, width: max(width, 40), unit: unit, stats: stats}
}

func (p *page) line(text string) { p.out.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) blank() { p.out.WriteByte('\n') }

// heading begins a section.
func (p *page) heading(title string) {
	p.line("  " + p.paint(bold, "█ "+p.cut(title, p.width-4)))
}

// The colours that a terminal has of its own.
const (
	bold  = "1"
	faint = "2"
	red   = "31"
	green = "32"
)

func (p *page) paint(code, text string) string {
	if !p.style.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// mark is the sign of something that holds, or does not.
func (p *page) mark(ok bool) string {
	if ok {
		return p.paint(green, "✓")
	}
	return p.paint(red, "✗")
}

// cut shortens a text to a number of characters, and says so with an ellipsis.
func (p *page) cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width-1, 0)]) + "…"
}

// plain are the stand-ins for what a summary itself uses beyond ASCII, each as
// wide as what it stands for.
var plain = strings.NewReplacer("█", "#", "✓", "+", "✗", "x", "↳", ">", "…", "~", "µ", "u")

// writeTo writes the page, for a dumb terminal with a question mark for every
// character of a name that is beyond ASCII.
func (p *page) writeTo(w io.Writer) error {
	text := p.out.String()
	if p.style.ASCII {
		text = strings.Map(func(r rune) rune {
			if r >= utf8.RuneSelf {
				return '?'
			}
			return r
		}, plain.Replace(text))
	}
	_, err := io.WriteString(w, text)
	return err
}

// Printable shows what a script named without letting it move the cursor: what
// has no picture of its own is written as Go would escape it.
func Printable(name string) string {
	clean := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if !strings.ContainsFunc(name, clean) {
		return name
	}
	quoted := strconv.Quote(name)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0)) + text
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}
