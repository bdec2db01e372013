package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

// toolRun is a run of operations on the tool server. ops are "KEY TOLD" items,
// commits the keys that the server executed.
func toolRun(ops, commits string) *history.Run {
	run := emptyRun()
	for _, item := range items(ops) {
		op := script{}.op(run, append(item, "-"))
		last := &run.Ops[len(run.Ops)-1]
		last.Server, last.Kind, last.Tool, last.Class = "tools", history.KindTool, "append", history.Unsafe
		_ = op
	}
	for i, item := range items(commits) {
		run.Effects = append(run.Effects, history.Effect{
			Arm: "main", Server: "tools", Kind: history.EffectCommit,
			N: int64(i + 1), Rollout: rollout1, Key: item[0], Tool: "append", Sequence: int64(i + 1),
		})
	}
	if len(run.Effects) == 0 { // a recorder that works and executed nothing
		run.Effects = append(run.Effects, history.Effect{Arm: "main", Server: "tools", Kind: history.EffectBegin, Rollout: "t000002.1", Key: "arg:z"})
	}
	return run
}

func TestTruthByEffects(t *testing.T) {
	for _, c := range []struct {
		name, ops, commits string
		status             history.Status
		reason             string
		evaluated          int
	}{
		{"ok and executed once", "arg:a ok", "arg:a", history.Pass, "", 1},
		{"ok and executed twice is a replay, not a lie", "arg:a ok", "arg:a, arg:a", history.Pass, "", 1},
		{"ok and never executed", "arg:a ok", "", history.Fail, "told ok and not executed", 1},
		{"ok and another was executed", "arg:a ok, arg:b ok", "arg:b", history.Fail, "1 × told ok and not executed", 2},
		{"not_executed and not", "arg:a not_executed", "", history.Pass, "", 1},
		{"not_executed and executed", "arg:a not_executed", "arg:a", history.Fail, "told not_executed and executed", 1},
		{"not_executed and executed twice", "arg:a not_executed", "arg:a, arg:a", history.Fail, "told not_executed and executed", 1},
		{"unknown and executed", "arg:a unknown", "arg:a", history.Pass, "", 1},
		{"unknown and not", "arg:a unknown", "", history.Pass, "", 1},
		{"a tool error promises nothing", "arg:a tool_error, arg:b tool_error", "arg:b", history.Pass, "", 2},
		{"told nothing is for no-hang", "arg:a none", "arg:a", history.NotEvaluated, "no-hang", 0},
		{"one key told twice is one execution", "arg:a unknown, arg:a ok", "arg:a", history.Pass, "", 2},
		{"a denial beside one that ran", "arg:a not_executed, arg:a ok", "arg:a", history.Pass, "", 2},
		{"equal calls each need an execution", "args:d#1 ok, args:d#2 ok", "args:d", history.Fail, "told ok and not executed", 2},
		{"equal calls each have one", "args:d#1 ok, args:d#2 ok", "args:d, args:d", history.Pass, "", 2},
		{"all equal calls denied and one ran", "args:d#1 not_executed, args:d#2 not_executed", "args:d", history.Fail, "told not_executed", 2},
		{"equal calls may account for one another", "args:d#1 not_executed, args:d#2 unknown", "args:d", history.Pass, "", 2},
		{"equal calls that cannot be told apart", "args:d#1 not_executed, args:d#2 ok", "args:d, args:d", history.Pass, "", 1},
		{"connecting is no execution", "- ok", "", history.NotEvaluated, "no operation with a key", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := toolRun(c.ops, c.commits)
			for i := range run.Ops {
				run.Ops[i].Key = strings.TrimPrefix(run.Ops[i].Key, "-")
			}
			inv := judge(t, run, "truthful-outcome")
			wantStatus(t, inv, c.status, c.reason)
			if inv.Evaluated != c.evaluated {
				t.Errorf("%d evaluated, want %d", inv.Evaluated, c.evaluated)
			}
		})
	}
}

func TestTruthByWitness(t *testing.T) {
	seen := history.Wire{Handed: true, Result: history.ResultOK}
	handed := history.Wire{Handed: true, Result: history.ResultNone}
	cut := history.Wire{Result: history.ResultNone}
	for _, c := range []struct {
		name   string
		told   string
		wires  []history.Wire
		status history.Status
		reason string
	}{
		{"ok and seen", "ok", []history.Wire{seen}, history.Pass, ""},
		{"ok and nothing whole was handed over", "ok", []history.Wire{cut}, history.Fail, "told ok and not executed"},
		{"ok and handed over without a result", "ok", []history.Wire{handed}, history.NotEvaluated, "cannot tell"},
		{"denied and cut short", "not_executed", []history.Wire{cut}, history.Pass, ""},
		{"denied and seen", "not_executed", []history.Wire{handed, seen}, history.Fail, "told not_executed and executed"},
		{"denied and perhaps", "not_executed", []history.Wire{handed}, history.NotEvaluated, "cannot tell"},
		{"unknown is always honest", "unknown", []history.Wire{handed}, history.Pass, ""},
		{"no witness", "not_executed", nil, history.NotEvaluated, "nothing trustworthy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := toolRun("arg:a "+c.told, "")
			run.Effects = nil
			run.Manifest.Arms[0].Servers[1].Effects = false
			for _, w := range c.wires {
				w.Arm, w.Server, w.Rollout, w.Key, w.Tool, w.Role = "main", "tools", rollout1, "arg:a", "append", history.RoleCall
				run.Wire = append(run.Wire, w)
			}
			wantStatus(t, judge(t, run, "truthful-outcome"), c.status, c.reason)
		})
	}
}

