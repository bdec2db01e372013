package reports_test

import (
	"bytes"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// TestWhatAPassDoesNotSay: what a run left out stands in its summary, so that nobody takes
// it for more than it is.
func TestWhatAPassDoesNotSay(t *testing.T) {
	noFault := func(v *history.Verdict, r *history.Run) { r.Plan, v.Counts.Faults, v.Counts.Cuts = nil, nil, nil }
	for _, c := range []struct {
		name   string
		change func(*history.Verdict, *history.Run)
		want   []string
		not    string
	}{
		{"a plan that acted", func(*history.Verdict, *history.Run) {}, []string{"VERDICT: PASS\n"}, "no fault planned"},
		{"no fault at all", noFault, []string{"VERDICT: PASS, with no fault planned  run", "\nVERDICT: PASS, with no fault planned\n"}, "VERDICT: PASS\n"},
		{"a failure without a fault", func(v *history.Verdict, r *history.Run) {
			noFault(v, r)
			v.Status = history.Fail
		}, []string{"VERDICT: FAIL\n"}, "no fault planned"},
		{"toxics alone", func(v *history.Verdict, r *history.Run) {
			v.Counts.Faults = map[history.FaultState]int{history.FaultInstalled: 3}
			for conn, toxic := range []string{"reset_peer", "latency", "reset_peer"} {
				r.Faults = append(r.Faults, history.Fault{Arm: "main", Server: "sim", Toxic: toxic, Conn: int64(conn), State: history.FaultInstalled})
			}
			r.Faults = append(r.Faults, history.Fault{Arm: "control", Toxic: "slicer", State: history.FaultInstalled}, r.Faults[0])
		}, []string{"faults toxics: reset_peer on 2 connections, latency on 1 connection; what they did there is not recorded"}, "faults none"},
		{"one server without a record of its own", func(*history.Verdict, *history.Run) {}, []string{
			"executions 0 committed, 0 answered from the record tools records no executions; what is said of it below is from the witness",
		}, ""},
		{"no server with a record", func(_ *history.Verdict, r *history.Run) { r.Manifest.Arms[1].Servers = r.Manifest.Arms[1].Servers[1:] }, []string{
			"executions tools records no executions; what is said of it below is from the witness",
		}, "committed"},
		{"invariants left out", func(v *history.Verdict, _ *history.Run) {
			v.NotAsserted = []history.Invariant{
				{ID: "blast-radius", Status: history.Pass},
				{ID: "no-spurious-failure", Status: history.Fail, Violated: 10, Evaluated: 24, Unit: "rollouts"},
				{ID: "recovery", Status: history.NotEvaluated},
			}
		}, []string{"not asserted blast-radius, recovery; would be violated: no-spurious-failure (in 10 of 24 rollouts)"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, run := passing(), testRun()
			c.change(&v, run)
			var out bytes.Buffer
			if err := reports.Terminal(&out, v, run, reports.Style{}); err != nil {
				t.Fatal(err)
			}
			flat := strings.Join(strings.Fields(out.String()), " ")
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) && !strings.Contains(flat, want) {
					t.Errorf("it does not say %q:\n%s", want, out.String())
				}
			}
			if c.not != "" && (strings.Contains(out.String(), c.not) || strings.Contains(flat, c.not)) {
				t.Errorf("it says %q:\n%s", c.not, out.String())
			}
		})
	}
}

// TestCoverageIsNoFailureOfTheTarget: every report says that it is not met, and what to do
// where the machine was the limit.
func TestCoverageIsNoFailureOfTheTarget(t *testing.T) {
	v, run := inconclusive(), testRun()
	v.Invariants[0].Clauses = append(v.Invariants[0].Clauses, history.Clause{Name: "host", Status: history.Fail, Text: "harness-limited: timers fired 2.607s late"})
	for name, write := range map[string]func(*bytes.Buffer) error{
		"terminal": func(b *bytes.Buffer) error { return reports.Terminal(b, v, run, reports.Style{}) },
		"markdown": func(b *bytes.Buffer) error { return reports.Markdown(b, run, v, nil) },
		"html":     func(b *bytes.Buffer) error { return reports.HTML(b, run, v, nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			flat := strings.NewReplacer(`\`, "").Replace(strings.Join(strings.Fields(out.String()), " "))
			for _, want := range []string{"not met", "mcpstorm doctor says how many it carries"} {
				if !strings.Contains(flat, want) {
					t.Errorf("it does not say %q:\n%s", want, flat)
				}
			}
			for _, wrong := range []string{"FAIL coverage", "❌", "fail: host"} {
				if strings.Contains(flat, wrong) {
					t.Errorf("it says %q:\n%s", wrong, flat)
				}
			}
		})
	}
}
