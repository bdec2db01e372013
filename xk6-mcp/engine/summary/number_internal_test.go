package summary

import (
	"math"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNumbers(t *testing.T) {
	p := newPage(Style{}, "", nil)
	for ms, want := range map[float64]string{
		0: "0s", .000_169: "169ns", .000_999_7: "1µs", .0004: "400ns", .0123: "12.3µs", .9994: "999µs", .9996: "1ms", 1.005: "1ms", 12.345: "12.3ms",
		999.4: "999ms", 999.6: "1s", 1512: "1.51s", 59_949: "59.9s", 59_960: "1m00s", 61_000: "1m01s", 3_599_900: "1h00m", 7_384_000: "2h03m",
		-12.34: "-12.3ms",
	} {
		if got := p.duration(ms); got != want {
			t.Errorf("%v ms: %q, want %q", ms, got, want)
		}
	}
	for v, want := range map[float64]string{
		0: "0", 1: "1", 1234: "1,234", -1_234_567: "-1,234,567", 1.5: "1.5", 1234.5678: "1235", 1e12: "1e+12",
		.00001: "1e-05", math.MaxFloat64: "1.798e+308",
	} {
		if got := short(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0.00%", 1: "100.00%", .00001: "0.01%", .99999: "99.99%", .5: "50.00%"} {
		if got := percent(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 131_200: "131 kB", 1_312_000: "1.3 MB", 5.25e9: "5.2 GB", 1e15: "1000 TB"} {
		if got := bytes(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for name, want := range map[string]string{
		"plain":            "plain",
		"né 世界":            "né 世界",
		"a\x1b[2Jb":        `a\x1b[2Jb`,
		"a\nb\tc":          `a\nb\tc`,
		"quoted \"q\"\x00": `quoted "q"\x00`,
		"bad \xff":         `bad \xff`,
		"right\u202eleft":  `right\u202eleft`,
	} {
		if got := Printable(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// FuzzPrintable gives names of any bytes: what comes out moves no cursor, and a name
// that moves none stays as it is.
func FuzzPrintable(f *testing.F) {
	f.Add("plain")
	f.Add("a\x1b[2J\u202e\xff\"\\")
	f.Fuzz(func(t *testing.T, name string) {
		shown, clean := Printable(name), true
		for _, r := range name {
			clean = clean && unicode.IsPrint(r) && r != utf8.RuneError
		}
		if clean && shown != name {
			t.Errorf("%q became %q", name, shown)
		}
		for _, r := range shown {
			if !unicode.IsPrint(r) {
				t.Errorf("%q shows %q", name, r)
			}
		}
	})
}
