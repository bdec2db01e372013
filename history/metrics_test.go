package history_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

func TestMetricsFile(t *testing.T) {
	dir := t.TempDir()
	if got, err := history.ReadMetrics(dir); got != nil || err != nil {
		t.Fatalf("of a run without metrics: %v, %v", got, err)
	}
	want := history.Metrics{Schema: history.Schema, Arms: []history.ArmMetrics{{
		Arm: "main", Duration: 4e9,
		Metrics: []history.Metric{{
			Name: "mcp_op_duration{kind:turn}", Type: "trend", Contains: "time", Samples: 12, Values: map[string]float64{"p(99)": 12.5},
		}},
		Thresholds: []history.Threshold{{Metric: "mcp_op_duration{kind:turn}", Expr: "p(99)<10", Value: 12.5, Status: history.Fail}},
	}}}
	if err := history.WriteMetrics(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := history.ReadMetrics(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"another version", `{"schema": 99}`, history.ErrSchema},
		{"half a file", `{"schema": 1,`, history.ErrCorrupt},
	} {
		if err := os.WriteFile(filepath.Join(dir, history.MetricsFile), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := history.ReadMetrics(dir); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if err := history.WriteMetrics(filepath.Join(dir, "none"), want); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: got %v", err)
	}
}
