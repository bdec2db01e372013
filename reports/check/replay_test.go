package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

const (
	s02Key  = "arg:t000001/s02"
	unsafe  = history.Unsafe
	resolve = history.Resolvable
)

func TestNoUnsafeReplayHolds(t *testing.T) {
	for _, c := range []struct {
		name, commits string
		ops           []wanted
	}{
		{"one call", s02Key, []wanted{{class: unsafe, told: "ok", did: "call ok"}}},
		{"unknown and left so", s02Key, []wanted{{class: unsafe, told: "unknown", did: "call unknown C4 reset"}}},
		{
			"settled as voided and sent again", s02Key + "#2",
			[]wanted{{class: unsafe, told: "ok", settled: "voided", did: "call unknown C1 reset, settle ok, call ok"}},
		},
		{
			"settled as voided, sent again, and settled with its result", s02Key + "#2",
			[]wanted{{class: resolve, told: "ok", settled: "result", did: "call unknown C1, settle ok, call unknown C4, settle ok"}},
		},
		{
			"voided twice", s02Key + "#3",
			[]wanted{{class: resolve, told: "ok", settled: "voided", did: "call unknown C1, settle ok, call unknown C1, settle ok, call ok"}},
		},
		{
			"a settle that had to be repeated", "",
			[]wanted{{class: unsafe, told: "ok", settled: "voided", did: "call unknown C3, settle unknown C4, settle ok, call ok"}},
		},
		{"nothing of the first was written", s02Key, []wanted{{class: unsafe, told: "ok", did: "call unknown - dial, call ok"}}},
		{"nothing of the second was written", s02Key, []wanted{{class: unsafe, told: "unknown", did: "call unknown C4 reset, call not_executed - dial"}}},
		{"refused for sure, whatever the client made of it", s02Key, []wanted{{class: unsafe, told: "ok", did: "call unknown 400, call ok"}}},
		{"its session was gone, as the client knew", s02Key, []wanted{{class: unsafe, told: "ok", did: "call not_executed 404, call ok"}}},
		{"only its session was set up again", s02Key, []wanted{{class: unsafe, told: "ok", did: "initialize unknown C4 reset, initialize ok, call ok"}}},
		{"a restart that never came to it again", s02Key, []wanted{
			{class: unsafe, told: "unknown", did: "call unknown C4"}, {op: "t000001/s01", restart: 2, class: unsafe, told: "ok", did: "call ok"},
		}},
		{"voided before the restart sent it again", s02Key + "@2", []wanted{
			{class: unsafe, told: "unknown", settled: "voided", did: "call unknown C3, settle ok"}, {restart: 2, class: unsafe, told: "ok", did: "call ok"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantStatus(t, judge(t, runOf(t, c.commits, c.ops...), "no-unsafe-replay"), history.Pass, "")
		})
	}
}

func TestNoUnsafeReplayViolated(t *testing.T) {
	const again, twice = "sent again while unknown", "executed twice or more"
	for _, c := range []struct {
		name, commits, reason string
		ops                   []wanted
	}{
		{"sent again after unknown", s02Key, again, []wanted{{class: unsafe, told: "ok", did: "call unknown C1 reset, call ok"}}},
		{"sent again by a class that could have been settled", s02Key, again, []wanted{{class: resolve, told: "ok", did: "call unknown C1, call ok"}}},
		{"of a tool that declares nothing", s02Key, again, []wanted{{told: "ok", did: "call unknown C1, call ok"}}},
		{"executed twice", s02Key + "," + s02Key, twice, []wanted{{class: unsafe, told: "ok", did: "call unknown C4 reset, call ok"}}},
		{"executed twice though called once", s02Key + "," + s02Key, twice, []wanted{{class: unsafe, told: "ok", did: "call ok"}}},
		{
			"executed in two generations", s02Key + "," + s02Key + "#2", twice,
			[]wanted{{class: unsafe, told: "ok", settled: "voided", did: "call unknown C4, settle ok, call ok"}},
		},
		{"across a restart", s02Key, again, []wanted{
			{class: unsafe, told: "unknown", did: "call unknown C4"}, {restart: 2, class: unsafe, told: "unknown", did: "call unknown C1"},
		}},
		{"executed in two rollouts of a task", s02Key + "@1," + s02Key + "@2", twice, []wanted{
			{class: unsafe, told: "ok", did: "call ok"}, {restart: 2, class: unsafe, told: "ok", did: "call ok"},
		}},
		{
			"settled as done, and sent again all the same", s02Key, again,
			[]wanted{{class: unsafe, told: "ok", settled: "result", did: "call unknown C4, settle ok, call ok"}},
		},
		{"the settle itself was lost", s02Key, again, []wanted{{class: unsafe, told: "ok", did: "call unknown C4, settle unknown C4, call ok"}}},
		{"looked up, and not settled (FM-59)", s02Key, again, []wanted{{class: unsafe, told: "ok", did: "call unknown C4, lookup ok, call ok"}}},
		{
			"voided too early", s02Key, again,
			[]wanted{{class: unsafe, told: "ok", settled: "voided", did: "call unknown C1, settle ok, call unknown C4, call ok"}},
		},
		{"an indefinite status", s02Key, again, []wanted{{class: unsafe, told: "ok", did: "call unknown 503, call ok"}}},
		{"no answer at all", s02Key, again, []wanted{{class: unsafe, told: "ok", did: "call none, call ok"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inv := judge(t, runOf(t, c.commits, c.ops...), "no-unsafe-replay")
			wantStatus(t, inv, history.Fail, c.reason)
			if inv.Proof.Op != "t000001/s02" || inv.Evaluated != 1 {
				t.Errorf("%d evaluated, proof of %q", inv.Evaluated, inv.Proof.Op)
			}
		})
	}
}

func TestNoUnsafeReplayNotEvaluated(t *testing.T) {
	for _, class := range []history.ReplayClass{history.Keyed, history.Idempotent, history.ReadOnly} {
		t.Run(string(class), func(t *testing.T) {
			run := runOf(t, s02Key+","+s02Key, wanted{class: class, told: "ok", did: "call unknown C4, call ok"})
			wantStatus(t, judge(t, run, "no-unsafe-replay"), history.NotEvaluated, "no operation whose repeat does harm")
		})
	}
	t.Run("nothing was observed", func(t *testing.T) {
		run := runOf(t, "", wanted{class: unsafe, told: "unknown"})
		run.Manifest.Arms[0].Servers[1].Effects = false
		wantStatus(t, judge(t, run, "no-unsafe-replay"), history.NotEvaluated, "neither an exchange nor an execution")
	})
	t.Run("opening a session is no mutation", func(t *testing.T) {
		run := runOf(t, "", wanted{told: "ok", did: "initialize unknown, initialize ok"})
		run.Ops[0].Kind, run.Ops[0].Key = history.KindConnect, ""
		wantStatus(t, judge(t, run, "no-unsafe-replay"), history.NotEvaluated, "")
	})
}

// Without effects the witness bounds what was executed.
func TestNoUnsafeReplayByWitness(t *testing.T) {
	for _, c := range []struct {
		name   string
		seen   int
		status history.Status
	}{{"seen once, and handed over twice", 1, history.Pass}, {"seen twice", 2, history.Fail}} {
		t.Run(c.name, func(t *testing.T) {
			run := runOf(t, "", wanted{class: unsafe, told: "ok", did: "call ok"})
			run.Manifest.Arms[0].Servers[1].Effects = false
			seen := history.Wire{Arm: "main", Server: "tools", Rollout: rollout1, Key: s02Key, Tool: "append", Role: history.RoleCall, Handed: true}
			run.Wire = append(run.Wire, seen)
			seen.Result = history.ResultOK
			for range c.seen {
				run.Wire = append(run.Wire, seen)
			}
			wantStatus(t, judge(t, run, "no-unsafe-replay"), c.status, "")
		})
	}
}

// Operations that only a digest tells apart may be executed as often as there are
// of them, over all rollouts that wanted the same ones.
func TestNoUnsafeReplayOfEqualCalls(t *testing.T) {
	equal := func(commits string) *history.Run {
		run := runOf(t, commits, wanted{class: unsafe, told: "ok", did: "call ok"}, wanted{op: "t000001/s03", class: unsafe, told: "ok", did: "call ok, call ok"})
		run.Ops[0].Key, run.Ops[1].Key = "args:d#1", "args:d#2"
		return run
	}
	wantStatus(t, judge(t, equal("args:d,args:d"), "no-unsafe-replay"), history.Pass, "")
	inv := judge(t, equal("args:d,args:d,args:d"), "no-unsafe-replay")
	wantStatus(t, inv, history.Fail, "1 × executed twice")
	if inv.Proof.Op != "t000001/s03" || !strings.Contains(inv.Proof.Text, "counting 2 operations") {
		t.Errorf("the proof is of %s: %s", inv.Proof.Op, inv.Proof.Text)
	}
}

// A sequence key counts within one conversation, and a restart begins another.
func TestSequenceKeysBelongToARollout(t *testing.T) {
	run := runOf(t, "seq:1@1,seq:1@2",
		wanted{class: unsafe, told: "ok", did: "call ok"}, wanted{restart: 2, class: unsafe, told: "ok", did: "call ok"})
	run.Ops[0].Key, run.Ops[1].Key = "seq:1", "seq:1"
	wantStatus(t, judge(t, run, "no-unsafe-replay"), history.Pass, "")
}

// Another's value may end in #2 by itself.
func TestGenerationsAreOnlyOfKnownOperations(t *testing.T) {
	run := runOf(t, "arg:issue#12,arg:issue#13",
		wanted{class: unsafe, told: "ok", did: "call ok"}, wanted{op: "t000001/s03", class: unsafe, told: "ok", did: "call ok"})
	run.Ops[0].Key, run.Ops[1].Key = "arg:issue#12", "arg:issue#13"
	wantStatus(t, judge(t, run, "no-unsafe-replay"), history.Pass, "")
	run.Effects[1].Key = "arg:issue#13"
	wantStatus(t, judge(t, run, "no-unsafe-replay"), history.Fail, "executed twice")

	voided := runOf(t, "arg:own#2,arg:own", wanted{class: unsafe, told: "ok", settled: "voided", did: "call unknown C3, settle ok, call ok"})
	voided.Ops[0].Key = "arg:own"
	wantStatus(t, judge(t, voided, "no-unsafe-replay"), history.Fail, "executed twice")
}

// The proof tells both rollouts, each event with its own.
func TestNoUnsafeReplayProof(t *testing.T) {
	run := runOf(t, s02Key+"@1,"+s02Key+"@2",
		wanted{class: unsafe, told: "unknown", did: "call unknown C4 reset"}, wanted{restart: 2, class: unsafe, told: "ok", did: "call ok"})
	proof := judge(t, run, "no-unsafe-replay").Proof
	got := proof.Text + "\n" + strings.Join(proof.Events, "\n")
	want := strings.Join([]string{
		"t000001/s02 was wanted once and tools executed it 2 times",
		"t000001.1, attempt 1 of s02 (arg:t000001/s02): cut C4 rst after 0 bytes up and 0 down; the client wrote 300 and read 0 bytes, reset: unknown",
		"t000001.1, s02 tool append on tools (arg:t000001/s02), unsafe was told unknown after 1 attempt in 0s; reset",
		"t000001.2, attempt 1 of s02 (arg:t000001/s02): the client wrote 300 and read 0 bytes: ok",
		"t000001.2, s02 tool append on tools (arg:t000001/s02), unsafe was told ok after 1 attempt in 0s",
		"t000001.1, tools committed arg:t000001/s02",
		"t000001.2, tools committed arg:t000001/s02",
	}, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A 404 where there is no session refuses nothing for sure.
func TestNotFoundIsNoRefusal(t *testing.T) {
	run := runOf(t, s02Key, wanted{class: unsafe, told: "ok", did: "call unknown 404, call ok"})
	wantStatus(t, judge(t, run, "no-unsafe-replay"), history.Fail, "sent again while unknown")
}

// What a log with a gap does show is seen.
func TestReplayInALogWithAGap(t *testing.T) {
	run := runOf(t, s02Key+","+s02Key, wanted{class: unsafe, told: "ok", did: "call ok"})
	run.Gaps = []history.Gap{{Server: "tools", File: "effects.tools.1.ndjson", After: 3, Next: 5}}
	wantStatus(t, judge(t, run, "no-unsafe-replay"), history.Fail, "executed twice or more")
}
