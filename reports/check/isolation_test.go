package check_test

import (
	"strings"
	"testing"

	"mcpstorm/history"
)

// echoedRun is a run of two operations of two tasks, each with its own nonce.
func echoedRun(t *testing.T) *history.Run {
	run := runOf(t, s02Key,
		wanted{class: unsafe, told: "ok", did: "call ok"}, wanted{op: "t000002/s02", class: unsafe, told: "ok", did: "call ok"})
	run.Ops[0].Nonce, run.Ops[0].Echo = "nonce-a", "nonce-a"
	run.Ops[1].Nonce, run.Ops[1].Echo = "nonce-b", "nonce-b"
	return run
}

func TestIsolation(t *testing.T) {
	effect := func(rollout, key string) func(*history.Run) {
		return func(r *history.Run) {
			r.Effects = append(r.Effects, history.Effect{Arm: "main", Server: "tools", Kind: history.EffectCommit, Rollout: rollout, Key: key, Tool: "append"})
		}
	}
	transcripts := func(nonces ...string) func(*history.Run) {
		return func(r *history.Run) {
			for i, nonce := range nonces {
				task := []string{"t000001", "t000002"}[i%2]
				r.Rollouts = append(r.Rollouts, history.Rollout{
					Arm: "main", Task: task, Rollout: task + ".1",
					Turns: []history.Turn{{Op: task + "/s01", Key: "seq:1", Told: history.ToldOK, Nonce: nonce}},
				})
			}
		}
	}
	for _, c := range []struct {
		name      string
		status    history.Status
		reason    string
		evaluated int
		change    func(*history.Run)
	}{
		{"every result is its own call's", history.Pass, "", 2, func(*history.Run) {}},
		{"a nonce that was not told ok promises nothing", history.Pass, "", 1, func(r *history.Run) {
			r.Ops[0].Told, r.Ops[0].Echo = history.ToldUnknown, ""
			r.Effects = r.Effects[:1]
		}},
		{"the result of another call", history.Fail, "1 × the result is another call's", 2, func(r *history.Run) { r.Ops[0].Echo = "nonce-b" }},
		{"a nonce of nobody", history.Fail, "carries another nonce", 2, func(r *history.Run) { r.Ops[0].Echo = "stranger" }},
		{"no nonce", history.Fail, "carries no nonce", 2, func(r *history.Run) { r.Ops[0].Echo = "" }},

		{"recorded under its own task", history.Pass, "", 3, effect("t000002.1", "arg:t000002/s07")},
		{"in a restart of its own task", history.Pass, "", 3, effect("t000002.2", "arg:t000002/s07")},
		{"an operation of another task", history.Fail, "reached another", 3, effect("t000002.1", s02Key)},
		{"a later generation of one", history.Fail, "reached another", 3, effect("t000002.1", s02Key+"#2")},
		{"a settle of another task's operation", history.Fail, "reached another", 3, effect("t000002.1", "settle:t000001/s02")},
		{"a value that is no operation", history.Pass, "", 2, effect("t000002.1", "arg:payment-7")},
		{"a digest names nobody", history.Pass, "", 2, effect("t000002.1", "args:t0001")},

		{"each transcript has its own turns", history.Pass, "", 4, transcripts("n1", "n2")},
		{"one turn in two transcripts", history.Fail, "two transcripts", 4, transcripts("n1", "n1")},
		{"nothing to judge by", history.NotEvaluated, "no result carries a nonce", 0, func(r *history.Run) {
			r.Ops[0].Nonce, r.Ops[1].Nonce, r.Effects = "", "", nil
		}},
		{"records that name operations are enough", history.Pass, "", 1, func(r *history.Run) { r.Ops[0].Nonce, r.Ops[1].Nonce = "", "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := echoedRun(t)
			c.change(run)
			inv := judge(t, run, "isolation")
			wantStatus(t, inv, c.status, c.reason)
			if inv.Evaluated != c.evaluated {
				t.Errorf("%d evaluated, want %d", inv.Evaluated, c.evaluated)
			}
		})
	}
}

func TestIsolationProof(t *testing.T) {
	run := echoedRun(t)
	run.Ops[0].Echo = "nonce-b"
	proof := judge(t, run, "isolation").Proof
	if want := "t000001/s02 sent nonce nonce-a and its result carries nonce-b, which is that of t000002/s02"; proof.Text != want {
		t.Errorf("got %q, want %q", proof.Text, want)
	}
	if last := proof.Events[len(proof.Events)-1]; !strings.Contains(last, "t000002.1 sent nonce nonce-b") {
		t.Errorf("the last event is %q, want the other's", last)
	}
}
