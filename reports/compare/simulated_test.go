package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/reports/compare"
)

// world is what simulated rollouts are like.
type world struct {
	rollouts int
	failing  float64 // the chance that a rollout fails on its last operation
	exactly  int     // that so many fail, in the place of a chance
	unknown  float64 // the chance that a rollout is one of bad luck, which is told unknown often
	slow     float64 // seconds that an operation takes in the mean
}

// history simulates the history of one arm: six operations a rollout, which share its
// fate and its speed.
func (w world) history(id string, chance *rand.Rand) *history.Run {
	run := &history.Run{Manifest: history.Manifest{
		Schema: history.Schema, ID: id, State: history.StateFinished, Seed: 1, Script: history.Script{Path: "scenarios/x.js", SHA256: "abc"},
		Arms: []history.Arm{{
			Name: "main", Judge: true, Policies: map[string]string{"sim": "settle"},
			Servers:   []history.Server{{Name: "sim", Reference: "usersim", Era: "2025-11-25"}},
			Scenarios: []history.Scenario{{Name: "rollouts", Executor: "per-vu-iterations", VUs: w.rollouts, Planned: int64(w.rollouts)}},
		}},
	}}
	for i := range w.rollouts {
		task := fmt.Sprintf("t%06d", i)
		r := history.Rollout{Arm: "main", Scenario: "rollouts", Task: task, Rollout: task + ".1", Iteration: int64(i), Outcome: history.Completed}
		unlucky, speed := chance.Float64() < w.unknown, w.slow*(0.5+chance.ExpFloat64())
		for s := range 6 {
			op := history.Op{
				Arm: "main", Op: fmt.Sprintf("%s/s%02d", task, s+1), Rollout: r.Rollout, Server: "sim", Kind: history.KindTurn, Tool: "respond",
				Key: fmt.Sprintf("seq:%d", s), Class: history.Unsafe, Told: history.ToldOK, Attempts: 1, Deadline: int64(10 * time.Second),
				Start: history.Instant(s) * 1e9,
			}
			if unlucky && chance.Float64() < 0.7 {
				op.Told = history.ToldUnknown
			}
			op.End = op.Start + history.Instant(speed*(0.8+0.4*chance.Float64())*1e9)
			run.Ops = append(run.Ops, op)
		}
		fails := chance.Float64() < w.failing
		if w.exactly > 0 {
			fails = i < w.exactly
		}
		if fails {
			last := &run.Ops[len(run.Ops)-1]
			last.Told = history.ToldUnknown
			r.Outcome, r.Cause = history.Failed, &history.RolloutCause{Op: last.Op, Told: last.Told, Text: "lost"}
		}
		run.Rollouts = append(run.Rollouts, r)
	}
	return run
}

// measure simulates and measures.
func (w world) measure(t *testing.T, id string, chance *rand.Rand) *compare.Measured {
	t.Helper()
	m, err := compare.Measure(w.history(id, chance))
	if err != nil {
		t.Fatal(err)
	}
	m.Status = history.Pass // a simulation has no control arm, and covers nothing
	return m
}

