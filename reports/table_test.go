package reports_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// compared is a run of three policies under one plan, two of them only to be
// compared with.
func compared() history.Verdict {
	v := passing()
	v.Arms = []history.ArmRow{
		{Arm: "control", Policy: "settle", Failed: history.Interval{Of: 512, High: 0.00718}, Control: true},
		{
			Arm: "before", Policy: "verifiers-0.2.0",
			Failed:   history.Interval{Count: 77, Of: 512, Rate: 0.1504, Low: 0.1206, High: 0.1844},
			Spurious: history.Interval{Count: 77, Of: 512, Rate: 0.1504, Low: 0.1206, High: 0.1844},
			Unknown:  history.Interval{Count: 79, Of: 4_410, Rate: 0.0179}, Replayed: history.Interval{Of: 1_960, High: 0.00718}, Faults: 77,
		},
		{
			Arm: "naive", Policy: "at-least-once", Failed: history.Interval{Of: 512, High: 0.00718}, Spurious: history.Interval{Of: 512, High: 0.00718},
			Unknown: history.Interval{Of: 5_120, High: 0.00718}, Absorbed: 1_601,
			Replayed: history.Interval{Count: 98, Of: 2_400, Rate: 0.0408, Low: 0.0331, High: 0.0498}, Restarts: 12, Faults: 790,
		},
		{
			Arm: "after", Policy: "settle", Failed: history.Interval{Of: 512, High: 0.00718}, Spurious: history.Interval{Of: 512, High: 0.00718},
			Unknown: history.Interval{Of: 5_120, High: 0.00718}, Absorbed: 588, Replayed: history.Interval{Of: 2_410, High: 0.00718}, Faults: 772, Judged: true,
		},
	}
	return v
}

func TestTable(t *testing.T) {
	rows := compared().Arms[1:]
	named := slices.Clone(rows)
	named[1].Policy = "sim=settle, tools=at-least-once"
	for _, c := range []struct {
		name  string
		rows  []history.ArmRow
		style reports.Style
	}{
		{"table", rows, reports.Style{}},
		{"table-color", rows, reports.Style{Color: true}},
		{"table-arms-ascii", named, reports.Style{ASCII: true}},
		{"table-narrow", rows[:2], reports.Style{Width: 50}},
		{"table-nothing", []history.ArmRow{{Arm: "main", Judged: true}}, reports.Style{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := reports.Table(&out, c.rows, c.style); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, out.String())
		})
	}
	if err := reports.Table(brokenPipe{}, rows, reports.Style{}); !errors.Is(err, errPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
	var none bytes.Buffer
	if err := reports.Table(&none, nil, reports.Style{}); err != nil || none.Len() > 0 {
		t.Errorf("no arm gives %q, %v", none.String(), err)
	}
}

// A single arm beside its control is no comparison.
func TestTerminalComparesSeveralArmsOnly(t *testing.T) {
	v := compared()
	v.Arms = v.Arms[:2]
	if text := summary(t, v, reports.Style{}); strings.Contains(text, "restarts") {
		t.Errorf("one arm is compared with nothing:\n%s", text)
	}
}
