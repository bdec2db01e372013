package compare

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/reports/stats"
)

// opDuration is the metric that latencies are read as: how long an operation took,
// whatever its caller was told. That of an operation which the run stopped is nobody's.
const opDuration = "mcp_op_duration"

// quantilesKept are the quantiles that a measurement holds.
var quantilesKept = []float64{0.5, 0.9, 0.95, 0.99}

// times are seconds by arm, by metric, and by rollout.
type times map[string]map[string]*series

// series is the times of one metric by rollout, in order of first appearance.
type series struct {
	at     map[string]int
	values [][]float64
}

func timesOf(run *history.Run) times {
	all := times{}
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Interrupted || op.End < op.Start {
			continue
		}
		took := time.Duration(op.End - op.Start).Seconds()
		all.add(op, opDuration, took)
		all.add(op, part("kind", string(op.Kind)), took)
		all.add(op, part("server", op.Server), took)
		if op.Tool != "" {
			all.add(op, part("tool", op.Tool), took)
		}
	}
	return all
}

// part names a part of the metric as a threshold does.
func part(tag, value string) string { return opDuration + "{" + tag + ":" + value + "}" }

func (t times) add(op *history.Op, metric string, took float64) {
	if t[op.Arm] == nil {
		t[op.Arm] = map[string]*series{}
	}
	s := t[op.Arm][metric]
	if s == nil {
		s = &series{at: map[string]int{}}
		t[op.Arm][metric] = s
	}
	n, ok := s.at[op.Rollout]
	if !ok {
		n = len(s.values)
		s.at[op.Rollout] = n
		s.values = append(s.values, nil)
	}
	s.values[n] = append(s.values[n], took)
}

// latencies are the quantiles of every series of an arm, the whole before its parts. The seed is the run's, so that
// a run measured twice measures the same.
func (t times) latencies(root uint64, arm string) (list []Latency) {
	for _, metric := range slices.Sorted(maps.Keys(t[arm])) {
		s := t[arm][metric]
		l := Latency{Metric: metric}
		for _, values := range s.values {
			l.Values += len(values)
		}
		if len(list) > 0 && l.Values == list[0].Values { // this part is the whole
			l.Quantiles = list[0].Quantiles
		} else {
			l.Quantiles = quantiles(s, seed.Root(root).Stream("compare", "latency", arm, metric))
		}
		list = append(list, l)
	}
	return list
}

func quantiles(s *series, chance *rand.Rand) (list []Quantile) {
	for _, q := range stats.ClusteredQuantiles(s.values, quantilesKept, chance) {
		list = append(list, Quantile{Q: q.Q, Value: q.Value, Low: bounded(q.Low), High: bounded(q.High)})
	}
	return list
}

// bounded is an end of an interval, or nil for an open one.
func bounded(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// span is the interval with its open ends.
func (q *Quantile) span() stats.Span {
	s := stats.Span{Low: math.Inf(-1), High: math.Inf(1)}
	if q.Low != nil {
		s.Low = *q.Low
	}
	if q.High != nil {
		s.High = *q.High
	}
	return s
}
