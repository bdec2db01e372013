package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

func TestFailuresWithACause(t *testing.T) {
	const lost = "call unknown C4 reset"
	for _, c := range []struct {
		name, clause string
		wanted
		change func(*history.Run)
	}{
		{"an unsafe call was lost", "1 rollout failed after an honest unknown", wanted{class: unsafe, told: "unknown", did: lost}, nil},
		{"one that could have been settled was not", "honest unknown", wanted{class: resolve, told: "unknown", did: lost}, nil},
		{"the receipt is that of its settling", "honest unknown", wanted{class: resolve, told: "unknown", did: "call unknown, settle unknown C4"}, nil},
		{
			"voided, sent again, and lost once more", "honest unknown",
			wanted{class: resolve, told: "unknown", settled: "voided", did: "call unknown C3, settle ok, call unknown C4, settle unknown C4"},
			nil,
		},
		{
			"a toxic of toxiproxy's own leaves no receipt", "honest unknown",
			wanted{class: unsafe, told: "unknown", did: "call unknown deadline"},
			func(r *history.Run) {
				r.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "tools", Toxic: "latency"}}
			},
		},
		{
			"the script gave up", "1 rollout failed for a genuine cause",
			wanted{class: history.Keyed, told: "not_executed", did: "call not_executed - dial"},
			func(r *history.Run) { r.Rollouts[0].Cause = &history.RolloutCause{Text: "gave up"} },
		},
		{"the server answered with an error", "genuine", wanted{class: history.Keyed, told: "unknown", did: "call unknown rpc_error"}, nil},
		{"the server answered with a status", "genuine", wanted{class: history.Keyed, told: "unknown", did: "call unknown 500"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "")
			failedOn(run, c.add(run))
			if c.change != nil {
				c.change(run)
			}
			inv := judge(t, run, "no-spurious-failure")
			wantStatus(t, inv, history.Pass, "")
			if len(inv.Clauses) != 1 || !strings.Contains(inv.Clauses[0].Text, c.clause) || inv.Evaluated != 1 {
				t.Errorf("%d evaluated, clauses %+v, want %q", inv.Evaluated, inv.Clauses, c.clause)
			}
		})
	}
}

func TestSpuriousFailures(t *testing.T) {
	const (
		nothingRan = "nothing ran and the client could know"
		class      = "another class than unsafe"
		delivered  = "the answer had already been delivered"
		receipt    = "no receipt on any attempt"
	)
	for _, c := range []struct {
		name, kind string
		wanted
	}{
		{"the session could not be set up", nothingRan, wanted{class: unsafe, told: "not_executed", did: "initialize unknown C4 reset"}},
		{"every dial failed", nothingRan, wanted{class: unsafe, told: "unknown", did: "call unknown - dial C0"}},
		{"a front end refused it, as the client could know", nothingRan, wanted{class: unsafe, told: "unknown", did: "call unknown C1 status 403"}},
		{"it was voided and not sent again", nothingRan, wanted{class: unsafe, told: "unknown", settled: "voided", did: "call unknown C4, settle ok"}},
		{"a keyed call was lost", class, wanted{class: history.Keyed, told: "unknown", did: "call unknown C4 reset"}},
		{"a read was lost", class, wanted{class: history.ReadOnly, told: "unknown", did: "call unknown C4 reset"}},
		{"the closing failed after the answer", delivered, wanted{class: unsafe, told: "unknown", did: "call ok, delete unknown C8"}},
		{"its settle gave the result", delivered, wanted{class: unsafe, told: "unknown", settled: "result", did: "call unknown C4, settle ok"}},
		{"nobody broke it", receipt, wanted{class: unsafe, told: "unknown", did: "call unknown reset"}},
		{"a status of a front end on a keyed call", class, wanted{class: history.Keyed, told: "unknown", did: "call unknown C1 status 503"}},
		{"it was told nothing", "it was told nothing", wanted{class: unsafe, told: "none", did: "call unknown C4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "")
			op := c.add(run)
			op.Knowable = strings.Contains(c.name, "could know")
			failedOn(run, op)
			inv := judge(t, run, "no-spurious-failure")
			wantStatus(t, inv, history.Fail, "1 × "+c.kind)
			if last := inv.Clauses[len(inv.Clauses)-1]; last.Name != "spurious" || last.Text != "1 rollout: "+c.kind {
				t.Errorf("clause %+v", last)
			}
		})
	}
}

