package run

import (
	"math"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// keepMetrics writes what the engine measured of every arm that ran into the history,
// for reports that are written later.
func (r *run) keepMetrics(results []*engine.Result) error {
	metrics := history.Metrics{Arms: []history.ArmMetrics{}}
	for i, result := range results {
		one := history.ArmMetrics{Arm: r.arms[i].spec.Name, Duration: int64(result.Duration), Metrics: []history.Metric{}}
		for _, m := range result.Metrics {
			one.Metrics = append(one.Metrics, history.Metric{
				Name: m.Name, Type: string(m.Type), Contains: m.Contains, Samples: m.Samples, Values: finite(m.Values),
			})
		}
		for _, t := range result.Thresholds {
			one.Thresholds = append(one.Thresholds, r.thresholdRecord(t))
		}
		metrics.Arms = append(metrics.Arms, one)
	}
	return history.WriteMetrics(r.writer.Dir(), metrics)
}

func (r *run) thresholdRecord(t engine.ThresholdResult) history.Threshold {
	record := history.Threshold{Metric: t.Metric, Expr: t.Expr, Value: t.Value, Status: history.Fail}
	switch {
	case t.NoData:
		record.Value, record.Status, record.Allowed = 0, history.NotEvaluated, r.options.AllowEmptyThresholds
	case t.OK:
		record.Status = history.Pass
	}
	return record
}

// finite leaves out what JSON has no number for.
func finite(values map[string]float64) map[string]float64 {
	kept := make(map[string]float64, len(values))
	for name, value := range values {
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			kept[name] = value
		}
	}
	return kept
}
