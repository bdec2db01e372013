package reports_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// The table stands between what happened and what holds, and a line that a terminal
// has no room for is broken into one for each cell.
func TestTruthTable(t *testing.T) {
	cells := []history.TruthCell{
		{Told: history.ToldOK, Low: 1, High: 1, Meaning: history.MeaningGood, Count: 2556},
		{Told: history.ToldOK, Low: 2, High: 2, Meaning: history.MeaningReplay, Count: 3},
		{Told: history.ToldNotExecuted, Low: 1, High: 1, Meaning: history.MeaningLie, Count: 1},
		{Told: history.ToldUnknown, Low: 0, High: 0, Meaning: history.MeaningGood, Count: 12},
		{Told: history.ToldUnknown, Low: 0, High: 0, Meaning: history.MeaningCautious, Count: 4},
		{Told: history.ToldUnknown, Low: 0, High: 1, Meaning: history.MeaningGood, Count: 7},
	}
	for _, c := range []struct {
		name  string
		style reports.Style
		cells []history.TruthCell
		want  string
	}{
		{"as a table", reports.Style{Width: 100}, cells, `
  told         executed 0       1                        2+        0 or 1
  ok                            2,556 good               3 replay
  not executed                  1 lie: invites a replay
  unknown      12 good                                             7 good
               4 over-cautious
`},
		{"cell by cell", reports.Style{Width: 60}, cells, `
  told         ok, executed 1: 2,556 good
               ok, executed 2+: 3 replay
               not executed, executed 1: 1 lie: invites a
               replay
               unknown, executed 0: 12 good
               unknown, executed 0: 4 over-cautious
               unknown, executed 0 or 1: 7 good
`},
		{"nothing is known", reports.Style{}, []history.TruthCell{{Told: history.ToldOK, High: 2, Meaning: history.MeaningUndecided, Count: 5}}, `
  told         executed any
  ok           5 cannot tell
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := passing()
			v.Truth = []history.TruthTable{{Arm: "control", Cells: cells[:1]}, {Arm: "main", Cells: c.cells}}
			v.Arms = []history.ArmRow{{Arm: "control", Control: true}, {Arm: "main", Judged: true}}
			got := summary(t, v, c.style)
			start := strings.Index(got, "\n  told ")
			if start < 0 {
				t.Fatalf("no table in\n%s", got)
			}
			got = got[start:]
			end := strings.Index(got, "\n\n") + 1
			if diff := cmp.Diff(c.want, got[:end]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The name of an arm that is too long to stand beside its table stands over it, in the
// narrow form too.
func TestTruthTableOfALongArm(t *testing.T) {
	good := []history.TruthCell{{Told: history.ToldOK, Low: 1, High: 1, Meaning: history.MeaningGood, Count: 1}}
	v := passing()
	v.Truth = []history.TruthTable{{Arm: "main@2025-11-25", Cells: good}, {Arm: "a-second-arm-of-a-name-that-is-long", Cells: good}}
	says(t, summary(t, v, reports.Style{}),
		"\n  main@2025-11-25\n               executed 1\n  ok           1 good\n",
		"\n  a-second-arm-of-a-name-that-is-long\n               executed 1\n  ok           1 good\n")
	v.Truth[0].Cells = append(good, history.TruthCell{Told: history.ToldOK, Low: 2, High: 2, Meaning: history.MeaningReplay, Count: 20_000})
	says(t, summary(t, v, reports.Style{Width: 40}),
		"\n  main@2025-11-25\n               ok, executed 1: 1 good\n               ok, executed 2+: 20,000\n               replay\n")
}

// Several arms have a table each, under their names; what went wrong is in red.
func TestTruthTablesOfArms(t *testing.T) {
	v := passing()
	v.Truth = []history.TruthTable{
		{Arm: "before", Cells: []history.TruthCell{{Told: history.ToldOK, Low: 2, High: 2, Meaning: history.MeaningReplay, Count: 1}}},
		{Arm: "after", Cells: []history.TruthCell{{Told: history.ToldOK, Low: 1, High: 1, Meaning: history.MeaningGood, Count: 1}}},
	}
	got := summary(t, v, reports.Style{Color: true})
	for _, want := range []string{"before", "after", "\x1b[1;31m1 replay"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
