package reports

import (
	"io"
	"strings"
	"unicode/utf8"

	"mcpstorm/history"
)

// Style is how a terminal shows a summary. The zero value suits any terminal of
// 80 columns that can show UTF-8.
type Style struct {
	// Color marks verdicts by colour beside the words that give them.
	Color bool
	// Width is the number of columns; 0 means 80, and fewer than 40 count as 40.
	Width int
	// ASCII replaces every other character, for a dumb terminal.
	ASCII bool
}

// page is a summary under construction.
type page struct {
	style Style
	out   strings.Builder
}

// labelWidth is the column at which the text beside a label begins.
const labelWidth = 13

func newPage(style Style) *page {
	if style.Width == 0 {
		style.Width = 80
	}
	style.Width = max(style.Width, 40)
	return &page{style: style}
}

func (p *page) line(text string) { p.out.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) blank() { p.out.WriteByte('\n') }

// row is a label and a text beside it, wrapped under its own beginning. Several
// texts each begin a line.
func (p *page) row(label string, texts ...string) {
	for _, text := range texts {
		for _, line := range wrap(text, p.style.Width-labelWidth-2) {
			p.beside(label, line)
			label = ""
		}
	}
}

// beside writes one line as it is beside a label, or under one that is too long to
// stand beside anything.
func (p *page) beside(label, line string) {
	if utf8.RuneCountInString(label) >= labelWidth {
		p.line("  " + p.dim(label))
		label = ""
	}
	p.line("  " + p.dim(pad(label, labelWidth)) + line)
}

// hang writes a text behind a prefix, wrapped under the text's beginning.
func (p *page) hang(prefix, text string) {
	indent := strings.Repeat(" ", len(prefix))
	for _, line := range wrap(text, p.style.Width-len(prefix)) {
		p.line(prefix + line)
		prefix = indent
	}
}

// The colours that a terminal has of its own.
const (
	bold   = "1"
	faint  = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func (p *page) paint(code, text string) string {
	if !p.style.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *page) dim(text string) string { return p.paint(faint, text) }

// Paint is a text in the colour of a verdict, where there are colours.
func (s Style) Paint(of history.Status, text string) string {
	return newPage(s).status(of, text)
}

// status paints a text in the colour of a verdict.
func (p *page) status(s history.Status, text string) string {
	switch s {
	case history.Pass:
		return p.paint(green, text)
	case history.Fail:
		return p.paint(red, text)
	case history.Inconclusive, history.Known:
		return p.paint(yellow, text)
	}
	return p.dim(text)
}

// plain are the stand-ins for what a summary itself uses beyond ASCII.
var plain = strings.NewReplacer("·", "|", "…", "...", "–", "-", "×", "x", "µ", "u", "μ", "u")

// ascii is a text without a byte beyond ASCII. What others wrote into the history
// may hold any character, and has a question mark for each.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, plain.Replace(text))
}

func (p *page) writeTo(w io.Writer) error {
	text := p.out.String()
	if p.style.ASCII {
		text = ascii(text)
	}
	_, err := io.WriteString(w, text)
	return err
}
