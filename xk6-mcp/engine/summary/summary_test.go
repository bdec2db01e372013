package summary_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/summary"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var stats = []string{"avg", "min", "med", "max", "p(90)", "p(95)"}

func trend(name string, isTime bool, values ...float64) engine.MetricSummary {
	contains := "default"
	if isTime {
		contains = "time"
	}
	m := engine.MetricSummary{Name: name, Type: engine.Trend, IsTime: isTime, Contains: contains, Samples: 100, Values: map[string]float64{"count": 100}}
	for i, stat := range append(stats, "p(99.9)") {
		if i < len(values) {
			m.Values[stat] = values[i]
		}
	}
	return m
}

func counter(name string, count, rate float64) engine.MetricSummary {
	contains := "default"
	if strings.HasPrefix(name, "data_") {
		contains = "data"
	}
	return engine.MetricSummary{Name: name, Type: engine.Counter, Contains: contains, Samples: 1, Values: map[string]float64{"count": count, "rate": rate}}
}

func share(name string, passes, fails float64) engine.MetricSummary {
	return engine.MetricSummary{
		Name: name, Type: engine.Rate, Samples: 1,
		Values: map[string]float64{"rate": passes / (passes + fails), "passes": passes, "fails": fails},
	}
}

func gauge(name string, value, low, high float64) engine.MetricSummary {
	return engine.MetricSummary{Name: name, Type: engine.Gauge, Samples: 1, Values: map[string]float64{"value": value, "min": low, "max": high}}
}

// result is a run with something of everything.
func result() *engine.Result {
	return &engine.Result{
		Duration: 10 * time.Second,
		Scenarios: []engine.ScenarioResult{
			{Name: "rollouts"},
			{Name: "steady", Lateness: &engine.Lateness{Arrivals: 10, P50: 310 * time.Microsecond, P99: 4200 * time.Microsecond, Max: 61 * time.Second}},
		},
		Metrics: []engine.MetricSummary{
			share("checks", 1023, 1),
			trend("coffee_per_turn", false, 1.5, 0, 1, 40, 3, 4.25),
			counter("data_received", 1_312_000, 131_200), counter("data_sent", 512, 51.2),
			counter("dropped_iterations", 3, .3),
			gauge("queue", 3, -1, 12_345_678),
			trend("iteration_duration", true, 812.4, 401.25, 790, 61_000, 1_204, 1_512),
			counter("iterations", 512, 51.2),
			share("mcp_op_failed", 1, 29_999),
			trend("mcp_op_duration", true, 12.34, .0004, 11.8, 2_015, 24.13, 31.2),
			trend("mcp_op_duration{kind:turn}", true, 14.2, 1.2, 12, 2_015, 25, 33),
			counter("mcp_ops", 30_000, 3_000.123),
			trend("mcp_request_duration{kind:\x1b[31mred\x1b[0m,server:one of a very long name}", true, 0, 0, 0, 0, 0, 0),
			gauge("vus", 512, 0, 512), gauge("vus_max", 512, 512, 512),
			trend(strings.Repeat("a_name_without_an_end_", 5), true, 3_700_000, 3_600_000, 1, 2, 3, 4),
		},
		Thresholds: []engine.ThresholdResult{
			{Metric: "mcp_op_duration{kind:turn}", Expr: "p(95)<2000", Value: 33.123456, OK: true},
			{Metric: "checks", Expr: "rate == 1", Value: 1023. / 1024, OK: false},
			{Metric: "mcp_op_duration{kind:turn}", Expr: "max < 2000", Value: 2015.0004, OK: false},
			{Metric: "iterations", Expr: "rate>=50", Value: 51.2, OK: true},
			{Metric: "never", Expr: "count>0", OK: true, NoData: true},
		},
		Root: &engine.GroupSummary{
			Checks: []engine.CheckSummary{{Name: "has a text", Path: "::has a text", Passes: 512}},
			Groups: []*engine.GroupSummary{{
				Name: "talk", Path: "::talk",
				Checks: []engine.CheckSummary{
					{Name: "is \x1b]0;mine\x07 not yours\nnor anyone's", Path: "::talk::x", Passes: 511, Fails: 1},
					{Name: strings.Repeat("long ", 40), Path: "::talk::y", Passes: 0, Fails: 0},
				},
			}},
		},
	}
}

