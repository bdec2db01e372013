package check_test

import (
	"fmt"
	"testing"

	"mcpstorm/history"
)

// A rule that did nothing is told: as chance where it may be that, and else it fails.
func TestRulesThatDidNothing(t *testing.T) {
	calls := func(r *history.Run, n int) { // without a mark
		for i := range n {
			at := r.Attempts[0]
			at.Op, at.Mark = fmt.Sprintf("t000000/s%02d", i+2), nil
			r.Attempts = append(r.Attempts, at)
		}
	}
	for _, c := range []clauseCase{
		{"all acted", "rules", history.Pass, "1 of 1 rule acted", func(*history.Run) {}},
		{"chance", "rules left to chance", history.NotEvaluated, "r02 marked nothing, which may be chance: a share of 0.5 of 7 exchanges", func(r *history.Run) {
			calls(r, 7)
			addRules(r, "sim", history.RoleCall, 0.5)
		}},
		{"no chance", "rules", history.Fail, "r02 had to mark something and marked nothing: a share of 0.5 of 8 exchanges", func(r *history.Run) {
			calls(r, 8)
			addRules(r, "sim", history.RoleCall, 0.5)
		}},
		{"a tool that nobody called", "rules", history.Fail, "r02 had to mark something and marked nothing, for no call of nosuch on sim was made", func(r *history.Run) {
			calls(r, 7)
			addRules(r, "sim", history.RoleCall, 0.9)
			r.Plan[1].Tool = "nosuch"
		}},
		{"an exchange that nobody made", "rules", history.Fail, "r02 had to mark something and marked nothing, for no delete on sim was made", func(r *history.Run) {
			addRules(r, "sim", history.RoleDelete, 0.01)
		}},
		{"only the first operations", "rules", history.Fail, "for no call on sim was made", func(r *history.Run) {
			r.Attempts[0].Op, r.Ops[0].Op, r.Faults[0].Op = "t000000/s02", "t000000/s02", "t000000/s02"
			r.Attempts, r.Ops, r.Faults = r.Attempts[:1], r.Ops[:1], r.Faults[:1]
			addRules(r, "sim", history.RoleCall, 1)
			r.Plan[1].First = 1
		}},
		{"earlier rules took little", "rules left to chance", history.NotEvaluated, "r02 marked nothing, for the rules before it took 4 calls of sim", func(r *history.Run) { addRules(r, "sim", history.RoleCall, 0.5) }},
		{"earlier rules took everything", "rules", history.Fail, "r02 marked nothing, for the rules before it took every call on sim, 4 in all", func(r *history.Run) { addRules(r, "sim", history.RoleCall, 1) }},
		{"a server that was not used", "rules", history.Fail, "r02 did nothing, for nothing was asked of tools", func(r *history.Run) { addRules(r, "tools", history.RoleCall, 1) }},
		{"a listed exchange", "rules", history.Fail, "r02 had to mark something", func(r *history.Run) {
			addRules(r, "sim", history.RoleCall, 0)
			r.Plan[1].Op = "t000000/s09"
		}},
		{"no share", "rules", history.Fail, "r02 can never act, for its share is 0", func(r *history.Run) { addRules(r, "sim", history.RoleCall, 0) }},
		{"a burst of no share", "rules", history.Fail, "r02 can never act, for its share is 0", func(r *history.Run) {
			addRules(r, "sim", "", 0)
			r.Plan[1].Cut = "burst"
		}},
		{"a window that came too late", "rules", history.Fail, "r02 marked 1 exchange, and all came outside its window (1m0s to 1m10s)", func(r *history.Run) {
			calls(r, 1)
			addRules(r, "sim", history.RoleCall, 1)
			r.Plan[1].During = []string{"1m0s", "1m10s"}
			r.Attempts[4].Mark = &history.Mark{Rule: "r02", Cut: "C1", Manner: "rst"}
			f := r.Faults[0]
			f.Rule, f.Cut, f.Op, f.State = "r02", "C1", r.Attempts[4].Op, history.FaultUnarmed
			r.Faults = append(r.Faults, f)
		}},
	} {
		c.try(t)
	}
}

