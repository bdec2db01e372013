package chart

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"

	"mcpstorm/history"
)

func TestBinWidth(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		name   string
		length time.Duration
		events int
		edges  []time.Duration
		want   time.Duration
	}{
		{"a moment", ms, 1, nil, 10 * ms},
		{"a second with little in it", s, 50, nil, 20 * ms},
		{"a storm", 12600 * ms, 4328, nil, 250 * ms},
		{"three minutes", 180 * s, 231_119, nil, 2 * s},
		{"three minutes with little in them", 180 * s, 300, nil, 5 * s},
		{"an edge that wants a finer bin", 202 * s, 12_377, []time.Duration{30 * s, 125 * s}, s},
		{"an edge that no width meets", 202 * s, 12_377, []time.Duration{1234 * ms}, 2 * s},
		{"a night", 8 * time.Hour, 1_000_000, nil, 5 * time.Minute},
		{"two weeks", 336 * time.Hour, 1_000_000, nil, 3 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := binWidth(c.length, c.events, c.edges)
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if n := (clock{length: c.length, width: got}).bins(); n < 1 || n > 2*mostBins {
				t.Errorf("%d bins", n)
			}
		})
	}
}

func TestClock(t *testing.T) {
	c := clock{start: 1e9, length: 2300 * time.Millisecond, width: time.Second}
	if c.bins() != 2 {
		t.Fatalf("%d bins, want 2: a sliver of 0.3 s belongs to the last", c.bins())
	}
	for at, want := range map[history.Instant]int{-5: 0, 1e9: 0, 2e9 - 1: 0, 2e9: 1, 3.2e9: 1, 99e9: 1} {
		if got := c.bin(at); got != want {
			t.Errorf("bin at %d is %d, want %d", at, got, want)
		}
	}
	if diff := cmp.Diff([]float64{0, 1, 2.3}, []float64{c.edge(0), c.edge(1), c.edge(2)}); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

func TestScales(t *testing.T) {
	labels := func(s scale) []string {
		var out []string
		for _, tick := range s.ticks {
			out = append(out, tick.label)
		}
		return out
	}
	for _, c := range []struct {
		name  string
		scale scale
		want  []string
	}{
		{"no failures", rateScale(0, 0.1), []string{"0%", "5%", "10%"}},
		{"few of very many", rateScale(0.001, 0.02), []string{"0%", "1%", "2%"}},
		{"all", rateScale(1, 0.1), []string{"0%", "25%", "50%", "75%", "100%"}},
		{"a moment", timeScale(0.01), []string{"0", "0.01"}},
		{"seconds", timeScale(12.6), []string{"0", "2", "4", "6", "8", "10", "12"}},
		{"an hour", timeScale(3600), []string{"0", "600", "1,200", "1,800", "2,400", "3,000", "3,600"}},
		{"two weeks", timeScale(1_209_600), []string{"0", "172,800", "345,600", "518,400", "691,200", "864,000", "1,036,800", "1,209,600"}},
		{"nothing took time", latencyScale(0, 0), []string{"0.5 µs", "1 µs", "2 µs"}},
		{"one value", latencyScale(0.02, 0.02), []string{"10 ms", "20 ms", "50 ms"}},
		{"less than a decade", latencyScale(0.012, 0.09), []string{"10 ms", "20 ms", "50 ms", "100 ms"}},
		{"over decades", latencyScale(0.0007, 12), []string{"1 ms", "10 ms", "100 ms", "1 s", "10 s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, labels(c.scale)); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			for _, v := range []float64{-1, 0, 1e-9, c.scale.min, c.scale.max, 1e12} {
				if at := float64(c.scale.at(v, 10, 20)); math.IsNaN(at) || at < 10 || at > 20 {
					t.Errorf("%g lies at %g, outside the axis", v, at)
				}
			}
		})
	}
}

func TestCutRange(t *testing.T) {
	for _, c := range []struct {
		cuts []string
		want string
	}{
		{nil, ""},
		{[]string{"C4"}, "C4"},
		{[]string{"C1", "C2"}, "C1, C2"},
		{[]string{"C1", "C2", "C3", "C3w", "C4", "C6", "C8"}, "C1–C4, C6, C8, C3w"},
		{[]string{"C0", "C4", "C5", "C6"}, "C0, C4–C6"},
		{[]string{"other"}, "other"},
	} {
		if got := cutRange(c.cuts); got != c.want {
			t.Errorf("%v: got %q, want %q", c.cuts, got, c.want)
		}
	}
}

