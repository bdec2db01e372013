package wire

import (
	"bytes"
	"strconv"
)

// stepLine collects one line of the chunked coding and acts on it.
func (f *Framer) stepLine(p []byte) (int, Frame) {
	limit := f.limits.Line
	if f.state == inTrailer {
		limit = f.limits.Head
	}
	n, done := f.collect(p)
	if len(f.buf) > limit {
		return n, f.lose("a line of the chunked coding is over %d bytes", limit)
	}
	if !done {
		return n, Frame{}
	}
	return n, f.chunkLine(trimEOL(f.buf[f.line:]))
}

// chunkLine acts on one complete line of the chunked coding.
func (f *Framer) chunkLine(line []byte) Frame {
	switch f.state {
	case inChunkEnd:
		if len(line) != 0 {
			return f.lose("no line end after a chunk")
		}
		f.state = inChunkSize
	case inTrailer:
		if len(line) != 0 {
			f.line = len(f.buf) // the whole trailer counts against the limit
			return Frame{}
		}
		f.state = atEnd
	default:
		size, ok := chunkSize(line)
		if !ok {
			return f.lose("bad chunk size %q", line)
		}
		f.left, f.state = size, inChunk
		if size == 0 {
			f.state = inTrailer
		}
	}
	f.clear()
	return Frame{}
}

// chunkSize reads the hexadecimal size before any chunk extension.
func chunkSize(line []byte) (int64, bool) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	digits = bytes.TrimRight(digits, " \t")
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	for _, c := range digits {
		if !isHex(c) {
			return 0, false
		}
	}
	size, err := strconv.ParseInt(string(digits), 16, 64)
	return size, err == nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// collect appends p to the buffer up to and with the next line feed.
func (f *Framer) collect(p []byte) (n int, done bool) {
	n = len(p)
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		n, done = i+1, true
	}
	f.buf = append(f.buf, p[:n]...)
	return n, done
}

// trimEOL removes a line feed and the carriage return before it.
func trimEOL(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
