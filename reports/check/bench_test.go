package check_test

import (
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

func events(run *history.Run) int {
	return len(run.Ops) + len(run.Attempts) + len(run.Rollouts) + len(run.Wire) + len(run.Faults) + len(run.Effects)
}

// BenchmarkEvaluate judges a run of 20,000 rollouts in memory. The budget is
// 500,000 events a second.
func BenchmarkEvaluate(b *testing.B) {
	run := stormRun(20_000)
	n := events(run)
	b.ResetTimer()
	for range b.N {
		if v := check.Evaluate(run, check.Options{All: true}); v.Status != history.Pass {
			b.Fatal(v.Reason)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
