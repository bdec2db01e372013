package reports_test

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/reports/check"
)

// caseOf is a test case as a CI server reads it: its name and how it ended.
type caseOf struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Failure *struct{} `xml:"failure"`
	Error   *struct{} `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

func (c caseOf) outcome() string {
	switch {
	case c.Failure != nil:
		return "failure"
	case c.Error != nil:
		return "error"
	case c.Skipped != nil:
		return "skipped"
	}
	return "passed"
}

// cases are the outcomes of a run's test cases.
func cases(t *testing.T, run *history.Run, v history.Verdict, metrics *history.Metrics) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := reports.JUnit(&out, run, v, metrics); err != nil {
		t.Fatal(err)
	}
	var document struct {
		Suites []struct {
			Cases []caseOf `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, suite := range document.Suites {
		for _, c := range suite.Cases {
			got[c.Class+" "+c.Name] = c.outcome()
		}
	}
	return got
}

func TestJUnit(t *testing.T) {
	all := func(changed map[string]string) map[string]string {
		want := map[string]string{
			"lost-answers.main coverage": "passed", "lost-answers.main exactly-once-turns": "passed", "lost-answers.main truthful-outcome": "passed",
			"lost-answers.main no-hang": "passed", "lost-answers.main no-leak": "skipped", "lost-answers.run verdict": "passed",
		}
		for name, outcome := range changed {
			want[name] = outcome
		}
		return want
	}
	named := testRun()
	named.Manifest.Named = []string{"no-leak"}
	for _, c := range []struct {
		name    string
		run     *history.Run
		verdict history.Verdict
		metrics *history.Metrics
		want    map[string]string
	}{
		{"pass", testRun(), passing(), nil, all(nil)},
		{"fail", testRun(), failing(), nil, all(map[string]string{"lost-answers.main exactly-once-turns": "failure", "lost-answers.run verdict": "failure"})},
		{"inconclusive", testRun(), inconclusive(), nil, all(map[string]string{"lost-answers.main coverage": "error", "lost-answers.run verdict": "error"})},
		{"known", testRun(), verdicts()["known"], nil, all(map[string]string{"lost-answers.main exactly-once-turns": "skipped"})},
		{"what the script names is not skipped", named, passing(), nil, all(map[string]string{"lost-answers.main no-leak": "error"})},
		{"thresholds", testRun(), passing(), &history.Metrics{Arms: []history.ArmMetrics{
			{Arm: "main", Thresholds: []history.Threshold{
				{Metric: "m", Expr: "a", Status: history.Pass},
				{Metric: "m", Expr: "b", Status: history.Fail},
				{Metric: "m", Expr: "c", Status: history.NotEvaluated},
				{Metric: "m", Expr: "d", Status: history.NotEvaluated, Allowed: true},
			}},
			{Arm: "control", Thresholds: []history.Threshold{{Metric: "m", Expr: "e", Status: history.Fail}}}, // sets no exit code
		}}, all(map[string]string{
			"lost-answers.main.thresholds m a": "passed", "lost-answers.main.thresholds m b": "failure",
			"lost-answers.main.thresholds m c": "error", "lost-answers.main.thresholds m d": "skipped",
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, cases(t, c.run, c.verdict, c.metrics)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// hanging is a run of two judged arms, of which the second left an operation without an
// answer.
func hanging() *history.Run {
	run := &history.Run{Manifest: history.Manifest{ID: "r", Script: history.Script{Path: "a.b.js"}, Arms: []history.Arm{{Name: "one", Judge: true}, {Name: "two", Judge: true}}}}
	for _, arm := range []string{"one", "two"} {
		op := history.Op{Arm: arm, Op: "t000001/s01", Rollout: "t000001.1", Server: "s", Kind: history.KindTool, Deadline: 1e9, End: 1e9, Attempts: 1, Told: history.ToldOK}
		if arm == "two" {
			op.End, op.Told = 9e9, history.ToldNone
		}
		run.Ops = append(run.Ops, op)
		run.Rollouts = append(run.Rollouts, history.Rollout{Arm: arm, Task: "t000001", Rollout: "t000001.1", Outcome: history.Completed, Ops: 1})
	}
	return run
}

// Where several arms are judged, each has cases of its own, of what the verdict was made
// with: its invariants and its known failures.
func TestJUnitOfArms(t *testing.T) {
	listed := history.KnownFailure{Invariant: "no-hang", Arm: "two", Reason: "issue 9"}
	for name, c := range map[string]struct {
		verdict history.Verdict
		want    map[string]string
	}{
		"one hangs": {
			check.Evaluate(hanging(), check.Options{Only: []string{"no-hang"}}),
			map[string]string{"a_b.one no-hang": "passed", "a_b.two no-hang": "failure", "a_b.one coverage": "error", "a_b.two coverage": "error", "a_b.run verdict": "failure"},
		},
		"as is known": {
			check.Evaluate(hanging(), check.Options{Only: []string{"no-hang"}, Known: []history.KnownFailure{listed}}),
			map[string]string{"a_b.one no-hang": "passed", "a_b.two no-hang": "skipped", "a_b.one coverage": "error", "a_b.two coverage": "error", "a_b.run verdict": "error"},
		},
		"no arm has what the verdict says": {
			history.Verdict{Status: history.Fail, Invariants: []history.Invariant{{ID: "isolation", Status: history.Fail}, {ID: "no-hang", Status: history.Fail}}},
			map[string]string{
				"a_b.one isolation": "skipped", "a_b.two isolation": "skipped", "a_b.run isolation": "failure",
				"a_b.one no-hang": "passed", "a_b.two no-hang": "failure", "a_b.run verdict": "failure",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, cases(t, hanging(), c.verdict, nil)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
