package capacity

import (
	"errors"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// Whose limit was met is read off what each part recorded of itself.
func TestLimits(t *testing.T) {
	refused := history.Op{Arm: "main", Server: "tools", Told: history.ToldUnknown, Cause: &history.Cause{Class: "http_status", Status: 503}}
	slow := history.Op{Arm: "main", Server: "tools", Told: history.ToldUnknown, Cause: &history.Cause{Class: "deadline"}}
	silent := history.Op{Arm: "main", Server: "tools", Told: history.ToldNone}
	fine := history.Op{Arm: "main", Told: history.ToldOK}
	limited := history.Verdict{Invariants: []history.Invariant{{ID: "coverage", Clauses: []history.Clause{
		{Name: "host", Status: history.Fail, Text: "harness-limited: timers fired 80ms late"},
	}}}}
	broken := Level{Readings: []Reading{{Objective: "a<1%", Holds: true}, {Objective: "failed<1%"}}}
	busy := broken
	busy.Busy = 0.97
	for _, c := range []struct {
		name    string
		ops     []history.Op
		arm     history.Arm
		verdict history.Verdict
		level   Level
		kind    Kind
		says    string
	}{
		{
			"a target that refuses",
			[]history.Op{refused, refused, slow, fine},
			history.Arm{Name: "main"},
			history.Verdict{},
			broken, Target,
			"failed<1% does not hold: 2 of 3 operations without a result ended by HTTP status 503 of tools",
		},
		{"a target that is slow", []history.Op{slow}, history.Arm{Name: "main"}, history.Verdict{}, broken, Target, "deadline at tools"},
		{"nobody knows", []history.Op{silent}, history.Arm{Name: "main"}, history.Verdict{}, broken, Target, "nothing that is known"},
		{"latency alone", []history.Op{fine}, history.Arm{Name: "main"}, history.Verdict{}, broken, Target, "every operation got a result"},
		{"a target that takes no connection", []history.Op{slow}, history.Arm{Name: "main", DialErrors: 7}, history.Verdict{}, broken, Target, "deadline at tools; 7 connections to it could not be opened"},
		{"the proxy", []history.Op{slow}, history.Arm{Name: "main", DialErrors: 7, Untracked: 3}, history.Verdict{}, broken, Proxy, "not follow 3"},
		{"the proxy of another arm", []history.Op{slow}, history.Arm{Name: "control", Untracked: 7}, history.Verdict{}, broken, Target, "deadline"},
		{"the host, by coverage", []history.Op{slow}, history.Arm{Name: "main", DialErrors: 7}, limited, busy, Host, "timers fired 80ms late"},
		{"nothing broke", []history.Op{slow}, history.Arm{Name: "main", DialErrors: 7}, history.Verdict{}, Level{}, "", ""},
		{"nothing broke on a host that was the limit", nil, history.Arm{Name: "main"}, limited, Level{}, Host, "harness-limited"},
		{"the host, by its processors", []history.Op{slow}, history.Arm{Name: "main", DialErrors: 7}, history.Verdict{}, busy, Host, "used 97 % of all processors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcome := &run.Outcome{Verdict: c.verdict, History: &history.Run{Ops: c.ops, Manifest: history.Manifest{Arms: []history.Arm{c.arm}}}}
			got := limitOf(outcome, "main", c.level)
			if c.kind == "" {
				if got != nil {
					t.Errorf("got %+v, want no limit", got)
				}
				return
			}
			if got == nil || got.Kind != c.kind || !strings.Contains(got.Text, c.says) {
				t.Errorf("got %+v, want %s: %s", got, c.kind, c.says)
			}
		})
	}
}

// Rollouts that were stopped are in no rate, and a level with some was not carried.
func TestUnendedRolloutsAreNotCarried(t *testing.T) {
	h := &history.Run{Rollouts: []history.Rollout{
		{Arm: "main", Outcome: history.Completed}, {Arm: "main", Outcome: history.Interrupted}, {Arm: "control", Outcome: history.Interrupted},
	}}
	got := limitOf(&run.Outcome{History: h}, "main", Level{Readings: []Reading{{Objective: "failed<1%", Holds: true}}})
	if got == nil || got.Kind != Target || !strings.HasPrefix(got.Text, "rollouts that had not ended when their time was over: 1") {
		t.Errorf("got %+v", got)
	}
}

// A level whose script threw measured something else.
func TestScriptErrorsAreNoLevel(t *testing.T) {
	cause := &history.RolloutCause{Text: "TypeError: x"}
	h := &history.Run{Rollouts: []history.Rollout{{Arm: "main", Rollout: "t000001.1", Outcome: history.ScriptError, Cause: cause}}}
	if err := thrown(h, "main"); !errors.Is(err, ErrScript) || !strings.Contains(err.Error(), "t000001.1: TypeError: x") {
		t.Errorf("got %v", err)
	}
	if err := thrown(h, "control"); err != nil {
		t.Errorf("of another arm: %v", err)
	}
}
