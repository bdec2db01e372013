package wire

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// The line ends of a text/event-stream (HTML standard, section 9.2.5), by their names.
var lineEnds = map[string]string{"": "\n", "lf": "\n", "crlf": "\r\n", "cr": "\r"}

// LineEnds are the names of the line ends that an SSEFraming can have.
func LineEnds() []string { return []string{"lf", "crlf", "cr"} }

// SSEFraming is one of the ways in which the same server-sent events can be written. The
// zero value leaves them as they are.
type SSEFraming struct {
	// Lines is in how many data lines the JSON text of an event is written, broken
	// between tokens, where the line feeds that a reader joins them by mean nothing.
	// Zero and one leave it whole, and a text of few tokens gets fewer.
	Lines int
	// LineEnd is one of LineEnds; empty is lf.
	LineEnd string
}

// Check refuses a framing that there is not. The error names the field as a script does,
// sseLines or sseLineEnd, and the value seen.
func (f SSEFraming) Check() error {
	if f.Lines < 0 {
		return fmt.Errorf("sseLines is %d, want 0 or more", f.Lines)
	}
	if _, known := lineEnds[f.LineEnd]; !known {
		return fmt.Errorf("sseLineEnd is %q; known: %s", f.LineEnd, strings.Join(LineEnds(), ", "))
	}
	return nil
}

// SSEFramer rewrites a stream of server-sent events whose lines end in line feeds. It
// belongs to one goroutine.
type SSEFramer struct {
	to      io.Writer
	framing SSEFraming
	line    []byte // that has not ended yet
}

// NewSSEFramer writes to a writer. A line is held back until it has come whole.
func NewSSEFramer(to io.Writer, framing SSEFraming) *SSEFramer {
	return &SSEFramer{to: to, framing: framing}
}

// Write implements io.Writer. The lines that p ends are written in one piece.
func (f *SSEFramer) Write(p []byte) (int, error) {
	var out []byte
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		f.line = append(f.line, line...)
		if ended {
			out = f.framing.appendLine(out, f.line)
			f.line = f.line[:0]
		}
		rest = after
	}
	if len(out) > 0 {
		if _, err := f.to.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// appendLine appends one line of an event as it is to be written.
func (f SSEFraming) appendLine(out, line []byte) []byte {
	const field = "data: "
	end := lineEnds[f.LineEnd]
	text, isData := bytes.CutPrefix(line, []byte(field))
	if !isData {
		return appendParts(out, "", line, end)
	}
	start := 0
	for _, at := range f.breaks(text) {
		out = appendParts(out, field, text[start:at], end)
		start = at
	}
	return appendParts(out, field, text[start:], end)
}

// appendParts appends a line in its three parts.
func appendParts(out []byte, field string, text []byte, end string) []byte {
	out = append(out, field...)
	out = append(out, text...)
	return append(out, end...)
}

// breaks are the places at which a JSON text is broken into lines, spread evenly over
// its tokens.
func (f SSEFraming) breaks(text []byte) (at []int) {
	if f.Lines < 2 {
		return nil
	}
	gaps := tokenGaps(text)
	lines := min(f.Lines, len(gaps)+1)
	for i := 1; i < lines; i++ {
		at = append(at, gaps[i*len(gaps)/lines])
	}
	return at
}

// tokenGaps are the places behind the punctuation of a JSON text, but for its end.
func tokenGaps(text []byte) (gaps []int) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++ // what it escapes
		case c == '"':
			quoted = !quoted
		case !quoted && bytes.IndexByte([]byte("{}[],:"), c) >= 0 && i+1 < len(text):
			gaps = append(gaps, i+1)
		}
	}
	return gaps
}
