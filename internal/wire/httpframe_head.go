package wire

import (
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

// Get is the first value of a header field, whatever the case of its name; it
// is empty when there is none.
func (h *Head) Get(name string) string {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
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
func (h *Head) all(name string) []string {
	var out []string
	for _, f := range h.fields {
		if !strings.EqualFold(f.name, name) {
			continue
		}
		for v := range strings.SplitSeq(f.value, ",") {
			out = append(out, strings.ToLower(strings.Trim(v, " \t")))
		}
	}
	return out
}

// stepHead collects lines until an empty one ends the head. Empty lines before
// the start line are skipped (RFC 9112 section 2.2).
func (f *Framer) stepHead(p []byte) (int, Frame) {
	n, done := f.collect(p)
	if len(f.buf) > f.limits.Head {
		return n, f.lose("a head is over %d bytes", f.limits.Head)
	}
	if !done {
		return n, Frame{}
	}
	if len(trimEOL(f.buf[f.line:])) > 0 {
		f.line = len(f.buf)
		return n, Frame{}
	}
	if f.line == 0 {
		f.clear()
		return n, Frame{}
	}
	text := string(f.buf[:f.line])
	f.clear()
	return n, f.parseHead(text)
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
		if !ok || name == "" || strings.ContainsAny(name, " \t\r") {
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
	codings := h.all("Transfer-Encoding")
	chunked := len(codings) > 0 && codings[len(codings)-1] == "chunked"
	switch {
	case h.Informational():
		return "" // another head follows
	case h.Status == 101 || f.method == "CONNECT" && h.Status/100 == 2 || h.Method == "CONNECT":
		return "the connection left HTTP"
	case f.response && (f.method == "HEAD" || h.Status == 204 || h.Status == 304):
		f.state = atEnd
	case chunked:
		h.Length, f.state = -1, inChunkSize
	case len(codings) > 0 && !f.response:
		return "a request's last transfer coding is not chunked"
	case len(codings) == 0 && length >= 0:
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
func contentLength(values []string) (int64, bool) {
	if len(values) == 0 {
		return -1, true
	}
	for _, v := range values {
		if v != values[0] {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(values[0], 10, 63)
	return int64(n), err == nil
}

// clip shortens a text for an error.
func clip(s string) string {
	const longest = 60
	if len(s) > longest {
		return s[:longest] + "…"
	}
	return s
}
