package chart_test

import (
	"errors"
	"strings"
	"testing"

	"mcpstorm/reports/chart"
)

func TestChanges(t *testing.T) {
	rows := []chart.RateChange{
		{Name: "failed", Base: "0 of 512", Head: "12 of 512", Difference: 0.0234, Low: 0.012, High: 0.041, Direction: 1},
		{Name: "told-unknown", Base: "70 of 3,072", Head: "1 of 3,072", Difference: -0.0225, Low: -0.03, High: -0.015, Direction: -1},
		{Name: "a rate with a name that is far too long for its place", Base: "1,000,000 of 1,000,000", Head: "1,000,000 of 1,000,000", Low: -0.007, High: 0.007},
	}
	f, err := chart.Changes(rows, "failed rose from 0 of 512 to 12 of 512 rollouts", "head h against base b · 95% intervals", "mcpstorm compare")
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, f)
	d.checkTexts(t)
	for _, text := range []string{"failed rose from 0 of 512", "0 of 512 → 12 of 512", "+2 pp", "−2 pp", "base → head", "mcpstorm compare", "…"} {
		if !d.says(text) {
			t.Errorf("no text says %q", text)
		}
	}
	if !strings.Contains(f.Alt(), "failed: 0 of 512, then 12 of 512: worse.") {
		t.Errorf("alt text: %s", f.Alt())
	}
	if _, err := chart.Changes(nil, "", "", ""); !errors.Is(err, chart.ErrNoChanges) {
		t.Errorf("no rows: %v", err)
	}
	if paths, err := chart.WriteChanges(rows, "t", "m", "p", t.TempDir()); err != nil || len(paths) != 2 {
		t.Errorf("wrote %v, %v", paths, err)
	}
}
