package toxics_test

import (
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2/stream"
	tox "github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/google/go-cmp/cmp"

	"mcpstorm/toxics"
)

// split sends one chunk through a toxic and returns its pieces.
func split(s *toxics.Split, text string) (pieces []string) {
	in, out := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
	stub := tox.NewToxicStub(in, out)
	go stub.Run(&tox.ToxicWrapper{Toxic: s, Toxicity: 1})
	go func() {
		in <- &stream.StreamChunk{Data: []byte(text)}
		close(in)
	}()
	for chunk := range out {
		pieces = append(pieces, string(chunk.Data))
	}
	return pieces
}

func TestSplit(t *testing.T) {
	tests := []struct {
		name string
		s    toxics.Split
		text string
		want []string
	}{
		{"as it is", toxics.Split{}, "a\r\né", []string{"a\r\né"}},
		{"every byte", toxics.Split{Size: 1}, "a\r\né", []string{"a", "\r", "\n", "\xc3", "\xa9"}},
		{"pieces of three", toxics.Split{Size: 3}, "abcdefgh", []string{"abc", "def", "gh"}},
		{"within characters", toxics.Split{UTF8: 1}, "aéb€", []string{"a\xc3", "\xa9b\xe2", "\x82", "\xac"}},
		{"within line ends", toxics.Split{CRLF: 1}, "a\r\nb\n\r\r\n", []string{"a\r", "\nb\n\r\r", "\n"}},
		{"all at once", toxics.Split{Size: 4, UTF8: 1, CRLF: 1, Pause: 1}, "abcdé\r\nx", []string{"abcd", "\xc3", "\xa9\r", "\nx"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, split(&tt.s, tt.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("data: é\r\n\r\n", uint8(0), true, true)
	f.Add("\x80\x80\r\n", uint8(3), true, false)
	f.Fuzz(func(t *testing.T, text string, size uint8, utf8, crlf bool) {
		s := toxics.Split{Size: int(size)}
		if utf8 {
			s.UTF8 = 1
		}
		if crlf {
			s.CRLF = 1
		}
		pieces := split(&s, text)
		if got := strings.Join(pieces, ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
		for i, p := range pieces {
			if size > 0 && len(p) > int(size) || crlf && strings.Contains(p, "\r\n") || len(p) == 0 {
				t.Errorf("piece %d of %q is %q", i, text, p)
			}
		}
	})
}
