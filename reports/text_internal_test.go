package reports

import (
	"slices"
	"testing"

	"mcpstorm/history"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for rate, want := range map[float64]string{
		0: "0 %", 1: "100 %", 0.00718: "0.72 %", 0.0000001: "0.01 %", 0.031: "3.1 %", 0.45: "45 %", 0.9928: "99.28 %", 0.95: "95.0 %",
	} {
		if got := percent(rate); got != want {
			t.Errorf("%g is %q, want %q", rate, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		i    *history.Interval
		want string
	}{
		{"none seen", &history.Interval{Of: 512, High: 0.00718}, "below 0.72 %"},
		{"all seen", &history.Interval{Count: 512, Of: 512, Low: 0.9928, High: 1}, "above 99.28 %"},
		{"some", &history.Interval{Count: 1, Of: 10, Low: 0.0025, High: 0.445}, "0.25 % to 44 %"},
		{"of nothing", &history.Interval{}, ""},
		{"no interval", nil, ""},
	} {
		if got := bounds(c.i); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"one", 10, []string{"one"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"a-word-that-is-too-long x", 5, []string{"a-word-that-is-too-long", "x"}},
		{"below 0.72 % of it", 10, []string{"below", "0.72 % of", "it"}},
		{"% alone", 3, []string{"%", "alone"}},
		{"größe über", 10, []string{"größe über"}},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
