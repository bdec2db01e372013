package chart_test

import (
	"fmt"
	"time"

	"mcpstorm/history"
)

// deed is a number of equal operations and what became of each.
type deed struct {
	n           int
	cut, manner string // of the fault that struck each; empty for none
	role        history.ExchangeRole
	server      string // sim if left out
	class       history.ReplayClass
	told        history.Told // ok if left out
	attempts    int          // 1 if left out
	commits     int
	settled     string
	at          time.Duration // when each begins, since the arm's start
	took        time.Duration // 10 ms if left out
	arm         string        // main if left out
}

// done is a run in which these things were done, with the server's own record.
func done(deeds ...deed) *history.Run {
	run := &history.Run{Manifest: history.Manifest{
		Schema: history.Schema, ID: "20261129T164512Z-7f3a", State: history.StateFinished, Seed: 42,
		Script: history.Script{Path: "scenarios/deeds.js"}, Revision: "9aeb7c31f2d04b7c8a",
	}}
	servers := []history.Server{{Name: "sim", Reference: "usersim", Effects: true}, {Name: "tools", Reference: "ledger", Effects: true}}
	run.Manifest.Arms = []history.Arm{
		{Name: "control", Control: true, Servers: servers},
		{Name: "main", Judge: true, Start: history.Instant(armStart), End: history.Instant(armStart + time.Minute), Servers: servers},
	}
	for i, d := range deeds {
		for n := range d.n {
			d.do(run, fmt.Sprintf("t%06d", 1000*i+n))
		}
	}
	return run
}

func (d deed) do(run *history.Run, task string) {
	op := history.Op{
		Arm: or(d.arm, "main"), Op: task + "/s01", Rollout: task + ".1", Server: or(d.server, "sim"), Kind: history.KindTool, Tool: "append",
		Key: "arg:" + task + "/s01", Class: or(d.class, history.Unsafe), Told: or(d.told, history.ToldOK), Attempts: or(d.attempts, 1),
		Settled: d.settled,
	}
	if op.Arm == "main" {
		op.Start = history.Instant(armStart + d.at)
	}
	op.End = op.Start + history.Instant(or(d.took, 10*time.Millisecond))
	run.Ops = append(run.Ops, op)
	for range d.commits {
		run.Effects = append(run.Effects, history.Effect{
			Arm: op.Arm, Server: op.Server, Kind: history.EffectCommit, Rollout: op.Rollout, Key: op.Key, Tool: op.Tool,
		})
	}
	for n := range op.Attempts {
		told := history.ToldUnknown
		if n+1 == op.Attempts {
			told = op.Told
		}
		run.Attempts = append(run.Attempts, history.Attempt{
			Arm: op.Arm, Op: op.Op, Rollout: op.Rollout, Server: op.Server, Attempt: n + 1, Exchange: 1, Role: history.RoleCall, Told: told,
			Start: op.Start, End: op.End,
		})
	}
	if d.cut != "" {
		run.Faults = append(run.Faults, history.Fault{
			Arm: op.Arm, Server: op.Server, Rule: "r01", Op: op.Op, Rollout: op.Rollout, Attempt: 1, Role: or(d.role, history.RoleCall),
			Cut: d.cut, Manner: d.manner, State: history.FaultDelivered, At: op.Start + 1e6,
		})
	}
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}
