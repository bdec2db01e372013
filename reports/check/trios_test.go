package check_test

import (
	"path/filepath"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// trio is three recorded histories of one invariant: one that holds, one that violates
// it, and one that cannot tell.
type trio struct {
	holds, violates, cannotTell func(t *testing.T) *history.Run
}

// of makes a trio from a history that holds and what changes it.
func of(good func(t *testing.T) *history.Run, violate, blind func(*history.Run)) trio {
	changed := func(change func(*history.Run)) func(*testing.T) *history.Run {
		return func(t *testing.T) *history.Run {
			run := good(t)
			change(run)
			return run
		}
	}
	return trio{good, changed(violate), changed(blind)}
}

// trios has one for each invariant; a new one cannot be forgotten.
func trios() map[string]trio {
	turn := func(t *testing.T) *history.Run {
		return script{turns: "seq:1 ok n1, seq:2 ok n2", log: "commit seq:1 n1, answer seq:1 n1, commit seq:2 n2, answer seq:2 n2"}.run(t)
	}
	call := func(t *testing.T) *history.Run {
		return runOf(t, s02Key, wanted{class: unsafe, told: history.ToldOK, did: "call ok"})
	}
	failedCall := func(t *testing.T) *history.Run {
		run := runOf(t, "", wanted{class: unsafe, told: history.ToldUnknown, did: "call unknown C4 reset"})
		failedOn(run, &run.Ops[0])
		return run
	}
	onlyWitness := func(r *history.Run) {
		r.Manifest.Arms[0].Servers[1].Effects, r.Effects = false, nil
	}
	return map[string]trio{
		"coverage": of(func(*testing.T) *history.Run { return coveredRun() },
			func(r *history.Run) { r.Rollouts = r.Rollouts[:3] },
			func(r *history.Run) { r.Manifest.Arms[0].Judge = false }),
		"exactly-once-turns": of(turn,
			func(r *history.Run) { r.Rollouts[0].Turns[1].Nonce = "n1" },
			func(r *history.Run) { r.Manifest.Arms[0].Servers[0].Effects, r.Effects = false, nil }),
		"no-unsafe-replay": of(call,
			func(r *history.Run) {
				callAgain(r, &r.Ops[0], r.Ops[0].Rollout)
				r.Attempts[0].Told = history.ToldUnknown
			},
			func(r *history.Run) { onlyWitness(r); r.Attempts = nil }),
		"no-spurious-failure": of(failedCall,
			func(r *history.Run) { r.Faults = nil },
			func(r *history.Run) { r.Rollouts[0].Cause = nil }),
		"truthful-outcome": of(call,
			func(r *history.Run) { r.Ops[0].Told = history.ToldNotExecuted },
			onlyWitness),
		"isolation": of(echoedRun,
			func(r *history.Run) { r.Ops[0].Echo = r.Ops[1].Nonce },
			func(r *history.Run) {
				onlyWitness(r)
				r.Ops[0].Nonce, r.Ops[1].Nonce = "", ""
			}),
		"blast-radius": of(failedCall,
			func(r *history.Run) { r.Faults = nil },
			func(r *history.Run) { r.Ops[0].Interrupted = true }),
		"bounded-retry": of(call,
			func(r *history.Run) { r.Ops[0].Attempts = r.Ops[0].Budget + 1 },
			func(r *history.Run) { r.Ops[0].Budget = 0 }),
		"no-hang": of(call,
			func(r *history.Run) { r.Ops[0].End = 99 * second },
			func(r *history.Run) { r.Ops[0].Deadline = 0 }),
		"no-leak": of(func(*testing.T) *history.Run {
			return countedRun(3, series(20, func(i int) int64 { return 60 + int64(i%3) }), 3)
		},
			func(r *history.Run) {
				for i := range r.Resources {
					r.Resources[i].Counts["sockets"] += int64(i)
				}
			},
			func(r *history.Run) { r.Resources = r.Resources[:8] }),
		"recovery": of(healedRun,
			func(r *history.Run) { r.Ops[1].Told = history.ToldUnknown },
			func(r *history.Run) { r.Faults[0].At = 9 * second }),
	}
}

// Each invariant passes, fails and declines to tell, on histories that were written to
// disk and read again as the check command does it.
func TestEveryInvariantHoldsFailsAndCannotTell(t *testing.T) {
	all := trios()
	for _, info := range check.Known() {
		one, ok := all[info.ID]
		if !ok {
			t.Errorf("%s has no histories", info.ID)
			continue
		}
		delete(all, info.ID)
		for want, build := range map[history.Status]func(*testing.T) *history.Run{
			history.Pass: one.holds, history.Fail: one.violates, history.NotEvaluated: one.cannotTell,
		} {
			t.Run(info.ID+" "+string(want), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "run")
				if err := store(build(t), dir); err != nil {
					t.Fatal(err)
				}
				stored, err := history.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				wantStatus(t, judge(t, stored, info.ID), want, "")
			})
		}
	}
	for id := range all {
		t.Errorf("there is no invariant %s", id)
	}
}
