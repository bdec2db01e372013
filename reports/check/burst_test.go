package check_test

import (
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// TestABurstOnAnIdleConnection is the fault of the operation that the connection
// was used for next, and of no other.
func TestABurstOnAnIdleConnection(t *testing.T) {
	blast := func(at history.Instant, rollout string) history.Invariant {
		run := &history.Run{
			Manifest: history.Manifest{State: history.StateFinished, Assert: []string{"blast-radius"}, Arms: []history.Arm{{Name: "main", Judge: true}}},
			Ops: []history.Op{
				{Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "sim", Told: history.ToldOK, Start: 10, End: 20},
				{Arm: "main", Op: "t000001/s03", Rollout: "t000001.1", Server: "sim", Told: history.ToldUnknown, Start: 30, End: 40},
			},
			Faults: []history.Fault{{
				Arm: "main", Server: "sim", Rollout: rollout, Cut: "burst", Manner: "rst", State: history.FaultDelivered, At: at,
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
		if got := blast(tt.at, tt.rollout); got.Violated != tt.violated {
			t.Errorf("%s: %d violated, want %d", name, got.Violated, tt.violated)
		}
	}
}
