package check_test

import (
	"errors"
	"path/filepath"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

func events(run *history.Run) int {
	return len(run.Ops) + len(run.Attempts) + len(run.Rollouts) + len(run.Wire) + len(run.Faults) + len(run.Effects)
}

// judgeWell evaluates a run that must pass.
func judgeWell(b *testing.B, run *history.Run) {
	b.Helper()
	if v := check.Evaluate(run, check.Options{All: true}); v.Status != history.Pass {
		b.Fatal(v.Reason)
	}
}

func reportEvents(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkEvaluate judges a run of 20,000 rollouts in memory.
func BenchmarkEvaluate(b *testing.B) {
	run := stormRun(20_000)
	b.ResetTimer()
	for range b.N {
		judgeWell(b, run)
	}
	reportEvents(b, events(run))
}

// BenchmarkOpenAndEvaluate does what the check command does: it reads a stored run
// of 20,000 rollouts and judges it. The budget is 500,000 events a second.
func BenchmarkOpenAndEvaluate(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "run")
	run := stormRun(20_000)
	n := events(run)
	if err := store(run, dir); err != nil {
		b.Fatal(err)
	}
	run = nil
	b.ResetTimer()
	for range b.N {
		stored, err := history.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		judgeWell(b, stored)
	}
	reportEvents(b, n)
}

// store writes a run to disk as its recorders would, each server's effects in a
// file of their own and numbered there.
func store(run *history.Run, dir string) error {
	w, err := history.Create(dir, history.WriterOptions{PackAbove: -1})
	if err != nil {
		return err
	}
	put(run.Plan, w.Plan)
	put(run.Ops, w.Op)
	put(run.Attempts, w.Attempt)
	put(run.Rollouts, w.Rollout)
	put(run.Wire, w.Wire)
	put(run.Faults, w.Fault)
	put(run.Resources, w.Resource)
	if err := errors.Join(storeEffects(run.Effects, dir), w.Close()); err != nil {
		return err
	}
	manifest := run.Manifest
	if err := manifest.Seal(dir); err != nil {
		return err
	}
	return w.Manifest(manifest)
}

func put[T any](records []T, write func(T)) {
	for _, r := range records {
		write(r)
	}
}

func storeEffects(effects []history.Effect, dir string) error {
	logs, numbers := map[string]*history.EffectLog{}, map[string]int64{}
	var failed error
	for _, e := range effects {
		log, open := logs[e.Server]
		if !open {
			var err error
			if log, err = history.CreateEffects(dir, e.Server); err != nil {
				return err
			}
			logs[e.Server] = log
		}
		numbers[e.Server]++
		e.N = numbers[e.Server]
		failed = errors.Join(failed, log.Effect(e))
	}
	for _, log := range logs {
		failed = errors.Join(failed, log.Close())
	}
	return failed
}

// A run that was stored is judged as it was in memory, and has no gap.
func TestAStoredRunIsJudgedTheSame(t *testing.T) {
	run, dir := stormRun(50), filepath.Join(t.TempDir(), "run")
	if err := store(run, dir); err != nil {
		t.Fatal(err)
	}
	stored, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	first, again := evaluate(run), evaluate(stored)
	if first.Reason != again.Reason || first.Counts.Commits != again.Counts.Commits || len(stored.Gaps) > 0 || events(stored) != events(run) {
		t.Errorf("%q of %d events, then %q of %d, gaps %v", first.Reason, events(run), again.Reason, events(stored), stored.Gaps)
	}
}