func TestTruthOfSilentRecorder(t *testing.T) {
	run := toolRun("arg:a ok", "")
	run.Effects = nil
	wantStatus(t, judge(t, run, "truthful-outcome"), history.NotEvaluated, "nothing trustworthy")
	wantStatus(t, judge(t, run, "coverage"), history.Fail, "")
}

// What a client adds under the same key, such as a settle, is no execution of the
// operation.
func TestTruthLeavesOutOtherTools(t *testing.T) {
	run := toolRun("arg:a not_executed", "arg:a")
	run.Effects[0].Tool = "settle"
	wantStatus(t, judge(t, run, "truthful-outcome"), history.Pass, "")
}

func TestLieOfFrontEnd(t *testing.T) {
	refused := func(status int, manner string) *history.Run {
		run := toolRun("arg:a not_executed", "arg:a")
		run.Ops[0].Cause = &history.Cause{Class: "http_status", Status: status}
		run.Faults = []history.Fault{{
			Arm: "main", Server: "tools", Op: run.Ops[0].Op, Rollout: rollout1, Attempt: 1,
			Role: history.RoleCall, Cut: "C4", Manner: manner, State: history.FaultDelivered,
		}}
		return run
	}
	t.Run("a definite refusal by the fault layer", func(t *testing.T) {
		wantStatus(t, judge(t, refused(403, "status"), "truthful-outcome"), history.NotEvaluated, "front end")
	})
	t.Run("an indefinite one is the client's lie", func(t *testing.T) {
		wantStatus(t, judge(t, refused(502, "status"), "truthful-outcome"), history.Fail, "told not_executed and executed")
	})
	t.Run("without a front end it is the server's answer", func(t *testing.T) {
		wantStatus(t, judge(t, refused(403, "rst"), "truthful-outcome"), history.Fail, "told not_executed and executed")
	})
}

func TestRates(t *testing.T) {
	run := toolRun("arg:a unknown, arg:b unknown, arg:c unknown, arg:d ok", "arg:a, arg:d")
	run.Ops[0].Knowable = true // it ran, so there was nothing to know
	run.Ops[1].Knowable = true
	for _, replayed := range []bool{true, false} {
		run.Effects = append(run.Effects, history.Effect{
			Arm: "main", Server: "tools", Kind: history.EffectAnswer,
			Rollout: rollout1, Key: "arg:d", Tool: "append", Replayed: replayed,
		})
	}
	want := map[string][2]int{"told-unknown": {3, 4}, "over-caution": {1, 4}, "replays-absorbed": {1, 2}}
	for _, rate := range evaluate(run).Rates {
		w, ok := want[rate.Name]
		if !ok || rate.Rate.Count != w[0] || rate.Rate.Of != w[1] {
			t.Errorf("%s is %d of %d, want %v", rate.Name, rate.Rate.Count, rate.Rate.Of, w)
		}
		delete(want, rate.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing rates: %v", want)
	}
}

// Nothing is said of what was executed where its record is not whole.
func TestTruthOfAPartialRecord(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*history.Run)
	}{
		{"a gap in the server's log", func(r *history.Run) {
			r.Gaps = []history.Gap{{Server: "tools", File: "effects.tools.1.ndjson", After: 1, Next: 9}}
		}},
		{"a call that the witness could not name", func(r *history.Run) {
			r.Manifest.Arms[0].Servers[1].Effects = false
			r.Wire = []history.Wire{{Arm: "main", Server: "tools", Rollout: rollout1, Hint: "t000001.1/s03/a1", Method: "POST", Handed: true, Result: history.ResultOther}}
		}},
		{"a call of which not even the rollout is known", func(r *history.Run) {
			r.Manifest.Arms[0].Servers[1].Effects = false
			r.Wire = []history.Wire{{Arm: "main", Server: "tools", Role: history.RoleCall, Handed: true, Result: history.ResultOK}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := toolRun("arg:a ok, arg:b ok", "arg:a")
			c.change(run)
			run.Wire = append(run.Wire, history.Wire{
				Arm: "main", Server: "tools", Rollout: rollout1, Key: "arg:a", Tool: "append",
				Role: history.RoleCall, Handed: true, Result: history.ResultOK,
			})
			wantStatus(t, judge(t, run, "truthful-outcome"), history.NotEvaluated, "nothing trustworthy was recorded at tools's end")
		})
	}
	t.Run("one that was not handed over executed nothing", func(t *testing.T) {
		run := toolRun("arg:a ok, arg:b ok", "")
		run.Manifest.Arms[0].Servers[1].Effects = false
		run.Wire = []history.Wire{
			{Arm: "main", Server: "tools", Rollout: rollout1, Role: history.RoleCall},
			{Arm: "main", Server: "tools", Rollout: rollout1, Key: "arg:a", Tool: "append", Role: history.RoleCall, Handed: true, Result: history.ResultOK},
		}
		wantStatus(t, judge(t, run, "truthful-outcome"), history.Fail, "1 × told ok and not executed")
	})
}