func versus(t *testing.T, base, head *compare.Measured, o compare.Options) *compare.Report {
	t.Helper()
	r, err := compare.Compare(base, []*compare.Measured{head}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func rateOf(t *testing.T, r *compare.Report, name string) compare.RateChange {
	t.Helper()
	for _, c := range r.Pairs[0].Arms[0].Rates {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no rate is called %s", name)
	return compare.RateChange{}
}

// Two runs of the same thing: of twenty comparisons at the 95 % level, no more than two
// find a change, and of twice as many no more than 7 %.
func TestTheSameThingTwice(t *testing.T) {
	same := world{rollouts: 64, failing: 0.05, unknown: 0.1, slow: 0.05}
	chance := seed.Root(7).Stream("same")
	alarms := 0
	const many = 40
	for n := range many {
		base, head := same.measure(t, "base", chance), same.measure(t, "head", chance)
		if r := versus(t, base, head, compare.Options{}); r.Conclusion != compare.NoEvidence {
			alarms++
			t.Logf("comparison %d: %s: %v", n+1, r.Conclusion, r.Reasons)
		}
		if n+1 == 20 && alarms > 2 {
			t.Errorf("%d of 20 comparisons of the same thing found a change", alarms)
		}
	}
	if alarms > many*7/100 {
		t.Errorf("%d of %d comparisons of the same thing found a change", alarms, many)
	}
	t.Logf("%d of %d comparisons of the same thing found a change", alarms, many)
}

func TestNoneAgainstTwoPerCentOf512(t *testing.T) {
	chance := seed.Root(8).Stream("two per cent")
	none := world{rollouts: 512, slow: 0.05}
	ten := world{rollouts: 512, exactly: 10, slow: 0.05}
	clean, failing := none.measure(t, "clean", chance), ten.measure(t, "failing", chance)
	r := versus(t, clean, failing, compare.Options{})
	if r.Conclusion != compare.Worse || r.ExitCode() != 1 {
		t.Errorf("%s: %v", r.Conclusion, r.Reasons)
	}
	if c := rateOf(t, r, "failed"); c.Evidence != compare.Rose || c.Head.Count != 10 || c.Low <= 0 {
		t.Errorf("failed: %+v", c)
	}
	back := versus(t, failing, clean, compare.Options{})
	if back.Conclusion != compare.Better || back.ExitCode() != 0 {
		t.Errorf("the other way round: %s: %v", back.Conclusion, back.Reasons)
	}
}

func TestNoneAgainstOneOf64(t *testing.T) {
	chance := seed.Root(9).Stream("one")
	none, one := world{rollouts: 64, slow: 0.05}, world{rollouts: 64, exactly: 1, slow: 0.05}
	r := versus(t, none.measure(t, "base", chance), one.measure(t, "head", chance), compare.Options{})
	if r.Conclusion != compare.NoEvidence || r.ExitCode() != 0 || len(r.Reasons) > 0 {
		t.Errorf("%s: %v", r.Conclusion, r.Reasons)
	}
	// What settles it: about 8 failures against none, one in 64 each.
	if c := rateOf(t, r, "failed"); c.Evidence != compare.None || c.Needed < 450 || c.Needed > 800 {
		t.Errorf("failed: %+v", c)
	}
	if c := rateOf(t, r, "told-unknown"); c.Needed < 450 || c.Needed > 1500 {
		t.Errorf("told-unknown needs %d rollouts: its operations are taken for independent, or for nothing", c.Needed)
	}
}

// Latencies are the clusters' too: a quantile that is twice as high is told from its
// base, and a run is not told from itself.
func TestLatencies(t *testing.T) {
	chance := seed.Root(10).Stream("latency")
	base := world{rollouts: 256, slow: 0.05}.measure(t, "base", chance)
	slow := world{rollouts: 256, slow: 0.1}.measure(t, "head", chance)
	again := world{rollouts: 256, slow: 0.05}.measure(t, "again", chance)
	for _, c := range []struct {
		rule    string
		head    *compare.Measured
		outcome compare.Outcome
		code    int
	}{
		{"mcp_op_duration p50 +20%", slow, compare.Broken, 1},
		{"mcp_op_duration{kind:turn} p99 +20%", slow, compare.Broken, 1},
		{"mcp_op_duration p50 +10ms", slow, compare.Broken, 1},
		{"mcp_op_duration p50 +300%", slow, compare.Holds, 0},
		{"mcp_op_duration p50 +5s", slow, compare.Holds, 0},
		{"mcp_op_duration p50 +50%", again, compare.Holds, 0},
		{"mcp_op_duration p50 +0%", again, compare.Undecided, 2},
		{"mcp_op_duration{server:other} p50 +5%", again, compare.Unmeasured, 2},
		{"replayed rate +1pp", again, compare.Unmeasured, 2},
		{"failed rate +3pp", again, compare.Holds, 0},
		{"failed rate +0.5pp", again, compare.Undecided, 2},
	} {
		t.Run(c.rule, func(t *testing.T) {
			rule, err := compare.ParseRule(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			r := versus(t, base, c.head, compare.Options{Rules: []compare.Rule{rule}})
			if got := r.Pairs[0].Rules; len(got) != 1 || got[0].Outcome != c.outcome || r.ExitCode() != c.code {
				t.Errorf("%+v, exit code %d, want %s and %d", got, r.ExitCode(), c.outcome, c.code)
			}
		})
	}
}
