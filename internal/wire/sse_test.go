package wire_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpstorm/internal/wire"
)

// decode feeds a decoder in pieces of the given sizes, in turn.
func decode(d *wire.SSEDecoder, data []byte, sizes []int) []wire.SSEEvent {
	var out []wire.SSEEvent
	for i := 0; len(data) > 0; i++ {
		size := len(data)
		if len(sizes) > 0 {
			size = min(size, max(1, sizes[i%len(sizes)]))
		}
		piece := data[:size]
		data = data[size:]
		for {
			n, event, ok := d.Next(piece)
			piece = piece[n:]
			if !ok {
				break
			}
			out = append(out, event)
		}
	}
	return out
}

func message(id, data string) wire.SSEEvent {
	return wire.SSEEvent{ID: id, Type: "message", Data: []byte(data)}
}

func TestSSEDecoder(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []wire.SSEEvent
	}{
		{"one line", "data: {}\n\n", []wire.SSEEvent{message("", "{}")}},
		{"several lines", "data: a\ndata:b\ndata:  c\n\n", []wire.SSEEvent{message("", "a\nb\n c")}},
		{"crlf", "id: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []wire.SSEEvent{message("1", "a"), message("1", "b")}},
		{"cr", "data: a\r\rdata: b\r\r", []wire.SSEEvent{message("", "a"), message("", "b")}},
		{"named", "event: ping\ndata: x\n\ndata: y\n\n", []wire.SSEEvent{{Type: "ping", Data: []byte("x")}, message("", "y")}},
		{"comment", ": keep-alive\n\n:\ndata: x\n: in between\n\n", []wire.SSEEvent{message("", "x")}},
		{"priming event", "id: p1\ndata:\n\n", []wire.SSEEvent{message("p1", "")}},
		{"field without a colon", "data\n\n", []wire.SSEEvent{message("", "")}},
		{"id alone is no event", "id: 7\n\ndata: x\n\n", []wire.SSEEvent{message("7", "x")}},
		{"id with a null", "id: a\x00b\ndata: x\n\n", []wire.SSEEvent{message("", "x")}},
		{"unknown field", "foo: bar\nDATA: x\ndata: y\n\n", []wire.SSEEvent{message("", "y")}},
		{"byte order mark", "\ufeffdata: x\n\n", []wire.SSEEvent{message("", "x")}},
		{"incomplete", "data: x\n", nil},
		{
			"over the limit, then on", "data: " + strings.Repeat("x", 200) + "\n\ndata: y\n\n",
			[]wire.SSEEvent{{Type: "message", TooLong: true}, message("", "y")},
		},
		{"long comment", ":" + strings.Repeat("x", 200) + "\ndata: y\n\n", []wire.SSEEvent{message("", "y")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, sizes := range [][]int{nil, {1}, {2, 5}} {
				got := decode(wire.NewSSEDecoder(100), []byte(tt.in), sizes)
				if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("pieces of %v: (-want +got)\n%s", sizes, diff)
				}
			}
		})
	}
}

func TestSSERetryAndResumption(t *testing.T) {
	d := wire.NewSSEDecoder(0)
	decode(d, []byte("retry: 500\nid: 4\ndata: x\n\nretry: soon\nretry: +1\nid\n\nid: 5\n"), nil)
	if d.Retry() != 500*time.Millisecond {
		t.Errorf("Retry() = %v, want 500ms", d.Retry())
	}
	if d.LastEventID() != "" {
		t.Errorf("LastEventID() = %q, want it reset by an empty id", d.LastEventID())
	}
	if !d.Pending() {
		t.Error("Pending() = false within an event")
	}
}

func TestSSEReader(t *testing.T) {
	cut := errors.New("cut")
	tests := []struct {
		name string
		from io.Reader
		want []string
		end  error
	}{
		{"whole", strings.NewReader("data: a\n\ndata: b\n\n"), []string{"a", "b"}, io.EOF},
		{"byte by byte", iotest.OneByteReader(strings.NewReader("data: a\r\n\r\n")), []string{"a"}, io.EOF},
		{"data with the error", iotest.DataErrReader(strings.NewReader("data: a\n\n")), []string{"a"}, io.EOF},
		{"ends within an event", strings.NewReader("data: a\n\ndata: b\n"), []string{"a"}, io.ErrUnexpectedEOF},
		{"fails", io.MultiReader(strings.NewReader("data: a\n\nda"), iotest.ErrReader(cut)), []string{"a"}, cut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := wire.NewSSEReader(tt.from, 0)
			var got []string
			event, err := r.Next()
			for ; err == nil; event, err = r.Next() {
				got = append(got, string(event.Data))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.end) {
				t.Errorf("ended with %v, want %v; (-want +got)\n%s", err, tt.end, diff)
			}
		})
	}
}

func TestSSEReaderGoesOnAfterALongEvent(t *testing.T) {
	r := wire.NewSSEReader(strings.NewReader("data: "+strings.Repeat("x", 99)+"\n\ndata: y\n\n"), 50)
	if _, err := r.Next(); !errors.Is(err, wire.ErrEventTooLong) {
		t.Fatalf("first: %v, want ErrEventTooLong", err)
	}
	if event, err := r.Next(); err != nil || string(event.Data) != "y" {
		t.Fatalf("second: %q, %v", event.Data, err)
	}
}

func FuzzSSEDecoder(f *testing.F) {
	f.Add([]byte("id: 1\r\nevent: x\rdata: a\ndata: b\n\n: c\n\nretry: 5\n\n"), []byte{1, 4})
	f.Add([]byte("\ufeffdata: 0123456789012345678901234567890123456789\n\n"), []byte{3})
	f.Fuzz(func(t *testing.T, data, pieces []byte) {
		var sizes []int
		for _, p := range pieces {
			sizes = append(sizes, int(p))
		}
		one, many := wire.NewSSEDecoder(32), wire.NewSSEDecoder(32)
		whole := decode(one, data, nil)
		if diff := cmp.Diff(whole, decode(many, data, append(sizes, 1)), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-whole +pieces)\n%s", diff)
		}
		if one.LastEventID() != many.LastEventID() || one.Retry() != many.Retry() || one.Pending() != many.Pending() {
			t.Fatal("the decoders ended in different states")
		}
	})
}

// TestLastEventIDOfABrokenStream: an event that the stream ends within has not come
// (HTML standard, section 9.2.6), and a client that resumed from it would miss it.
func TestLastEventIDOfABrokenStream(t *testing.T) {
	for text, want := range map[string]string{
		"id: 1\ndata:\n\nid: 2\ndata: x":     "1",
		"id: 1\ndata:\n\nid: 2\ndata: x\n":   "1",
		"id: 1\ndata:\n\nid: 2\ndata: x\n\n": "2",
		"id: 1\n\nid: 2\n":                   "1", // an event without data has ended all the same
		"id: 1\n":                            "",
	} {
		d := wire.NewSSEDecoder(0)
		decode(d, []byte(text), nil)
		if got := d.LastEventID(); got != want {
			t.Errorf("after %q the last event is %q, want %q", text, got, want)
		}
	}
}
