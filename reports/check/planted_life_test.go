package check_test

import "mcpstorm/history"

// lifeMutations break what is judged over the life of an arm, and not of one call.
var lifeMutations = []mutation{
	{"one more socket with each cycle", "no-leak", func(run *history.Run, _ func(int) int) bool {
		held, cycles := int64(0), 0
		for i := range run.Resources {
			r := &run.Resources[i]
			if r.Arm != "main" || r.Phase == history.ResourceBase {
				continue
			}
			if r.Phase == history.ResourceCycle {
				held++
				cycles++
			}
			r.Counts[history.CountSockets] += held
		}
		return cycles >= 10
	}},
	{"the last operation on a server fails", "recovery", func(run *history.Run, _ func(int) int) bool {
		last, healed := lastOp(run), lastFault(run)
		if healed == 0 || last == nil || last.Start <= healed {
			return false
		}
		last.Told, last.Cause = history.ToldUnknown, nil
		return true
	}},
	{"an execution without an end", "truthful-outcome", func(run *history.Run, pick func(int) int) bool {
		op := where(run.Ops, pick, toolTold(history.ToldUnknown))
		if op == nil {
			return false
		}
		run.Effects = append(run.Effects, history.Effect{
			Arm: "main", Server: "tools", Kind: history.EffectBegin, N: int64(len(run.Effects) + 1), Rollout: op.Rollout, Key: op.Key, Tool: op.Tool,
		})
		return true
	}},
}

func lastOp(run *history.Run) *history.Op {
	var last *history.Op
	for i := range run.Ops {
		if op := &run.Ops[i]; op.Arm == "main" && (last == nil || op.End >= last.End) {
			last = op
		}
	}
	return last
}

func lastFault(run *history.Run) (at history.Instant) {
	for _, f := range run.Faults {
		if f.Arm == "main" {
			at = max(at, f.At)
		}
	}
	return at
}
