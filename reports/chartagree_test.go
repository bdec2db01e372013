package reports_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
	"mcpstorm/reports/check"
)

// struckRun is a run in which a fault struck every operation: told and executed in
// any way, and recorded by the server itself or seen by the witness alone.
func struckRun(t *rapid.T) *history.Run {
	run := &history.Run{Manifest: history.Manifest{ID: "r1", State: history.StateFinished, Arms: []history.Arm{{
		Name: "main", Judge: true,
		Servers: []history.Server{{Name: "own", Effects: true, OpArgument: "op"}, {Name: "seen", OpArgument: "op"}},
	}}}}
	for i := range rapid.IntRange(1, 12).Draw(t, "operations") {
		task := fmt.Sprintf("t%06d", i)
		op := history.Op{
			Arm: "main", Op: task + "/s01", Rollout: task + ".1", Kind: history.KindTool, Tool: "append", Attempts: 1, End: 1e8,
			Server: rapid.SampledFrom([]string{"own", "seen"}).Draw(t, "server"),
			Key:    rapid.SampledFrom([]string{"seq:0", "args:d#1", "arg:" + task + "/s01"}).Draw(t, "key"),
			Told:   rapid.SampledFrom([]history.Told{history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone}).Draw(t, "told"),
			Class:  rapid.SampledFrom([]history.ReplayClass{history.ReadOnly, history.Keyed, history.Unsafe}).Draw(t, "class"),
		}
		run.Ops = append(run.Ops, op)
		run.Attempts = append(run.Attempts, history.Attempt{
			Arm: "main", Op: op.Op, Rollout: op.Rollout, Server: op.Server, Attempt: 1, Role: history.RoleCall, Told: op.Told, Written: 9, End: 1e8,
		})
		run.Faults = append(run.Faults, history.Fault{
			Arm: "main", Server: op.Server, Op: op.Op, Rollout: op.Rollout, Attempt: 1, Role: history.RoleCall,
			Cut: "C4", Manner: "rst", State: history.FaultDelivered,
		})
		for n := range rapid.IntRange(0, 3).Draw(t, "executions") {
			record(run, &op, n, rapid.Bool().Draw(t, "result"))
		}
	}
	return run
}

// record is one execution of an operation.
func record(run *history.Run, op *history.Op, n int, result bool) {
	key, _, _ := strings.Cut(op.Key, "#")
	if op.Server == "own" {
		run.Effects = append(run.Effects, history.Effect{
			Arm: "main", Server: "own", Kind: history.EffectCommit, N: int64(len(run.Effects) + 1), Rollout: op.Rollout, Key: key, Tool: op.Tool,
		})
		return
	}
	w := history.Wire{
		Arm: "main", Server: "seen", Exchange: n + 1, Rollout: op.Rollout, Key: key, Tool: op.Tool, Method: "POST", RPC: "tools/call",
		Role: history.RoleCall, Handed: true, Result: history.ResultNone,
	}
	if result {
		w.Result = history.ResultOK
	}
	run.Wire = append(run.Wire, w)
}

var counted = regexp.MustCompile(`(\d+) (?:was |were |left )*(duplicated|lost|unknown)`)

// What the outcomes say of operations is what the verdict says of them: by the
// table of told and truth.
func TestOutcomesAgreeWithTheVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := struckRun(t)
		want := map[string]int{}
		for _, c := range check.Evaluate(run, check.Options{}).Truth[0].Cells {
			switch answered := c.Told == history.ToldOK || c.Told == history.ToldToolError; {
			case c.Low >= history.Often && c.Meaning != history.MeaningHarmless && c.Meaning != history.MeaningHang:
				want["duplicated"] += c.Count
			case c.High == 0 && c.Told != history.ToldToolError:
				want["lost"] += c.Count
			case !answered:
				want["unknown"] += c.Count
			}
		}
		f, err := chart.Outcomes(run, chart.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, match := range counted.FindAllStringSubmatch(f.Title(), -1) {
			got[match[2]], _ = strconv.Atoi(match[1])
		}
		for _, name := range []string{"duplicated", "lost", "unknown"} {
			if got[name] != want[name] {
				t.Errorf("%d are %s, the verdict says %d: %s", got[name], name, want[name], f.Title())
			}
		}
	})
}
