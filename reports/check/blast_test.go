package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

func TestBlastRadius(t *testing.T) {
	for _, c := range []struct {
		name   string
		status history.Status
		reason string
		wanted
		change func(*history.Op)
	}{
		{"all went well", history.Pass, "", wanted{told: "ok", did: "call ok"}, nil},
		{"the tool refused", history.Pass, "", wanted{told: "tool_error", did: "call ok"}, nil},
		{"its own fault", history.Pass, "", wanted{told: "unknown", did: "call unknown C4"}, nil},
		{"its first attempt's own fault", history.Pass, "", wanted{told: "unknown", did: "call unknown C1, call unknown"}, nil},
		{"the fault of its settling", history.Pass, "", wanted{told: "unknown", did: "call unknown, settle unknown C4"}, nil},
		{"unknown without a fault", history.Fail, "told unknown without a fault", wanted{told: "unknown", did: "call unknown reset"}, nil},
		{"not_executed without a fault", history.Fail, "told not_executed without", wanted{told: "not_executed", did: "call not_executed - dial"}, nil},
		{"told nothing without a fault", history.Fail, "told none without", wanted{told: "none", did: "call unknown"}, nil},
		{"interrupted", history.NotEvaluated, "no operation ended by itself", wanted{told: "none", did: "call unknown"}, func(op *history.Op) { op.Interrupted = true }},
		{
			"opening a session counts too", history.Fail, "told not_executed without",
			wanted{told: "not_executed", did: "initialize unknown reset"},
			func(op *history.Op) { op.Kind, op.Key = history.KindConnect, "" },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", c.wanted)
			if c.change != nil {
				c.change(&run.Ops[0])
			}
			wantStatus(t, judge(t, run, "blast-radius"), c.status, c.reason)
		})
	}
}

func TestBlastRadiusOfReceiptsThatAreNone(t *testing.T) {
	lost := wanted{told: "unknown", did: "call unknown C4"}
	for _, c := range []struct {
		name, reason string
		status       history.Status
		change       func(*history.Run)
	}{
		{"a fault that was missed", "without a fault", history.Fail, func(r *history.Run) { r.Faults[0].State = history.FaultMissed }},
		{"a fault of another rollout of the task", "without a fault", history.Fail, func(r *history.Run) { r.Faults[0].Rollout = "t000001.2" }},
		{"a fault of another operation", "without a fault", history.Fail, func(r *history.Run) { r.Faults[0].Op = "t000001/s03" }},
		{"a toxic that leaves none, and a deadline", "it timed out, and a toxic", history.NotEvaluated, func(r *history.Run) {
			r.Faults, r.Ops[0].Cause = nil, &history.Cause{Class: "deadline"}
			r.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "tools", Toxic: "latency"}}
		}},
		{"latency resets no connection", "without a fault", history.Fail, func(r *history.Run) {
			r.Faults, r.Ops[0].Cause = nil, &history.Cause{Class: "reset"}
			r.Plan = []history.PlanRule{{Arm: "main", Rule: "r01", On: "tools", Toxic: "latency"}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", lost)
			c.change(run)
			wantStatus(t, judge(t, run, "blast-radius"), c.status, c.reason)
		})
	}
}

// The proof shows whose faults came near.
func TestBlastRadiusProof(t *testing.T) {
	hit := wanted{told: "unknown", did: "call unknown reset"}
	for _, c := range []struct {
		name, want string
		others     []wanted
	}{
		{"nobody's", "no fault met its rollout, nor its server", nil},
		{"one of its rollout", "a neighbour, call of attempt 1 at t000001/s03: cut C4 rst", []wanted{{op: "t000001/s03", told: "ok", did: "call ok C4"}}},
		{"one on its server at the time", "a neighbour, call of attempt 1 at t000007/s01: cut C1 rst", []wanted{{op: "t000007/s01", told: "ok", did: "call ok C1"}}},
		{"many", "and 2 more", []wanted{{op: "t000001/s03", told: "ok", did: "call ok C4, call ok C4, call ok C4, call ok C4, call ok C4"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", append([]wanted{hit}, c.others...)...)
			run.Ops[0].End = 100
			events := strings.Join(judge(t, run, "blast-radius").Proof.Events, "\n")
			if !strings.Contains(events, c.want) {
				t.Errorf("the proof does not say %q:\n%s", c.want, events)
			}
		})
	}
}
