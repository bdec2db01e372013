package check_test

import (
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// A listed failure does not fail a run, an unlisted one does, and so does a listed
// one that holds now.
func TestKnownFailures(t *testing.T) {
	const id = "exactly-once-turns"
	entry := func(change func(*history.KnownFailure)) []history.KnownFailure {
		k := history.KnownFailure{Invariant: id, Reason: "issue 12"}
		if change != nil {
			change(&k)
		}
		return []history.KnownFailure{k}
	}
	for _, c := range []struct {
		name   string
		holds  bool
		known  []history.KnownFailure
		change func(*history.Run)
		status history.Status
		of     history.Status // of the invariant
		reason string
		state  history.KnownState
	}{
		{"listed", false, entry(nil), nil, history.Pass, history.Known, "exactly-once-turns fails as is known", history.KnownFails},
		{"not listed", false, nil, nil, history.Fail, history.Fail, "is violated", ""},
		{"listed and mended", true, entry(nil), nil, history.Fail, history.Pass, "exactly-once-turns is listed as a known failure (issue 12) and holds: take it off the list", history.KnownStale},
		{"listed for this script", false, entry(func(k *history.KnownFailure) { k.Script = "scenarios/a.js" }), nil, history.Pass, history.Known, "as is known", history.KnownFails},
		{"listed for the end of its path", false, entry(func(k *history.KnownFailure) { k.Script = "./a.js" }), nil, history.Pass, history.Known, "as is known", history.KnownFails},
		{"listed for another script", false, entry(func(k *history.KnownFailure) { k.Script = "b.js" }), nil, history.Fail, history.Fail, "is violated", ""},
		{"half a name is another script", false, entry(func(k *history.KnownFailure) { k.Script = ".js" }), nil, history.Fail, history.Fail, "is violated", ""},
		{"listed for this arm", false, entry(func(k *history.KnownFailure) { k.Arm = "main" }), nil, history.Pass, history.Known, "as is known", history.KnownFails},
		{"listed for another arm", false, entry(func(k *history.KnownFailure) { k.Arm = "before" }), nil, history.Fail, history.Fail, "is violated", ""},
		{"listed for this policy", false, entry(func(k *history.KnownFailure) { k.Policy = "settle" }), nil, history.Pass, history.Known, "as is known", history.KnownFails},
		{"listed for another policy", true, entry(func(k *history.KnownFailure) { k.Policy = "at-most-once" }), nil, history.Pass, history.Pass, "hold", ""},
		{"listed for this bug", false, entry(func(k *history.KnownFailure) { k.Bug = "FM-01" }), nil, history.Pass, history.Known, "as is known", history.KnownFails},
		{"listed for another bug", false, entry(func(k *history.KnownFailure) { k.Bug = "FM-02" }), nil, history.Fail, history.Fail, "is violated", ""},
		{"on its last day", false, entry(func(k *history.KnownFailure) { k.Until = "2026-11-29" }), nil, history.Pass, history.Known, "as is known", history.KnownFails},
		{"after its last day", false, entry(func(k *history.KnownFailure) { k.Until = "2026-11-28" }), nil, history.Fail, history.Fail, "is violated", history.KnownExpired},
		{"after its last day, and mended", true, entry(func(k *history.KnownFailure) { k.Until = "2026-11-28" }), nil, history.Pass, history.Pass, "hold", history.KnownExpired},
		{"it cannot be told", true, entry(nil), func(r *history.Run) { r.Manifest.Arms[0].Servers[0].Effects = false }, history.Pass, history.NotEvaluated, "hold", history.KnownUntold},
		{"it held in a run that measured nothing", true, entry(nil), func(r *history.Run) { r.Manifest.State = history.StateStopped }, history.Inconclusive, history.Pass, "coverage does not hold", history.KnownUntold},
		{"it was not asked", true, entry(nil), func(r *history.Run) { r.Manifest.Assert = []string{"isolation"} }, history.Pass, "", "hold", ""},
		{"a run that measured nothing", false, entry(nil), func(r *history.Run) { r.Manifest.State = history.StateStopped }, history.Inconclusive, history.Known, "coverage does not hold", history.KnownFails},
		{"another one fails too", false, entry(nil), func(r *history.Run) { r.Ops[0].Told = history.ToldNone }, history.Fail, history.Known, "no-hang is violated", history.KnownFails},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := script{turns: "seq:1 ok n1", log: "commit seq:1 n1, answer seq:1 n1"}.run(t)
			if !c.holds {
				run.Rollouts[0].Turns[0].Nonce = "other"
			}
			m := &run.Manifest
			m.Script.Path, m.Known, m.Wall = "../scenarios/a.js", c.known, time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
			m.Arms[0].Policies, m.Arms[0].Bugs = map[string]string{"sim": "settle", "tools": "none"}, []string{"FM-01"}
			if c.change != nil {
				c.change(run)
			}
			v := evaluate(run)
			if v.Status != c.status || !strings.Contains(v.Reason, c.reason) {
				t.Errorf("%q: %s; want %q: %s", v.Status, v.Reason, c.status, c.reason)
			}
			for _, inv := range v.Invariants {
				if inv.ID == id && inv.Status != c.of {
					t.Errorf("the invariant is %q, want %q", inv.Status, c.of)
				}
			}
			var state history.KnownState
			if len(v.Known) > 0 {
				state = v.Known[0].State
			}
			if state != c.state {
				t.Errorf("the entry is %q, want %q", state, c.state)
			}
		})
	}
}

// An entry for one arm does not excuse another.
func TestKnownFailureOfOneArm(t *testing.T) {
	for _, c := range []struct {
		arms   []string
		status history.Status
	}{{[]string{"main"}, history.Fail}, {[]string{"second"}, history.Fail}, {[]string{"main", "second"}, history.Pass}} {
		run := coveredRun()
		copyArm(run, "second", false, true)
		for i := range run.Ops {
			run.Ops[i].Attempts, run.Ops[i].Budget = 3, 2
		}
		for _, arm := range c.arms {
			run.Manifest.Known = append(run.Manifest.Known, history.KnownFailure{Invariant: "bounded-retry", Arm: arm, Reason: "x"})
		}
		if v := evaluate(run); v.Status != c.status {
			t.Errorf("listed for %v: %q, %s", c.arms, v.Status, v.Reason)
		}
	}
}

// A list that is given wins over that of the run, also when it is empty.
func TestKnownFailuresGiven(t *testing.T) {
	run := script{turns: "seq:1 ok n1", log: "commit seq:1 n1, answer seq:1 n1"}.run(t)
	run.Rollouts[0].Turns[0].Nonce = "other"
	run.Manifest.Known = []history.KnownFailure{{Invariant: "exactly-once-turns", Reason: "x"}}
	if v := check.Evaluate(run, check.Options{Known: []history.KnownFailure{}}); v.Status != history.Fail {
		t.Errorf("%q: %s", v.Status, v.Reason)
	}
}
