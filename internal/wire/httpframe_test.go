package wire_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/internal/wire"
)

// trace feeds a framer in pieces of the given sizes, in turn, and writes down
// what it recognised; adjacent pieces of a body are one.
func trace(f *wire.Framer, data []byte, sizes []int, eof bool) []string {
	var out []string
	body := false
	note := func(frame wire.Frame) {
		switch frame.Kind {
		case wire.FrameHead:
			h := frame.Head
			out = append(out, fmt.Sprintf("head %s %s %d length %d op %q", h.Method, h.Target, h.Status, h.Length, h.Get(wire.OpHeader)))
		case wire.FrameBody:
			if body {
				out[len(out)-1] += string(frame.Body)
			} else {
				out = append(out, "body "+string(frame.Body))
			}
		case wire.FrameEnd:
			out = append(out, "end")
		case wire.FrameLost:
			out = append(out, "lost")
		}
		body = frame.Kind == wire.FrameBody
	}
	for i := 0; len(data) > 0; i++ {
		size := len(data)
		if len(sizes) > 0 {
			size = min(size, max(1, sizes[i%len(sizes)]))
		}
		piece := data[:size]
		data = data[size:]
		for {
			n, frame := f.Next(piece)
			piece = piece[n:]
			if frame.Kind == wire.FrameNone {
				break
			}
			note(frame)
		}
	}
	if eof {
		note(f.EOF())
	}
	return out
}