// breakdown counts a few samples of two scenarios and a group.
func breakdown(t *testing.T) *summary.Breakdown {
	t.Helper()
	p, err := engine.Load("script.js", engine.LoadOptions{Source: []byte("export default function () {}"), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	b := summary.NewBreakdown()
	for _, name := range []string{"mcp_ops", "iterations", "own"} {
		m, err := p.RegisterMetric(name, engine.Counter, false)
		if err != nil {
			t.Fatal(err)
		}
		b.Sample(engine.Sample{Metric: m, Value: 2, Tags: map[string]string{"scenario": "rollouts"}})
		b.Sample(engine.Sample{Metric: m, Value: 3, Tags: map[string]string{"scenario": "steady", "group": "::talk"}})
		b.Sample(engine.Sample{Metric: m, Value: 5})
	}
	took, err := p.RegisterMetric("took", engine.Trend, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		b.Sample(engine.Sample{Metric: took, Value: float64(i), Tags: map[string]string{"scenario": "steady", "group": "::talk"}})
	}
	return b
}

func TestGolden(t *testing.T) {
	report := summary.Report{Result: result(), TrendStats: stats}
	arm, full, fixed, many := report, report, report, report
	arm.Of, arm.Busy, arm.CPUs = "arm settle", .123, 2
	full.Breakdown = breakdown(t)
	fixed.TimeUnit, fixed.TrendStats = "ms", []string{"med", "p(95)", "count"}
	many.TrendStats = append(append([]string{}, stats...), "p(99.9)", "count")
	for name, one := range map[string]struct {
		report summary.Report
		style  summary.Style
	}{
		"compact": {arm, summary.Style{}},
		"ascii":   {report, summary.Style{ASCII: true}},
		"color":   {report, summary.Style{Color: true}},
		"full":    {full, summary.Style{}},
		"unit":    {fixed, summary.Style{}},
		"many":    {many, summary.Style{}},
		"narrow":  {report, summary.Style{Width: 50}},
		"wide":    {many, summary.Style{Width: 120}},
		"empty":   {summary.Report{Result: &engine.Result{}, TrendStats: stats}, summary.Style{}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := summary.Text(&out, one.report, one.style); err != nil {
				t.Fatal(err)
			}
			readable(t, out.String(), one.style)
			golden(t, name+".txt", out.Bytes())
		})
	}
}

// readable holds a text to what every terminal needs: no line wraps, and nothing
// but a colour moves the cursor.
func readable(t *testing.T, text string, s summary.Style) {
	t.Helper()
	width := s.Width
	if width == 0 {
		width = 80
	}
	if s.Color {
		for _, code := range []string{"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[0m"} {
			text = strings.ReplaceAll(text, code, "")
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > width {
			t.Errorf("%d columns, want at most %d: %s", n, width, line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) || s.ASCII && r >= utf8.RuneSelf {
				t.Errorf("%q in %q", r, line)
			}
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", name, diff)
	}
}

func TestExport(t *testing.T) {
	data, err := summary.Export(result())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "export.json", data)
	var read struct {
		Metrics map[string]struct {
			Value, Passes, Fails float64
			Thresholds           map[string]bool
		}
	}
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	checks := read.Metrics["checks"]
	if checks.Passes != 1023 || checks.Fails != 1 || checks.Value != 1023./1024 || !checks.Thresholds["rate == 1"] {
		t.Errorf("checks: %+v; a threshold that failed is true", checks)
	}
	turns := read.Metrics["mcp_op_duration{kind:turn}"].Thresholds
	if failed, ok := turns["p(95)<2000"]; failed || !ok || !turns["max < 2000"] {
		t.Errorf("mcp_op_duration{kind:turn}: %v", turns)
	}
	if empty, err := summary.Export(&engine.Result{}); err != nil || !json.Valid(empty) {
		t.Errorf("an empty result: %v, %s", err, empty)
	}
}

func TestModes(t *testing.T) {
	for text, want := range map[string]summary.Mode{"": summary.Compact, "compact": summary.Compact, "full": summary.Full, "disabled": summary.Disabled} {
		if got, err := summary.ParseMode(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := summary.ParseMode("legacy"); !errors.Is(err, summary.ErrMode) {
		t.Errorf("legacy: %v, want ErrMode", err)
	}
}

// TestBreakdownIsBounded gives more groups than a breakdown tells apart.
func TestBreakdownIsBounded(t *testing.T) {
	p, err := engine.Load("script.js", engine.LoadOptions{Source: []byte("export default function () {}"), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.RegisterMetric("n", engine.Counter, false)
	if err != nil {
		t.Fatal(err)
	}
	b := summary.NewBreakdown()
	for i := range 300 {
		b.Sample(engine.Sample{Metric: m, Value: 1, Tags: map[string]string{"group": "::" + time.Duration(i).String()}})
	}
	var out bytes.Buffer
	if err := summary.Text(&out, summary.Report{Result: &engine.Result{}, Breakdown: b}, summary.Style{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "GROUP: "); n != 200 || !strings.Contains(out.String(), "were left out: 100\n") {
		t.Errorf("%d groups, want 200 and that 100 samples were left out", n)
	}
}
