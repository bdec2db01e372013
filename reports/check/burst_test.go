package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// TestABurstOnAnIdleConnection is the fault of the operation that the connection
// was used for next, and of no other.
func TestABurstOnAnIdleConnection(t *testing.T) {
	blast := func(cut string, at history.Instant, rollout string) history.Invariant {
		run := &history.Run{
			Manifest: history.Manifest{State: history.StateFinished, Assert: []string{"blast-radius"}, Arms: []history.Arm{{Name: "main", Judge: true}}},
			Ops: []history.Op{
				{Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "sim", Told: history.ToldOK, Attempts: 1, Start: 10, End: 20},
				{Arm: "main", Op: "t000001/s03", Rollout: "t000001.1", Server: "sim", Told: history.ToldUnknown, Attempts: 1, Start: 30, End: 40},
			},
			Faults: []history.Fault{{
				Arm: "main", Server: "sim", Rollout: rollout, Cut: cut, Manner: "rst", State: history.FaultDelivered, At: at,
			}},
		}
		for _, i := range check.Evaluate(run, check.Options{}).Invariants {
			if i.ID == "blast-radius" {
				return i
			}
		}
		t.Fatal("blast-radius was not judged")
		return history.Invariant{}
	}
	for name, tt := range map[string]struct {
		at       history.Instant
		rollout  string
		violated int
	}{
		"while it was idle":        {25, "t000001.1", 0},
		"as it was used again":     {35, "t000001.1", 0},
		"too early":                {15, "t000001.1", 1},
		"too late":                 {50, "t000001.1", 1},
		"of a neighbour's rollout": {25, "t000002.1", 1},
	} {
		for _, cut := range []string{"burst", "idle"} {
			if got := blast(cut, tt.at, tt.rollout); got.Violated != tt.violated {
				t.Errorf("%s %s: %d violated, want %d", cut, name, got.Violated, tt.violated)
			}
		}
	}
}

// A burst that could not tell whose connection it cut leaves one operation whose
// new connection died meanwhile unjudged, and no more than one.
func TestABurstOnANewConnection(t *testing.T) {
	for _, c := range []struct {
		name   string
		status history.Status
		change func(*history.Run)
	}{
		{"while the attempt ran", history.NotEvaluated, func(*history.Run) {}},
		{"on a connection that was not new", history.Fail, func(r *history.Run) { r.Attempts[0].ConnNew = false }},
		{"before the attempt", history.Fail, func(r *history.Run) { r.Faults[0].At = 0 }},
		{"after the attempt", history.Fail, func(r *history.Run) { r.Faults[0].At = 99 }},
		{"of connections that came and waited", history.Fail, func(r *history.Run) { r.Faults[0].Cut, r.Faults[0].Manner = "accept", "hold" }},
		{"of a connection that came", history.NotEvaluated, func(r *history.Run) { r.Faults[0].Cut = "accept" }},
		{"on another server", history.Fail, func(r *history.Run) { r.Faults[0].Server = "sim" }},
		{"of an operation that timed out", history.Fail, func(r *history.Run) { r.Attempts[0].Cause.Class = "deadline" }},
		{"that another exchange met", history.Fail, func(r *history.Run) {
			other := wanted{op: "t000002/s02", told: "ok", did: "call unknown reset, call ok"}.add(r)
			first := &r.Attempts[1]
			first.ConnNew, first.Start, first.End, other.Start = true, 1, 2, 1
		}},
	} {
		run := runOf(t, "", wanted{class: history.Unsafe, told: history.ToldUnknown, did: "call unknown reset"})
		failedOn(run, &run.Ops[0])
		at := &run.Attempts[0]
		at.ConnNew, at.End = true, 10
		run.Faults = []history.Fault{{Arm: "main", Server: "tools", Rule: "r01", Cut: "burst", Manner: "rst", State: history.FaultDelivered, Conn: 7, At: 2}}
		c.change(run)
		for _, id := range []string{"blast-radius", "no-spurious-failure"} {
			t.Run(id+" "+c.name, func(t *testing.T) {
				reason := map[history.Status]string{history.NotEvaluated: "a burst cut a connection that had not named its rollout"}[c.status]
				wantStatus(t, judge(t, run, id), c.status, reason)
			})
		}
	}
}

// The proof says what a burst met where it names no operation.
func TestProofOfANamelessBurst(t *testing.T) {
	for rollout, want := range map[string]string{
		"":          "a neighbour, a connection to tools that had named no rollout: ",
		"t000007.1": "a neighbour, an idle connection of t000007.1 to tools: ",
	} {
		run := runOf(t, "", wanted{class: history.Unsafe, told: history.ToldUnknown, did: "call unknown reset"})
		run.Faults = []history.Fault{{Arm: "main", Server: "tools", Rollout: rollout, Cut: "burst", Manner: "rst", State: history.FaultDelivered, At: 1}}
		if events := strings.Join(judge(t, run, "blast-radius").Proof.Events, "\n"); !strings.Contains(events, want) {
			t.Errorf("the proof does not say %q:\n%s", want, events)
		}
	}
}