func TestRequestFraming(t *testing.T) {
	const post = "POST /r/t000001.1/mcp HTTP/1.1\r\nHost: x\r\nmcpstorm-op:  t000001.1/s02/a1 \r\n"
	const head = `head POST /r/t000001.1/mcp 0 length %d op "t000001.1/s02/a1"`
	tests := []struct {
		name string
		in   string
		want []string
	}{
		{"sized", post + "Content-Length: 5\r\n\r\nhello", []string{fmt.Sprintf(head, 5), "body hello", "end"}},
		{"empty body", post + "Content-Length: 0\r\n\r\n", []string{fmt.Sprintf(head, 0), "end"}},
		{"no body", post + "\r\n", []string{fmt.Sprintf(head, 0), "end"}},
		{"bare line feeds", "GET /a HTTP/1.1\nHost: x\n\n", []string{`head GET /a 0 length 0 op ""`, "end"}},
		{"empty lines before", "\r\n\nGET /a HTTP/1.0\r\n\r\n", []string{`head GET /a 0 length 0 op ""`, "end"}},
		{
			"chunked", post + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
			[]string{fmt.Sprintf(head, -1), "body hello0123456789", "end"},
		},
		{
			"chunked wins over a length", post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			[]string{fmt.Sprintf(head, -1), "end"},
		},
		{
			"pipelined", post + "Content-Length: 2\r\n\r\nabGET /b HTTP/1.1\r\n\r\nDELETE /c HTTP/1.1\r\n\r\n",
			[]string{fmt.Sprintf(head, 2), "body ab", "end", `head GET /b 0 length 0 op ""`, "end", `head DELETE /c 0 length 0 op ""`, "end"},
		},
		{
			"equal lengths twice", "POST / HTTP/1.1\r\nContent-Length: 1, 1\r\nContent-Length: 1\r\n\r\nx",
			[]string{`head POST / 0 length 1 op ""`, "body x", "end"},
		},
		{"cut off in the head", "POST / HTTP/1.1\r\nHos", []string{"lost"}},
		{"cut off in the body", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", []string{`head POST / 0 length 9 op ""`, "body abc", "lost"}},
		{"different lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", []string{"lost"}},
		{"negative length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\nx", []string{"lost"}},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"lost"}},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\n", []string{"lost"}},
		{"space in a name", "GET / HTTP/1.1\r\nA b: c\r\n\r\n", []string{"lost"}},
		{"folded line", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", []string{"lost"}},
		{"unknown coding", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nx", []string{"lost"}},
		{"bad chunk size", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", []string{fmt.Sprintf(head, -1), "lost"}},
		{"chunk without its line end", post + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", []string{fmt.Sprintf(head, -1), "body a", "lost"}},
		{"connect", "CONNECT x:1 HTTP/1.1\r\n\r\nraw", []string{"lost"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, sizes := range [][]int{nil, {1}, {2, 7}} {
				got := trace(wire.NewRequestFramer(wire.Limits{}), []byte(tt.in), sizes, true)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("pieces of %v: (-want +got)\n%s", sizes, diff)
				}
			}
		})
	}
}

func TestResponseFraming(t *testing.T) {
	head := func(status, length int) string { return fmt.Sprintf(`head   %d length %d op ""`, status, length) }
	tests := []struct {
		name   string
		method string
		in     string
		want   []string
	}{
		{"sized", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", []string{head(200, 2), "body {}", "end"}},
		{"close-delimited", "POST", "HTTP/1.0 200\r\n\r\nall of it", []string{head(200, -1), "body all of it", "end"}},
		{
			"informational first", "POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 E\r\n\r\nHTTP/1.1 202 A\r\nContent-Length: 0\r\n\r\n",
			[]string{head(100, 0), head(103, 0), head(202, 0), "end"},
		},
		{"no content", "DELETE", "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", []string{head(204, 0), "end"}},
		{"not modified", "GET", "HTTP/1.1 304 N\r\n\r\n", []string{head(304, 0), "end"}},
		{"head", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", []string{head(200, 0), "end"}},
		{
			"two answers", "POST", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 500 E\r\nContent-Length: 1\r\n\r\nb",
			[]string{head(200, 1), "body a", "end", head(500, 1), "body b", "end"},
		},
		{"chunked", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", []string{head(200, -1), "body a", "end"}},
		{"upgrade", "GET", "HTTP/1.1 101 Switching\r\n\r\nraw", []string{"lost"}},
		{"cut off", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", []string{head(200, -1), "body ab", "lost"}},
		{"bad status", "POST", "HTTP/1.1 2x0 OK\r\n\r\n", []string{"lost"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, sizes := range [][]int{nil, {1}, {3, 2}} {
				f := wire.NewResponseFramer(wire.Limits{})
				f.Expect(tt.method)
				got := trace(f, []byte(tt.in), sizes, true)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("pieces of %v: (-want +got)\n%s", sizes, diff)
				}
			}
		})
	}
}

func TestFramerLimitsThenPasses(t *testing.T) {
	long := strings.Repeat("x", 200)
	tests := []struct {
		name, in string
	}{
		{"head", "GET / HTTP/1.1\r\nA: " + long + "\r\n\r\n"},
		{"endless start line", long},
		{"chunk line", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + long + "\r\n"},
		{"trailer", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("A: b\r\n", 30)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := wire.NewRequestFramer(wire.Limits{Head: 100, Line: 50})
			var lost error
			rest := []byte(tt.in)
			for lost == nil {
				n, frame := f.Next(rest)
				rest = rest[n:]
				if frame.Kind == wire.FrameNone {
					t.Fatal("the limit was not noticed")
				}
				lost = frame.Err
			}
			if !errors.Is(lost, wire.ErrFrame) {
				t.Fatalf("error %v is not ErrFrame", lost)
			}
			if n, frame := f.Next([]byte("anything")); n != 8 || frame.Kind != wire.FrameNone {
				t.Fatalf("after the loss: used %d, kind %d; want all bytes to pass", n, frame.Kind)
			}
		})
	}
}

// TestFramerAgreesWithNetHTTP writes requests with net/http and reads them back.
func TestFramerAgreesWithNetHTTP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream bytes.Buffer
		bodies := rapid.SliceOfN(rapid.StringN(0, 300, 300), 1, 4).Draw(t, "bodies")
		for i, body := range bodies {
			var r io.Reader = strings.NewReader(body)
			if rapid.Bool().Draw(t, "chunked") {
				r = io.MultiReader(r) // of unknown length
			}
			req, err := http.NewRequest("POST", fmt.Sprintf("http://127.0.0.1/r/t%06d.1/mcp", i), r)
			if err != nil {
				t.Fatal(err)
			}
			if err := req.Write(&stream); err != nil {
				t.Fatal(err)
			}
		}
		data := stream.Bytes()
		sizes := rapid.SliceOfN(rapid.IntRange(1, 64), 1, 8).Draw(t, "sizes")
		got := trace(wire.NewRequestFramer(wire.Limits{}), data, sizes, true)
		if diff := cmp.Diff(netHTTPTrace(t, data), got); diff != "" {
			t.Fatalf("(-net/http +framer)\n%s", diff)
		}
	})
}

// netHTTPTrace writes down the same stream as net/http reads it.
func netHTTPTrace(t *rapid.T, data []byte) []string {
	var out []string
	for r := bufio.NewReader(bytes.NewReader(data)); ; {
		req, err := http.ReadRequest(r)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf(`head %s %s 0 length %d op ""`, req.Method, req.RequestURI, req.ContentLength))
		if len(body) > 0 {
			out = append(out, "body "+string(body))
		}
		out = append(out, "end")
	}
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\n\r\n"), []byte{1, 3}, false)
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a\r\nx\r\n0\r\nA: b\r\n\r\nHTTP/1.1 204 N\r\n\r\n"), []byte{2}, true)
	f.Add([]byte("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\n\r\nrest"), []byte{5, 1}, true)
	f.Fuzz(func(t *testing.T, data, pieces []byte, response bool) {
		limits := wire.Limits{Head: 256, Line: 32}
		newFramer := wire.NewRequestFramer
		if response {
			newFramer = wire.NewResponseFramer
		}
		var sizes []int
		for _, p := range pieces {
			sizes = append(sizes, int(p))
		}
		whole := trace(newFramer(limits), data, nil, true)
		if diff := cmp.Diff(whole, trace(newFramer(limits), data, append(sizes, 1), true)); diff != "" {
			t.Fatalf("(-whole +pieces)\n%s", diff)
		}
	})
}

// BenchmarkFramer shows what following one exchange costs.
func BenchmarkFramer(b *testing.B) {
	for name, bb := range map[string]struct {
		framer *wire.Framer
		data   string
	}{
		"request":  {wire.NewRequestFramer(wire.Limits{}), "POST /r/t000001.1/mcp HTTP/1.1\r\nHost: 127.0.0.1:40000\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 2\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nMcp-Protocol-Version: 2025-11-25\r\nMcpstorm-Op: t000001.1/s02/a1\r\n\r\n{}"},
		"response": {wire.NewResponseFramer(wire.Limits{}), "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sun, 29 Nov 2026 17:00:00 GMT\r\nContent-Length: 2\r\n\r\n{}"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			data := []byte(bb.data)
			for b.Loop() {
				for rest := data; ; {
					n, frame := bb.framer.Next(rest)
					if rest = rest[n:]; frame.Kind == wire.FrameEnd {
						break
					}
				}
			}
		})
	}
}
