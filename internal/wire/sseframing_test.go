package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/wire"
)

func TestSSEFraming(t *testing.T) {
	const event = "event: message\nid: 7\ndata: {\"a\":[1,\"x,\\\"}:\"]}\n\n"
	tests := []struct {
		name    string
		framing wire.SSEFraming
		in      string
		want    string
	}{
		{"as it is", wire.SSEFraming{}, event, event},
		{"one line", wire.SSEFraming{Lines: 1, LineEnd: "lf"}, event, event},
		{"two lines", wire.SSEFraming{Lines: 2}, event, "event: message\nid: 7\ndata: {\"a\":[\ndata: 1,\"x,\\\"}:\"]}\n\n"},
		{"CRLF", wire.SSEFraming{LineEnd: "crlf"}, event, strings.ReplaceAll(event, "\n", "\r\n")},
		{"CR", wire.SSEFraming{LineEnd: "cr"}, event, strings.ReplaceAll(event, "\n", "\r")},
		{"more lines than tokens", wire.SSEFraming{Lines: 9}, "data: {\"a\":1}\n\n", "data: {\ndata: \"a\":\ndata: 1}\n\n"},
		{"nothing to break", wire.SSEFraming{Lines: 3}, "retry: 10\ndata: \n: comment, of {no} \"event\n\n", "retry: 10\ndata: \n: comment, of {no} \"event\n\n"},
		{"an end within a line", wire.SSEFraming{Lines: 3}, "data: {\"a\":1}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.in); size++ {
				var out bytes.Buffer
				w := wire.NewSSEFramer(&out, tt.framing)
				for rest := []byte(tt.in); len(rest) > 0; rest = rest[min(size, len(rest)):] {
					if n, err := w.Write(rest[:min(size, len(rest))]); n != min(size, len(rest)) || err != nil {
						t.Fatalf("%d, %v", n, err)
					}
				}
				if diff := cmp.Diff(tt.want, out.String()); diff != "" {
					t.Fatalf("in pieces of %d (-want +got)\n%s", size, diff)
				}
			}
		})
	}
}

func TestSSEFramingCheck(t *testing.T) {
	for _, tt := range []struct {
		name    string
		framing wire.SSEFraming
		want    string // empty: it is fine
	}{
		{"as it is", wire.SSEFraming{}, ""},
		{"many lines", wire.SSEFraming{Lines: 99, LineEnd: "cr"}, ""},
		{"fewer than no lines", wire.SSEFraming{Lines: -1}, "sseLines is -1, want 0 or more"},
		{"an unknown line end", wire.SSEFraming{LineEnd: "\n"}, `sseLineEnd is "\n"; known: lf, crlf, cr`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.framing.Check(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for _, end := range wire.LineEnds() {
		if err := (wire.SSEFraming{LineEnd: end}).Check(); err != nil {
			t.Error(err)
		}
	}
}

// FuzzSSEFraming writes a JSON text in every framing and reads it again: the value must
// be the same.
func FuzzSSEFraming(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a, \"b\": {\\"}],"isError":false}}`, 3, 1)
	f.Add(`[[],{},"",null,true,1e9,"\u00e9é"]`, 20, 2)
	f.Add(`"\\"`, 2, 0)
	f.Fuzz(func(t *testing.T, text string, lines, end int) {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(text)) != nil {
			return
		}
		ends := wire.LineEnds()
		var out bytes.Buffer
		w := wire.NewSSEFramer(&out, wire.SSEFraming{Lines: lines, LineEnd: ends[uint(end)%uint(len(ends))]})
		if _, err := w.Write([]byte("event: message\ndata: " + compact.String() + "\n\n")); err != nil {
			t.Fatal(err)
		}
		event, err := wire.NewSSEReader(&out, 0).Next()
		var got bytes.Buffer
		if err == nil {
			err = json.Compact(&got, event.Data)
		}
		if err != nil || got.String() != compact.String() || event.Type != "message" {
			t.Errorf("%q came as %q, %v", compact.String(), event.Data, err)
		}
	})
}
