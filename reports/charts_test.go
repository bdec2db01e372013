package reports_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
	"mcpstorm/reports/check"
)

// A title and the verdict agree on what was executed twice, also where the second
// execution has another generation of the key, or another rollout of the task.
func TestTitlesAgreeWithTheVerdict(t *testing.T) {
	const key = "arg:t000001/s02"
	for name, second := range map[string]struct{ rollout, key string }{
		"the same key":            {"t000001.1", key},
		"a later generation":      {"t000001.1", key + "#2"},
		"the task's next rollout": {"t000001.2", key},
	} {
		t.Run(name, func(t *testing.T) {
			op := history.Op{
				Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "tools", Kind: history.KindTool,
				Tool: "append", Key: key, Class: history.Unsafe, Told: history.ToldOK, Attempts: 1,
			}
			run := &history.Run{
				Manifest: history.Manifest{ID: "r1", State: history.StateFinished, Arms: []history.Arm{{
					Name: "main", Judge: true,
					Servers: []history.Server{{Name: "tools", Effects: true, OpArgument: "op"}},
				}}},
				Ops: []history.Op{op},
				Attempts: []history.Attempt{{
					Arm: "main", Op: op.Op, Rollout: op.Rollout, Server: "tools", Attempt: 1, Exchange: 1,
					Role: history.RoleCall, Told: history.ToldOK, Written: 300, End: 1e8,
				}},
			}
			if second.rollout != op.Rollout {
				op.Rollout = second.rollout
				run.Ops = append(run.Ops, op)
			}
			for i, e := range []struct{ rollout, key string }{{"t000001.1", key}, second} {
				run.Effects = append(run.Effects, history.Effect{
					Arm: "main", Server: "tools", Kind: history.EffectCommit, N: int64(i + 1),
					Rollout: e.rollout, Key: e.key, Tool: "append",
				})
			}
			verdict := check.Evaluate(run, check.Options{})
			if got := verdict.Arms[0].Replayed.Count; got != 1 {
				t.Fatalf("the verdict counts %d replays", got)
			}
			timeline, err := chart.Timeline(run, chart.Options{Arms: verdict.Arms})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(timeline.Title(), "1 operation was executed twice or more") {
				t.Error("the title says nothing of it")
			}
		})
	}
}
