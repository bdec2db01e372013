package reports_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// says asks for texts that must stand in a page, in order.
func says(t *testing.T, page string, texts ...string) {
	t.Helper()
	rest := page
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("no %q, in order, in\n%s", text, page)
		}
		rest = after
	}
}

func TestScheduleText(t *testing.T) {
	s := reports.Schedule{Script: "a.js", Seed: 7, Arms: []reports.ArmSchedule{
		{Arm: history.Arm{Name: "control"}},
		{
			Arm: history.Arm{Name: "main", Heal: &history.Heal{At: 30 * time.Second, Within: 10 * time.Second}},
			Rules: []history.PlanRule{
				{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", At: "call", Share: 0.3, Ramp: []float64{0, 0.3}, During: []string{"10s", "30s"}},
				{Arm: "main", Rule: "r02", On: "sim", Cut: "burst", Manner: "fin", Share: 0.5, During: []string{"20s"}},
				{Arm: "main", Rule: "r03", On: "sim", Cut: "C1", Manner: "hold", At: "call", Share: 1, First: 3, During: []string{"start", "30s"}},
				{Arm: "main", Rule: "r04", On: "sim", Cut: "C1", Manner: "fin", At: "call", Share: 1, Ramp: []float64{0.2, 0}, During: []string{"0s", "20s"}},
				{Arm: "main", Rule: "r05", On: "sim", Cut: "C1", Manner: "fin", At: "call", Share: 1, Tool: "append", Detail: &history.PlanDetail{Leg: "client"}},
			},
			Rollouts: 1000, Ops: 4,
			Marked: []reports.RuleMarks{{Rule: "r01", Of: 3000, Marked: []int{900, 880}}},
			Marks:  []reports.ScheduledMark{{Op: "t000001/s02", Attempt: 2, Role: "call", Tool: "append", Mark: history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"}}},
		},
	}}
	var out bytes.Buffer
	if err := s.Text(&out, reports.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	says(t, out.String(),
		"PLAN  a.js, seed 7\n",
		"arm          control\n", "faults       none\n",
		"arm          main\n",
		"r01 C4 rst at call of sim, share 0 % to 30 %, during 10s to 30s\n",
		"r02 burst fin on 50 % of the open connections of sim, at 20s\n",
		"r03 C1 hold at call of sim, the first 3 operations, share 100 %,\n",
		"r05 C1 fin on leg client at call of sim, tool append, share 100 %\n",
		"time line    r01   "+strings.Repeat(".", 14)+strings.Repeat("/", 29)+strings.Repeat(".", 14)+"\n",
		"r02   "+strings.Repeat(".", 29)+"!"+strings.Repeat(".", 27)+"\n",
		"r03   "+strings.Repeat("=", 43)+strings.Repeat(".", 14)+"\n",
		"r04   "+strings.Repeat(`\`, 29)+strings.Repeat(".", 28)+"\n",
		"r05   "+strings.Repeat("=", 57)+"\n",
		"heal  "+strings.Repeat(".", 43)+strings.Repeat("h", 14)+"\n",
		"0s"+strings.Repeat(" ", 52)+"40s\n",
		"supposing 1,000 × 4 operations, the connects included:\n",
		"r01 900 of 3,000 exchanges at attempt 1, 880 at attempt 2\n",
		"t000001/s02/a2 call append: C4 rst (r01)\n",
	)
}

// A schedule is printed whole, however long it is; a summary folds it.
func TestLongPlans(t *testing.T) {
	var rules []history.PlanRule
	for i := range 8 {
		rules = append(rules, history.PlanRule{Arm: "main", Rule: fmt.Sprintf("r%02d", i+1), On: "sim", Cut: "C1", Manner: "fin", At: "call", Share: 1})
	}
	main := history.Arm{Name: "main", Judge: true}
	marks := make([]reports.ScheduledMark, 9)
	s := reports.Schedule{Arms: []reports.ArmSchedule{{Arm: main, Rules: rules, Marks: marks}}}
	var whole bytes.Buffer
	if err := s.Text(&whole, reports.Style{}); err != nil {
		t.Fatal(err)
	}
	says(t, whole.String(), "r06 C1", "r07 C1", "r08 C1", "and 1 more mark; --json prints all\n")
	if strings.Contains(whole.String(), "more rule") {
		t.Errorf("a schedule is folded:\n%s", whole.String())
	}
	for _, c := range []struct {
		rules []history.PlanRule
		want  string
	}{
		{rules[:6], "r06 C1 fin at call of sim, share 100 %\n\n"},
		{rules[:7], "r06 C1 fin at call of sim, share 100 %\n               and 1 more rule\n\n"},
		{rules, "r06 C1 fin at call of sim, share 100 %\n               and 2 more rules\n\n"},
	} {
		var out bytes.Buffer
		run := &history.Run{Manifest: history.Manifest{Arms: []history.Arm{main}}, Plan: c.rules}
		if err := reports.Terminal(&out, history.Verdict{Status: history.Pass}, run, reports.Style{}); err != nil {
			t.Fatal(err)
		}
		says(t, out.String(), c.want)
	}
}

func TestSweepText(t *testing.T) {
	v := history.Verdict{Status: history.Pass, Sweep: []history.SweepCoverage{{
		Arm: "main", Sweep: history.Sweep{Placements: 112, Pairs: 6216, Cases: 2016, Excluded: []history.Excluded{{Pairs: true, Count: 728, Reason: "both on one exchange"}}},
		Started: 2016, Met: 1904, Singles: 112, PairsMet: 1848,
		Missing: []history.Excluded{{Count: 1, Reason: "its answer was too large"}},
	}}}
	var out bytes.Buffer
	if err := reports.Terminal(&out, v, &history.Run{}, reports.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	says(t, out.String(),
		"sweep        112 of 112 single placements met, alone or in a pair\n",
		"1,848 of 6,216 pairs met\n",
		"1 single placement did not occur: its answer was too large\n",
		"728 pairs cannot occur: both on one exchange\n",
	)
}

func TestReproductionText(t *testing.T) {
	r := reports.Reproduction{
		Dir: "runs/r1", Task: "t000017", Arm: "main", Invariant: "exactly-once-turns",
		Faults: []string{"C1 fin at call, attempt 1 of t000017/s02", "C4 rst at call, attempt 1 of t000017/s03"},
		Steps:  []reports.ReproduceStep{{What: "alone, with every fault of its own", Seen: 8, Tried: 8}},
		Rate:   history.Interval{Count: 18, Of: 20, Low: 0.683, High: 0.988}, Neighbours: true,
		Command: []string{"mcpstorm", "run", "my scripts/a.js", "--faults", "it's.json"},
	}
	var out bytes.Buffer
	if err := r.Text(&out, reports.Style{Width: 60}); err != nil {
		t.Fatal(err)
	}
	says(t, out.String(),
		"REPRODUCED: exactly-once-turns  t000017 of runs/r1, arm main\n",
		"met          C1 fin", "C4 rst",
		"tried        alone, with every fault of its own: 8 of 8\n",
		"smallest     no fault at all\n", "and all the other rollouts beside it",
		"reproduces   18 of 20 times · 68 % to 98.8 %\n",
		`repeat       mcpstorm run 'my scripts/a.js' --faults 'it'\''s.json'`+"\n",
	)
}
