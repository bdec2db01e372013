package wire

import (
	"iter"
	"strconv"
	"strings"
)

// Head is the start line and header of one message.
type Head struct {
	Method string // of a request
	Target string // of a request, as sent
	Status int    // of a response
	// Length is the length of the body in bytes, or -1 when only its transfer
	// coding or the end of the stream tells.
	Length int64
	fields []field
}

type field struct{ name, value string }

// is reports whether the field has this name, whatever the case of its letters.
func (f field) is(name string) bool {
	return len(f.name) == len(name) && strings.EqualFold(f.name, name)
}

// Get is the first value of a header field, whatever the case of its name; it
// is empty when there is none.
func (h *Head) Get(name string) string {
	for _, f := range h.fields {
		if f.is(name) {
			return f.value
		}
	}
	return ""
}

// Path is the request target without its query.
func (h *Head) Path() string {
	path, _, _ := strings.Cut(h.Target, "?")
	return path
}

// Informational reports whether a final response is still to come.
func (h *Head) Informational() bool { return h.Status >= 100 && h.Status < 200 && h.Status != 101 }

// all is every element of every value of a comma-separated field, in lower case.
func (h *Head) all(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range h.fields {
			if !f.is(name) {
				continue
			}
			for v := range strings.SplitSeq(f.value, ",") {
				if !yield(strings.ToLower(strings.Trim(v, " \t"))) {
					return
				}
			}
		}
	}
}

// stepHead collects lines until an empty one ends the head. Empty lines before
// the start line are skipped (RFC 9112 section 2.2).
func (f *Framer) stepHead(p []byte) (used int, frame Frame) {
	for used < len(p) {
		n, done := f.collect(p[used:])
		used += n
		switch {
		case len(f.buf) > f.limits.Head:
			return used, f.lose("a head is over %d bytes", f.limits.Head)
		case !done:
			return used, Frame{}
		case !isEmptyLine(f.buf[f.line:]):
			f.line = len(f.buf)
		case f.line == 0:
			f.clear()
		default:
			text := string(f.buf[:f.line])
			f.clear()
			return used, f.parseHead(text)
		}
	}
	return used, Frame{}
}

// isEmptyLine reports whether a line has nothing but its end.
func isEmptyLine(line []byte) bool {
	return len(line) == 1 || len(line) == 2 && line[0] == '\r'
}

// parseHead reads a whole head and decides how the body ends.
func (f *Framer) parseHead(text string) Frame {
	start, rest, _ := strings.Cut(text, "\n")
	head := &Head{}
	if !head.parseStart(strings.TrimSuffix(start, "\r"), f.response) {
		return f.lose("bad start line %q", clip(start))
	}
	head.fields = make([]field, 0, strings.Count(rest, "\n"))
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || hasSpace(name) {
			return f.lose("bad header line")
		}
		head.fields = append(head.fields, field{name, strings.Trim(value, " \t")})
	}
	if why := f.frameBody(head); why != "" {
		return f.lose("%s", why)
	}
	return Frame{Kind: FrameHead, Head: head}
}

// parseStart reads a request line or a status line of HTTP/1.x.
func (h *Head) parseStart(line string, response bool) bool {
	if response {
		proto, rest, ok := strings.Cut(line, " ")
		code, _, _ := strings.Cut(rest, " ")
		status, err := strconv.Atoi(code)
		h.Status = status
		return ok && isHTTP1(proto) && len(code) == 3 && err == nil && status >= 100
	}
	method, rest, ok := strings.Cut(line, " ")
	target, proto, ok2 := strings.Cut(rest, " ")
	h.Method, h.Target = method, target
	return ok && ok2 && method != "" && target != "" && isHTTP1(proto)
}

func isHTTP1(proto string) bool { return proto == "HTTP/1.1" || proto == "HTTP/1.0" }

// frameBody sets the state for the body by the rules of RFC 9112 section 6.3.
// It returns why the message cannot be followed, or nothing.
func (f *Framer) frameBody(h *Head) (why string) {
	length, ok := contentLength(h.all("Content-Length"))
	if !ok {
		return "bad Content-Length"
	}
	coded, coding := false, "" // the last one
	for coding = range h.all("Transfer-Encoding") {
		coded = true
	}
	switch {
	case h.Informational():
		return "" // another head follows
	case h.Status == 101 || f.method == "CONNECT" && h.Status/100 == 2 || h.Method == "CONNECT":
		return "the connection left HTTP"
	case f.response && (f.method == "HEAD" || h.Status == 204 || h.Status == 304):
		f.state = atEnd
	case coding == "chunked":
		h.Length, f.state = -1, inChunkSize
	case coded && !f.response:
		return "a request's last transfer coding is not chunked"
	case !coded && length >= 0:
		h.Length, f.left, f.state = length, length, inSized
		if length == 0 {
			f.state = atEnd
		}
	case f.response:
		h.Length, f.state = -1, inUnsized
	default:
		f.state = atEnd
	}
	return ""
}

// contentLength is the one length that all values name, or -1 without any.
func contentLength(values iter.Seq[string]) (length int64, ok bool) {
	first := ""
	length = -1
	for v := range values {
		if length >= 0 {
			if v != first {
				return 0, false
			}
			continue
		}
		n, err := strconv.ParseUint(v, 10, 63)
		if err != nil {
			return 0, false
		}
		first, length = v, int64(n)
	}
	return length, true
}

// hasSpace reports whether a field's name has white space, which none may have.
func hasSpace(name string) bool {
	for i := range len(name) {
		switch name[i] {
		case ' ', '\t', '\r':
			return true
		}
	}
	return false
}

// clip shortens a text for an error.
func clip(s string) string {
	const longest = 60
	if len(s) > longest {
		return s[:longest] + "…"
	}
	return s
}