func TestLanes(t *testing.T) {
	w := func(from, to float64) window { return window{from: from, to: to} }
	for _, c := range []struct {
		name    string
		windows []window
		want    [][]window
	}{
		{"none", nil, nil},
		{"one after another", []window{w(0, 1), w(1, 2)}, [][]window{{w(0, 1), w(1, 2)}}},
		{"at once", []window{w(0, 3), w(1, 2), w(2, 4)}, [][]window{{w(0, 3)}, {w(1, 2), w(2, 4)}}},
		{"more than there is room for", []window{w(0, 9), w(1, 9), w(2, 5), w(3, 7)}, [][]window{{w(0, 9)}, {w(1, 9)}, {w(2, 7)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lanes(c.windows, 3), cmp.AllowUnexported(window{})); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDuring(t *testing.T) {
	for _, c := range []struct {
		text []string
		ok   bool
	}{
		{[]string{"5s", "25s"}, true},
		{[]string{"0s", "1m30s"}, true},
		{nil, false},
		{[]string{"start"}, false},
		{[]string{"25s", "5s"}, false},
		{[]string{"-5s", "5s"}, false},
		{[]string{"5", "25"}, false},
	} {
		if _, _, ok := during(c.text); ok != c.ok {
			t.Errorf("%v: got %v, want %v", c.text, ok, c.ok)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name     string
		at, want []vg.Length
	}{
		{"far apart", []vg.Length{80, 50, 20}, []vg.Length{80, 50, 20}},
		{"all at one place", []vg.Length{50, 50, 50}, []vg.Length{50, 38, 26}},
		{"at the lower end", []vg.Length{2, 1, 0}, []vg.Length{24, 12, 0}},
		{"at the upper end", []vg.Length{100, 100, 99}, []vg.Length{100, 88, 76}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var labels []label
			for _, y := range c.at {
				labels = append(labels, label{y: y})
			}
			spread(labels, 0, 100, 12)
			for i, l := range labels {
				if l.y != c.want[i] {
					t.Errorf("label %d is at %v, want %v", i, l.y, c.want[i])
				}
			}
		})
	}
}

func TestFitAndWrap(t *testing.T) {
	const text = "Under 744 connection cuts, 17% of attempts failed"
	if got := fit(tickFace, text, 1000); got != text {
		t.Errorf("a text with room became %q", got)
	}
	if got := fit(tickFace, text, 1); got != "" {
		t.Errorf("a text without room became %q", got)
	}
	if got := fit(tickFace, text, 118); got != "Under 744 connection cuts"+ellipsis {
		t.Errorf("a text with some room became %q", got)
	}
	if diff := cmp.Diff([]string{"Under 744 connection cuts,", "17% of attempts failed"}, wrap(titleFace, text, 220)); diff != "" {
		t.Errorf("two lines (-want +got):\n%s", diff)
	}
	if got := wrap(titleFace, "nospaceanywhereinthetext", 50); len(got) != 1 || titleFace.width(got[0]) > 50 {
		t.Errorf("a word without room became %q", got)
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		thousands(0): "0", thousands(999): "999", thousands(-1234): "-1,234", thousands(1234567): "1,234,567",
		percent(0, 0): "–", percent(0, 7): "0%", percent(7, 7): "100%", percent(1, 100_000): "under 0.1%",
		percent(99_999, 100_000): "over 99.9%", percent(1, 300): "0.33%", percent(1, 30): "3.3%", percent(1, 3): "33%",
		latency(0.0001): "100 µs", latency(0.001): "1 ms", latency(0.5): "500 ms", latency(20): "20 s",
		seconds(250 * time.Millisecond): "0.25 s", seconds(time.Minute): "1 min", seconds(90 * time.Second): "90 s",
		count(1, "cut"): "1 cut", count(2, "cut"): "2 cuts", dots("a", "", "b"): "a · b", list([]string{"a", "b", "c"}): "a, b and c",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
