package chart_test

import (
	"errors"
	"math"
	"testing"

	"mcpstorm/reports/chart"
	"mcpstorm/reports/stats"
)

// curve is a policy of which so many of 1,500 rollouts failed at 1, 2, 4, … at once.
func curve(name string, capacity int, failed ...int) chart.CapacityCurve {
	c := chart.CapacityCurve{Name: name, Capacity: capacity}
	for i, n := range failed {
		bounds := stats.ClopperPearson(n, 1500)
		c.Levels = append(c.Levels, chart.CapacityLevel{Concurrency: 1 << i, Value: float64(n) / 1500, Low: bounds.Low, High: bounds.High})
	}
	return c
}

func TestCapacity(t *testing.T) {
	rate := chart.CapacityOptions{
		Objective: "failed<5%", Bound: 0.05, Measured: "Failed rollouts",
		Method: "Failed rollouts, by concurrency · 1500 rollouts a point", Provenance: "mcpstorm capacity · seed 42",
	}
	seconds := chart.CapacityOptions{
		Objective: "mcp_op_duration p99<2s", Bound: 2, Seconds: true, Measured: "mcp_op_duration, p99", Method: "m", Provenance: "p",
	}
	beyond := curve("", 512, 0, 0, 0, 0)
	beyond.Beyond, beyond.Capacity = true, 8
	for _, c := range []struct {
		name   string
		curves []chart.CapacityCurve
		o      chart.CapacityOptions
		title  string
		says   []string
	}{
		{
			"two policies",
			[]chart.CapacityCurve{curve("pooled", 128, 6, 4, 6, 3, 6, 9, 20, 48, 195, 480), curve("one session each", 8, 5, 4, 14, 20, 60, 170, 362, 604, 733, 840)},
			rate, "Pooled carries 128 concurrent rollouts; one session each carries 8",
			[]string{"capacity 128", "capacity 8", "objective 5%", "512", "pooled"},
		},
		{"one, and no level broke", []chart.CapacityCurve{beyond}, rate, "The target carries 8 or more concurrent rollouts", []string{"capacity 8 or more"}},
		{"none", []chart.CapacityCurve{curve("", 0, 900)}, rate, "The target carries none of what was tried", []string{"objective 5%"}},
		{
			"two that carry the same",
			[]chart.CapacityCurve{curve("a", 2, 0, 0, 900), curve("b", 2, 0, 0, 800), curve("c", 1, 0, 700, 800)},
			rate,
			"A carries 2 concurrent rollouts; b carries 2; c carries 1", nil,
		},
		{
			"a latency without an upper end", []chart.CapacityCurve{{Capacity: 8, Levels: []chart.CapacityLevel{
				{8, 0.2, 0.1, 0.3}, {12, 1.9, 1.2, math.Inf(1)}, {16, 4, 3, 5},
			}}}, seconds, "The target carries 8 concurrent rollouts", []string{"objective 2 s", "mcp_op_duration, p99"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := chart.Capacity(c.curves, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if f.Title() != c.title {
				t.Errorf("title\n got %q\nwant %q", f.Title(), c.title)
			}
			d := read(t, f)
			d.checkTexts(t)
			for _, text := range append(c.says, c.title, c.o.Provenance, "Concurrent rollouts (log scale)") {
				if !d.says(text) {
					t.Errorf("no text says %q", text)
				}
			}
			again, err := chart.Capacity(c.curves, c.o)
			if err != nil {
				t.Fatal(err)
			}
			sameSVG(t, f, again)
		})
	}
	if _, err := chart.Capacity([]chart.CapacityCurve{{}}, rate); !errors.Is(err, chart.ErrNoLevels) {
		t.Errorf("no levels: %v", err)
	}
	if paths, err := chart.WriteCapacity([]chart.CapacityCurve{beyond}, rate, t.TempDir()); err != nil || len(paths) != 2 {
		t.Errorf("wrote %v, %v", paths, err)
	}
}
