package reports

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/reports/junit"
	"mcpstorm/reports/safe"
)

// JUnitFile is the name of a run's test report within its directory.
const JUnitFile = "junit.xml"

// JUnit writes a run as test cases: one for each judged arm and invariant, one for each
// threshold, and one for the verdict itself. What is violated is a failure, what makes
// the run inconclusive an error, and what was not evaluated is skipped. metrics may be
// nil. The only error is that of w.
func JUnit(w io.Writer, run *history.Run, v history.Verdict, metrics *history.Metrics) error {
	return prepare(run, v, metrics).junit(w)
}

func (s *stored) junit(w io.Writer) error {
	var suites []junit.Suite
	shown := map[string]map[history.Status]bool{} // of each invariant, in any arm
	arms := s.judged()
	for i, raw := range judged(s.raw.Manifest.Arms) {
		suite := s.suite(arms[i])
		for _, inv := range s.invariantsOf(raw.Name, len(arms)) {
			suite.Cases = append(suite.Cases, s.invariantCase(suite.Name, inv))
			if shown[inv.ID] == nil {
				shown[inv.ID] = map[history.Status]bool{}
			}
			shown[inv.ID][inv.Status] = true
		}
		suites = append(suites, suite)
	}
	run := s.verdictSuite()
	for _, inv := range s.verdict.Invariants {
		if !shown[inv.ID][inv.Status] { // no arm alone has what all of them come to
			run.Cases = append(run.Cases, s.invariantCase(run.Name, inv))
		}
	}
	return junit.Write(w, append(suites, run))
}

// invariantsOf are the verdicts on one arm. Where there are several, a verdict does not
// say which arm each of its invariants was violated in: the arm is judged as if the
// others were not, by the invariants and the known failures that the verdict was made
// with.
func (s *stored) invariantsOf(arm string, arms int) []history.Invariant {
	if arms == 1 {
		return s.verdict.Invariants
	}
	alone := *s.raw
	alone.Manifest.Arms = slices.Clone(s.raw.Manifest.Arms)
	for i := range alone.Manifest.Arms {
		if a := &alone.Manifest.Arms[i]; !a.Control && a.Name != arm {
			a.Judge = false
		}
	}
	options := check.Options{Known: []history.KnownFailure{}}
	for _, inv := range s.asMade.Invariants {
		options.Only = append(options.Only, inv.ID)
	}
	for _, known := range s.asMade.Known {
		options.Known = append(options.Known, known.KnownFailure)
	}
	invariants := check.Evaluate(&alone, options).Invariants
	return safe.All(slices.DeleteFunc(invariants, func(inv history.Invariant) bool {
		return !slices.Contains(options.Only, inv.ID)
	}))
}

// class is the name under which a CI server files the cases of an arm.
func (s *stored) class(arm string) string {
	script := path.Base(strings.ReplaceAll(s.run.Manifest.Script.Path, `\`, "/"))
	return strings.ReplaceAll(strings.TrimSuffix(script, path.Ext(script)), ".", "_") + "." + strings.ReplaceAll(arm, ".", "_")
}

func (s *stored) suite(arm history.Arm) junit.Suite {
	m := &s.run.Manifest
	command, _ := repeat(m)
	return junit.Suite{
		Name: s.class(arm.Name), Start: m.Wall.Add(time.Duration(arm.Start)), Took: time.Duration(max(arm.End-arm.Start, 0)),
		Properties: []junit.Property{
			{Name: "run", Value: m.ID},
			{Name: "seed", Value: fmt.Sprint(m.Seed)},
			{Name: "script", Value: m.Script.Path},
			{Name: "command", Value: command},
		},
	}
}

// invariantCase is one invariant of one arm.
func (s *stored) invariantCase(class string, inv history.Invariant) junit.Case {
	c := junit.Case{Class: class, Name: inv.ID, Kind: string(inv.Status), Message: finding(inv), Text: s.evidence(inv)}
	switch inv.Status {
	case history.Fail:
		c.Outcome = junit.Failed
		if inv.ID == coverageID {
			c.Outcome, c.Kind = junit.Errored, string(history.Inconclusive)
		}
	case history.NotEvaluated:
		c.Outcome = junit.Skipped
		if slices.Contains(s.run.Manifest.Named, inv.ID) {
			c.Outcome, c.Kind = junit.Errored, string(history.Inconclusive)
		}
	case history.Known:
		c.Outcome = junit.Skipped
	}
	return c
}

// evidence is what is known of a violation, in lines.
func (s *stored) evidence(inv history.Invariant) string {
	var lines []string
	for _, c := range inv.Clauses {
		if c.Status != history.Pass {
			word, _ := clauseStatus(inv.ID, c)
			lines = append(lines, fmt.Sprintf("%s: %s: %s", word, c.Name, c.Text))
		}
	}
	if inv.Proof != nil {
		lines = append(lines, sentence(inv.Proof.Text))
		for i, event := range inv.Proof.Events {
			lines = append(lines, fmt.Sprintf("%2d  %s", i+1, event))
		}
		if command := s.explain(inv.Proof); command != "" {
			lines = append(lines, "all of it: "+command)
		}
	}
	return strings.Join(lines, "\n")
}

// explain is the command that tells all about the task of a proof.
func (s *stored) explain(p *history.Proof) string {
	if p.Task == "" {
		return ""
	}
	return commandLine([]string{"mcpstorm", "explain", s.run.Dir, p.Task})
}

// verdictSuite holds the verdict on the whole run and the thresholds, so that a CI
// server is as red as the exit code.
func (s *stored) verdictSuite() junit.Suite {
	suite := s.suite(history.Arm{Name: "run"})
	verdict := junit.Case{Class: suite.Name, Name: "verdict", Kind: string(s.verdict.Status), Message: s.verdict.Reason}
	switch s.verdict.Status {
	case history.Pass:
	case history.Fail:
		verdict.Outcome = junit.Failed
	default:
		verdict.Outcome = junit.Errored
	}
	suite.Cases = []junit.Case{verdict}
	for _, t := range s.thresholds() {
		c := junit.Case{Class: s.class(t.arm) + ".thresholds", Name: t.Metric + " " + t.Expr, Kind: string(t.Status), Message: thresholdText(t.Threshold)}
		switch {
		case t.Status == history.Fail:
			c.Outcome = junit.Failed
		case t.Status == history.NotEvaluated && t.Allowed:
			c.Outcome = junit.Skipped
		case t.Status == history.NotEvaluated:
			c.Outcome = junit.Errored
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

// thresholdText is what became of a threshold.
func thresholdText(t history.Threshold) string {
	if t.Status == history.NotEvaluated {
		return "no data"
	}
	return fmt.Sprintf("it is %.6g", t.Value)
}
