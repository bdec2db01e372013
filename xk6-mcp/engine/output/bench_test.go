package output_test

import (
	"maps"
	"path/filepath"
	"testing"

	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/output"
)

// BenchmarkSample is what one sample costs an output. Every sample comes with a
// map of its own, as the engine makes them, one of 64 sets of nine tags.
func BenchmarkSample(b *testing.B) {
	p := program(b, script)
	m := metric(b, p, "took", engine.Trend, true)
	var all []engine.Sample
	for i := range 64 {
		tags := map[string]string{
			"scenario": "rollouts", "arm": "main", "kind": "tool", "server": "tools", "told": "ok",
			"policy": "settle", "group": "::a", "tool": string(rune('A' + i)), "status": "200",
		}
		for range 8 {
			all = append(all, engine.Sample{Metric: m, Value: 12.345678, Tags: maps.Clone(tags), Time: at})
		}
	}
	for _, s := range []output.Spec{
		{Name: output.JSON, Target: filepath.Join(b.TempDir(), "out.json")},
		{Name: output.JSON, Target: filepath.Join(b.TempDir(), "out.json.gz")},
		{Name: output.CSV, Target: filepath.Join(b.TempDir(), "out.csv")},
		{Name: output.Prometheus},
	} {
		b.Run(s.Name+filepath.Ext(s.Target), func(b *testing.B) {
			out, err := output.Open(s, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				out.Sample(all[i%len(all)])
			}
			if err := out.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
