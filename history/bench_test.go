package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mcpstorm/history"
)

// BenchmarkOpen reads a history of records as long as those of a real run.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "run")
	const rollouts, events = 2000, 2000 * (1 + 5*(1+3+3+4)) // and a rollout
	if err := writeLong(dir, rollouts); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		run, err := history.Open(dir)
		if err != nil || len(run.Ops) != rollouts*5 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func writeLong(dir string, rollouts int) error {
	w, err := history.Create(dir, history.WriterOptions{PackAbove: -1})
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(dir, history.EffectsFile("sim", 1)))
	if err != nil {
		return err
	}
	effects, n := history.NewEffectLog("effects", log), int64(0)
	for i := range rollouts {
		task := fmt.Sprintf("t%06d", i)
		for s := range 5 {
			op, key := fmt.Sprintf("%s/s%02d", task, s+1), fmt.Sprintf("seq:%d", 2*s)
			w.Op(history.Op{Arm: "main", Op: op, Rollout: task + ".1", Server: "sim", Kind: history.KindTurn, Tool: "respond", Key: key, Class: history.Keyed, Policy: "settle", Told: history.ToldOK, Deadline: 73500000000, Attempts: 1, Budget: 6, Start: 1234567890, End: 1239999999})
			for e, role := range []history.ExchangeRole{history.RoleInitialize, history.RoleInitialized, history.RoleCall} {
				w.Attempt(history.Attempt{Arm: "main", Op: op, Rollout: task + ".1", Attempt: 1, Exchange: e + 1, Role: role, Server: "sim", Era: "2025-11-25", Told: history.ToldOK, Trace: "answered", Written: 361, Read: 627, Status: 200, Start: 1234567890, End: 1239999999})
				w.Wire(history.Wire{Arm: "main", Server: "sim", Conn: int64(i), Exchange: e + 1, Rollout: task + ".1", Key: key, Tool: "respond", Hint: task + ".1/s02/a1", Method: "POST", RPC: "tools/call", Role: role, Handed: true, Status: 200, Result: history.ResultOK, Up: 361, Down: 627, Start: 1234567890, End: 1239999999})
			}
			for _, kind := range []history.EffectKind{history.EffectBegin, history.EffectCommit, history.EffectAnswer, history.EffectRefuse} {
				n++
				if err := effects.Effect(history.Effect{Arm: "main", Server: "sim", Kind: kind, N: n, Rollout: task + ".1", Key: key, Tool: "respond", Digest: "0123456789abcdef", Sequence: int64(s), Nonce: "0123456789abcdef", At: 1234567890}); err != nil {
					return err
				}
			}
		}
		w.Rollout(history.Rollout{Arm: "main", Scenario: "rollouts", Task: task, Rollout: task + ".1", Outcome: history.Completed, Turns: []history.Turn{{Op: task + "/s02", Key: "seq:0", Told: history.ToldOK, Nonce: "0123456789abcdef"}}})
	}
	if err := w.Manifest(history.Manifest{}); err != nil {
		return err
	}
	if err := effects.Close(); err != nil {
		return err
	}
	return w.Close()
}