// Rules about connections mark no exchange.
func TestRulesOfConnectionsThatDidNothing(t *testing.T) {
	record := func(r *history.Run, state history.FaultState, reason string) {
		r.Faults = append(r.Faults, history.Fault{Arm: "main", Server: "sim", Rule: "r02", Cut: r.Plan[1].Cut, Toxic: r.Plan[1].Toxic, State: state, Reason: reason})
	}
	conns := func(r *history.Run, cut string, share float64) {
		addRules(r, "sim", "", share)
		r.Plan[1].Cut = cut
	}
	toxic := func(r *history.Run, toxicity float64) {
		addRules(r, "sim", "", 0)
		r.Plan[1].Cut, r.Plan[1].Toxic, r.Plan[1].Toxicity = "", "latency", toxicity
	}
	for _, c := range []clauseCase{
		{"idle connections, and none was", "rules", history.Fail, "; r02 needs a connection that stays idle after an answer for 205ms between 5s and 25s, and none did", func(r *history.Run) {
			conns(r, "idle", 1)
			r.Plan[1].Idle, r.Plan[1].During, r.Attempts[0].ConnNew = []string{"195ms", "205ms"}, []string{"5s", "25s"}, true
		}},
		{"a share of idle connections", "rules left to chance", history.NotEvaluated, "r02 met no connection, which may be chance: a share of 0.5 of 1", func(r *history.Run) {
			conns(r, "idle", 0.5)
			r.Plan[1].Idle, r.Attempts[0].ConnNew = []string{"195ms", "205ms"}, true
		}},
		{"a burst of which nothing is recorded", "rules", history.Fail, "r02 had to mark something", func(r *history.Run) { conns(r, "burst", 0.5) }},
		{"a burst of a share", "rules left to chance", history.NotEvaluated, "r02 met nothing, which may be chance: none of 3 open connections was chosen", func(r *history.Run) {
			conns(r, "burst", 0.5)
			record(r, history.FaultMissed, "none of 3 open connections was chosen")
		}},
		{"a burst on nothing", "rules", history.Fail, "r02 did nothing: none of 0 open connections was chosen", func(r *history.Run) {
			conns(r, "burst", 1)
			record(r, history.FaultMissed, "none of 0 open connections was chosen")
		}},
		{"a burst after the end", "rules", history.Fail, "r02 did nothing: the arm ended before 1m0s", func(r *history.Run) {
			conns(r, "burst", 0.5)
			record(r, history.FaultUnarmed, "the arm ended before 1m0s")
		}},
		{"a toxic", "rules", history.Pass, "2 of 2 rules acted; r02, the toxic latency, was installed on 1 connection; what a toxic does to a connection is not recorded", func(r *history.Run) {
			toxic(r, 1)
			record(r, history.FaultInstalled, "")
		}},
		{"a toxic on nothing", "rules", history.Fail, "r02, the toxic latency, was on no connection to sim that carried anything", func(r *history.Run) { toxic(r, 1) }},
		{"a toxic where nothing was written", "rules", history.Fail, "r02, the toxic latency, was on no connection to sim that carried anything", func(r *history.Run) {
			toxic(r, 1)
			record(r, history.FaultInstalled, "")
			for i := range r.Attempts {
				r.Attempts[i].Written = 0
			}
		}},
		{"a toxic that never acts", "rules", history.Fail, "r02 can never act, for its toxicity is 0", func(r *history.Run) {
			toxic(r, 0)
			record(r, history.FaultInstalled, "")
		}},
	} {
		c.try(t)
	}
}

// addRules adds rules r02, r03, … of these shares.
func addRules(run *history.Run, on string, at history.ExchangeRole, shares ...float64) {
	for _, share := range shares {
		run.Plan = append(run.Plan, history.PlanRule{
			Arm: "main", Rule: fmt.Sprintf("r%02d", len(run.Plan)+1), On: on,
			Cut: "C1", Manner: "rst", At: at, Share: share, Attempts: 2,
		})
	}
}
