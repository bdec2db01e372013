package capacity

import (
	"errors"
	"math"
	"testing"
)

func TestKnee(t *testing.T) {
	level := func(n int, throughput float64) Level { return Level{Concurrency: n, Throughput: throughput} }
	for _, c := range []struct {
		name   string
		levels []Level
		want   int
	}{
		{"in proportion", []Level{level(8, 100), level(16, 195), level(32, 380)}, 0},
		{"a bend", []Level{level(8, 100), level(16, 190), level(32, 220), level(64, 225)}, 16},
		{"close levels tell nothing", []Level{level(100, 1000), level(105, 1000)}, 0},
		{"nothing was done", []Level{level(8, 0), level(16, 0)}, 0},
		{"one level", []Level{level(8, 1)}, 0},
	} {
		if got := knee(c.levels); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]Objective{
		"failed<1%":                {Text: "failed<1%", Rate: "failed", Bound: 0.01},
		" failed  < 0.5% ":         {Text: "failed<0.5%", Rate: "failed", Bound: 0.005},
		"no-spurious-failure<100%": {Text: "no-spurious-failure<100%", Rate: "no-spurious-failure", Bound: 1},
		"mcp_op_duration p99<2s":   {Text: "mcp_op_duration p99<2s", Metric: "mcp_op_duration", Q: 0.99, Bound: 2},
		"mcp_op_duration{kind:turn} p95 < 150ms": {
			Text: "mcp_op_duration{kind:turn} p95<150ms", Metric: "mcp_op_duration{kind:turn}", Q: 0.95, Bound: 0.15,
		},
	} {
		if got, err := ParseObjective(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "failed", "failed<1", "failed<0%", "failed<-1%", "failed<101%", "failed<NaN%", "faild<1%", "failed>1%", "failed p99<1%",
		"mcp_op_duration<2s", "mcp_op_duration p98<2s", "mcp_op_duration p99<2", "mcp_op_duration p99<-2s", "mcp_op_durations p99<2s", "coverage<1%",
	} {
		if got, err := ParseObjective(text); !errors.Is(err, ErrObjective) {
			t.Errorf("%q: %+v, %v, want ErrObjective", text, got, err)
		}
	}
}

// A level has enough rollouts that an objective holds where one of them fails.
func TestEnoughRollouts(t *testing.T) {
	for text, want := range map[string][2]int{
		"failed<5%": {108, 112}, "failed<1%": {552, 566}, "failed<100%": {1, 3}, "mcp_op_duration p99<1s": {368, 368},
	} {
		o, err := ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.rollouts(); got < want[0] || got > want[1] {
			t.Errorf("%s takes %d rollouts, want %d to %d", text, got, want[0], want[1])
		}
	}
}

func TestAnOpenBoundNeverHolds(t *testing.T) {
	if r := (Reading{}); !math.IsInf(r.upper(), 1) {
		t.Errorf("without an upper end it is %g", r.upper())
	}
}
