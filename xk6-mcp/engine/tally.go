package engine

import "time"

// Tally aggregates values of one metric as a run's own result does. It is for a
// caller that breaks a run down further than the script's thresholds do, and
// belongs to one goroutine.
type Tally struct {
	metric *Metric
	sink   *sink
}

// NewTally makes an empty tally of a metric's values.
func NewTally(m *Metric) *Tally { return &Tally{m, newSink(m.kind)} }

// Add takes in one value.
func (t *Tally) Add(value float64) { t.sink.add(value) }

// Summary is the aggregate so far. The statistics are those of a trend, and
// elapsed is the time by which a counter has a rate.
func (t *Tally) Summary(trendStats []string, elapsed time.Duration) MetricSummary {
	return MetricSummary{
		Name: t.metric.name, Type: t.metric.kind, IsTime: t.metric.isTime,
		Contains: t.metric.Contains(), Samples: t.sink.count, Values: t.sink.values(trendStats, elapsed),
	}
}