func TestNoSpuriousFailureIsPerTask(t *testing.T) {
	spurious := wanted{class: history.Keyed, told: "unknown", did: "call unknown C4"}
	again := func(run *history.Run, outcome history.Outcome) {
		run.Rollouts = append(run.Rollouts, history.Rollout{Arm: "main", Task: "t000001", Rollout: "t000001.10", Outcome: outcome},
			history.Rollout{Arm: "main", Task: "t000001", Rollout: "t000001.9", Outcome: history.Failed})
		busied(run, "t000001.10")
	}
	for _, c := range []struct {
		name      string
		status    history.Status
		reason    string
		evaluated int
		change    func(*history.Run)
	}{
		{"the last rollout completed", history.Pass, "", 1, func(r *history.Run) { again(r, history.Completed) }},
		{"the last rollout was interrupted", history.NotEvaluated, "no rollout ended by itself", 0, func(r *history.Run) { again(r, history.Interrupted) }},
		{"the last rollout ended in a script error", history.NotEvaluated, "no rollout ended by itself", 0, func(r *history.Run) { again(r, history.ScriptError) }},
		{"no cause is recorded", history.NotEvaluated, "cause of its failure", 0, func(r *history.Run) { r.Rollouts[0].Cause = nil }},
		{"the operation is not recorded", history.NotEvaluated, "operation that failed it", 0, func(r *history.Run) { r.Ops = nil }},
		{"no rollout", history.NotEvaluated, "no rollout ended by itself", 0, func(r *history.Run) { r.Rollouts = nil }},
		{"another completed", history.Fail, "1 × another class", 2, func(r *history.Run) {
			r.Rollouts = append(r.Rollouts, history.Rollout{Arm: "main", Task: "t000002", Rollout: "t000002.1", Outcome: history.Completed})
			busied(r, "t000002.1")
		}},
		{"another completed, and did nothing", history.Fail, "1 × another class", 1, func(r *history.Run) {
			r.Rollouts = append(r.Rollouts, history.Rollout{Arm: "main", Task: "t000002", Rollout: "t000002.1", Outcome: history.Completed})
			r.Ops = append(r.Ops, history.Op{Arm: "main", Op: "t000002/s01", Rollout: "t000002.1", Server: "tools", Kind: history.KindConnect, Told: history.ToldOK})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "")
			failedOn(run, spurious.add(run))
			c.change(run)
			inv := judge(t, run, "no-spurious-failure")
			wantStatus(t, inv, c.status, c.reason)
			if inv.Evaluated != c.evaluated {
				t.Errorf("%d evaluated, want %d", inv.Evaluated, c.evaluated)
			}
		})
	}
}

// The three kinds of failure are rates of all tasks.
func TestRatesOfFailures(t *testing.T) {
	run := runOf(t, "")
	failedOn(run, wanted{class: unsafe, told: "unknown", did: "call unknown C4"}.add(run))
	failedOn(run, wanted{op: "t000002/s01", class: history.Keyed, told: "unknown", did: "call unknown C4"}.add(run))
	failedOn(run, wanted{op: "t000003/s01", class: unsafe, told: "ok", did: "call ok"}.add(run)).Cause = &history.RolloutCause{Text: "gave up"}
	run.Rollouts = append(run.Rollouts, history.Rollout{Arm: "main", Task: "t000004", Rollout: "t000004.1", Outcome: history.Completed})
	busied(run, "t000004.1")
	for _, name := range []string{"failed-genuine", "failed-honest", "failed-spurious"} {
		if rate := findRate(t, run, name); rate.Rate.Count != 1 || rate.Rate.Of != 4 || rate.Rate.High == 0 {
			t.Errorf("%s is %+v, want 1 of 4", name, rate.Rate)
		}
	}
}

func findRate(t *testing.T, run *history.Run, name string) history.Rate {
	t.Helper()
	for _, rate := range evaluate(run).Rates {
		if rate.Name == name {
			return rate
		}
	}
	t.Fatalf("there is no rate %s", name)
	return history.Rate{}
}

// Latency makes an operation time out; it resets no connection.
func TestLatencyExcusesDeadlinesOnly(t *testing.T) {
	run := runOf(t, "")
	failedOn(run, wanted{class: unsafe, told: "unknown", did: "call unknown reset"}.add(run))
	run.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "tools", Toxic: "latency"}}
	wantStatus(t, judge(t, run, "no-spurious-failure"), history.Fail, "no receipt on any attempt")
}
