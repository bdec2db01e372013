package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// cellsOf is an arm's table in a compact notation: "TOLD LOW-HIGH MEANING ×COUNT".
func cellsOf(v history.Verdict, arm string) []string {
	var out []string
	for _, table := range v.Truth {
		for _, c := range table.Cells {
			if table.Arm == arm {
				out = append(out, fmt.Sprintf("%s %d-%d %s ×%d", c.Told, c.Low, c.High, c.Meaning, c.Count))
			}
		}
	}
	return out
}

// Every cell of the table, by the server's own record of what it executed.
func TestTruthTable(t *testing.T) {
	for _, c := range []struct {
		name    string
		commits string
		op      wanted
		change  func(*history.Op)
		want    string
	}{
		{"ok and done", "arg:t000001/s02", wanted{told: history.ToldOK}, nil, "ok 1-1 good ×1"},
		{"ok and not done", "", wanted{told: history.ToldOK}, nil, "ok 0-0 false success ×1"},
		{"ok and done twice", "arg:t000001/s02, arg:t000001/s02", wanted{told: history.ToldOK}, nil, "ok 2-2 replay ×1"},
		{"often is one cell", "arg:t000001/s02, arg:t000001/s02, arg:t000001/s02", wanted{told: history.ToldOK}, nil, "ok 2-2 replay ×1"},
		{"a repeat that changes nothing", "arg:t000001/s02, arg:t000001/s02", wanted{told: history.ToldOK, class: history.ReadOnly}, nil, "ok 2-2 harmless repeat ×1"},
		{"the tool refused", "", wanted{told: history.ToldToolError}, nil, "tool_error 0-0 good ×1"},
		{"rightly denied", "", wanted{told: history.ToldNotExecuted}, nil, "not_executed 0-0 good ×1"},
		{"a lie", "arg:t000001/s02", wanted{told: history.ToldNotExecuted}, nil, "not_executed 1-1 lie: invites a replay ×1"},
		{"the lie of a front end", "arg:t000001/s02", wanted{told: history.ToldNotExecuted, did: "call not_executed C3 status 421"}, nil, "not_executed 1-1 a front end's lie ×1"},
		{"an honest unknown, done", "arg:t000001/s02", wanted{told: history.ToldUnknown}, nil, "unknown 1-1 good ×1"},
		{"an honest unknown, not done", "", wanted{told: history.ToldUnknown}, nil, "unknown 0-0 good ×1"},
		{"it could know", "", wanted{told: history.ToldUnknown}, func(op *history.Op) { op.Knowable = true }, "unknown 0-0 over-cautious ×1"},
		{"unknown and done twice", "arg:t000001/s02, arg:t000001/s02", wanted{told: history.ToldUnknown}, nil, "unknown 2-2 replay ×1"},
		{"a hang", "arg:t000001/s02", wanted{told: history.ToldNone}, nil, "none 1-1 hang ×1"},
		{"a hang and a replay", "arg:t000001/s02, arg:t000001/s02", wanted{told: history.ToldNone}, nil, "none 2-2 hang and replay ×1"},
		{"stopped", "", wanted{told: history.ToldNone}, func(op *history.Op) { op.Interrupted = true }, "none 0-0 stopped ×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, c.commits, c.op)
			if c.change != nil {
				c.change(&run.Ops[0])
			}
			if diff := cmp.Diff([]string{c.want}, cellsOf(evaluate(run), "main")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Without effects the truth is an interval, and a cell says so.
func TestTruthTableOfAWitness(t *testing.T) {
	for _, c := range []struct {
		name  string
		told  history.Told
		class history.ReplayClass
		wires string // H handed and not answered, O handed and answered ok
		want  string
	}{
		{"nothing was recorded", history.ToldOK, history.Unsafe, "", "ok 0-2 cannot tell ×1"},
		{"handed over", history.ToldUnknown, history.Unsafe, "H", "unknown 0-1 good ×1"},
		{"denied, and may have run", history.ToldNotExecuted, history.Unsafe, "H", "not_executed 0-1 cannot tell ×1"},
		{"denied, and ran", history.ToldNotExecuted, history.Unsafe, "O", "not_executed 1-1 lie: invites a replay ×1"},
		{"answered", history.ToldOK, history.Unsafe, "O", "ok 1-1 good ×1"},
		{"perhaps twice", history.ToldOK, history.Unsafe, "OH", "ok 1-2 cannot tell ×1"},
		{"perhaps twice, and harmless", history.ToldOK, history.Idempotent, "OH", "ok 1-2 good ×1"},
		{"twice", history.ToldOK, history.Unsafe, "OO", "ok 2-2 replay ×1"},
		{"twice from one record, for all that is known", history.ToldOK, history.Keyed, "OO", "ok 1-2 cannot tell ×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", wanted{told: c.told, class: c.class})
			run.Effects, run.Manifest.Arms[0].Servers[1].Effects = nil, false
			for _, w := range c.wires {
				result := history.ResultNone
				if w == 'O' {
					result = history.ResultOK
				}
				run.Wire = append(run.Wire, history.Wire{
					Arm: "main", Server: "tools", Rollout: rollout1, Key: "arg:t000001/s02", Tool: "append",
					Role: history.RoleCall, Handed: true, Result: result,
				})
			}
			if diff := cmp.Diff([]string{c.want}, cellsOf(evaluate(run), "main")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Operations that only a digest tells apart share their executions.
func TestTruthTableOfEqualOperations(t *testing.T) {
	for _, c := range []struct{ commits, want string }{
		{"args:x, args:x", "ok 1-1 good ×2"},
		{"args:x", "ok 0-1 cannot tell ×2"},
		{"args:x, args:x, args:x", "ok 0-2 cannot tell ×2"},
		{"", "ok 0-0 false success ×2"},
	} {
		run := runOf(t, c.commits, wanted{told: history.ToldOK}, wanted{op: "t000001/s03", told: history.ToldOK})
		run.Ops[0].Key, run.Ops[1].Key = "args:x#1", "args:x#2"
		if diff := cmp.Diff([]string{c.want}, cellsOf(evaluate(run), "main")); diff != "" {
			t.Errorf("%s: %s", c.commits, diff)
		}
	}
}

// In a correct history no cell is wrong, whatever broke, and every operation with a
// key stands in one.
func TestTruthTableOfTheModel(t *testing.T) {
	run := stormRun(200)
	want, got := 0, 0
	for _, op := range run.Ops {
		if op.Key != "" {
			want++
		}
	}
	for _, table := range evaluate(run).Truth {
		for _, c := range table.Cells {
			got += c.Count
			if c.Meaning.Wrong() {
				t.Errorf("%s: %+v", table.Arm, c)
			}
		}
	}
	if got != want {
		t.Errorf("%d operations in the table, want %d", got, want)
	}
}

// What is begun must end, one way or the other, in every era; and in the stateless
// era nothing is answered after a cancel.
func TestHalfDone(t *testing.T) {
	kinds := func(text string) (list []history.Effect) {
		for i, item := range items(text) {
			list = append(list, history.Effect{
				Arm: "main", Server: "tools", Kind: history.EffectKind(item[0]), N: int64(i + 1), Rollout: rollout1,
				Key: "arg:t000001/s02", Tool: "append", Replayed: len(item) > 1,
			})
		}
		return list
	}
	died := func(r *history.Run) {
		r.Manifest.Arms[0].Servers[1].Died = &history.Death{Signal: 9, How: "was killed by signal 9"}
	}
	for _, c := range []struct {
		name, did, era string
		change         func(*history.Run)
		status         history.Status
		reason         string
	}{
		{"begun and committed", "begin, commit, answer", "", nil, history.Pass, ""},
		{"begun and aborted", "begin, abort", "", nil, history.Pass, ""},
		{"begun and answered from the record", "begin, commit, answer, begin, answer replayed", "", nil, history.Pass, ""},
		{"a repeat that was not begun", "begin, commit, answer, answer replayed", "", nil, history.Pass, ""},
		{"begun for ever after a repeat that was not begun", "begin, commit, answer, answer replayed, begin", "", nil, history.Fail, "begun and neither"},
		{"perhaps the beginning of the repeat", "begin, begin, commit, answer, answer replayed", "", nil, history.Pass, ""},
		{"begun for ever after two ends of one call", "begin, commit, abort, begin", "", nil, history.Fail, "begun and neither"},
		{"begun for ever", "begin", "", nil, history.Fail, "begun and neither committed nor aborted"},
		{"begun for ever, in the stateless era", "begin, abort, begin", "2026-07-28", nil, history.Fail, "begun and neither"},
		{"the run was stopped", "begin", "", func(r *history.Run) { r.Manifest.State = history.StateStopped }, history.Pass, ""},
		{"its process was killed", "begin", "", func(r *history.Run) {
			r.Faults = append(r.Faults, history.Fault{Arm: "main", Server: "tools", Cut: "kill", State: history.FaultDelivered})
		}, history.Pass, ""},
		{"its process died, and the plan had not killed it", "begin", "", died, history.NotEvaluated, "the process of tools died in the middle of it"},
		{"its process died after it", "begin, commit, answer", "", died, history.Pass, ""},
		{"cancelled and answered, in the stateless era", "begin, abort, answer", "2026-07-28", nil, history.Fail, "answered though nothing was committed"},
		{"failed and answered, in the older era", "begin, abort, answer", "2025-11-25", nil, history.Pass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", wanted{told: history.ToldUnknown})
			run.Effects, run.Manifest.Arms[0].Servers[1].Era = kinds(c.did), c.era
			if c.change != nil {
				c.change(run)
			}
			v := evaluate(run)
			wantStatus(t, find(t, v, "truthful-outcome"), c.status, c.reason)
			if half := strings.Contains(strings.Join(cellsOf(v, "main"), ""), "half-done"); half != (c.status == history.Fail) {
				t.Errorf("the table is %q", cellsOf(v, "main"))
			}
		})
	}
}
