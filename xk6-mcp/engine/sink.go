package engine

import "time"

// sink aggregates the samples of one metric or sub-metric.
type sink struct {
	kind   MetricType
	count  int64 // samples
	value  float64
	passes int64
	min    float64
	max    float64
	dist   *distribution
}

func newSink(kind MetricType) *sink {
	s := &sink{kind: kind}
	if kind == Trend {
		s.dist = &distribution{}
	}
	return s
}

func (s *sink) add(v float64) {
	switch s.kind {
	case Counter:
		s.value += v
	case Gauge:
		if s.count == 0 {
			s.min, s.max = v, v
		}
		s.value = v
		s.min, s.max = min(s.min, v), max(s.max, v)
	case Rate:
		if v != 0 {
			s.passes++
		}
	case Trend:
		s.dist.add(v)
	}
	s.count++
}

// read returns one aggregated number. elapsed is the length of the run, by
// which a counter's rate is a rate per second.
func (s *sink) read(a aggregation, elapsed time.Duration) float64 {
	switch a.name {
	case "count":
		if s.kind == Counter {
			return s.value
		}
		return float64(s.count)
	case "rate":
		return s.rate(elapsed)
	case "value":
		return s.value
	case "avg":
		return s.dist.mean()
	case "min":
		return s.dist.min
	case "max":
		return s.dist.max
	}
	return s.dist.quantile(a.quantile)
}

func (s *sink) rate(elapsed time.Duration) float64 {
	if s.kind == Counter {
		if elapsed <= 0 {
			return 0
		}
		return s.value / elapsed.Seconds()
	}
	if s.count == 0 {
		return 0
	}
	return float64(s.passes) / float64(s.count)
}

// values returns the numbers of a summary under the names that k6 gives them.
func (s *sink) values(trendStats []string, elapsed time.Duration) map[string]float64 {
	switch s.kind {
	case Counter:
		return map[string]float64{"count": s.value, "rate": s.rate(elapsed)}
	case Gauge:
		return map[string]float64{"value": s.value, "min": s.min, "max": s.max}
	case Rate:
		return map[string]float64{"rate": s.rate(elapsed), "passes": float64(s.passes), "fails": float64(s.count - s.passes)}
	}
	values := make(map[string]float64, len(trendStats))
	for _, stat := range trendStats {
		a, err := parseAggregation(stat, Trend)
		if err != nil {
			a = aggregation{name: stat} // "count", which only a summary may ask for
		}
		values[stat] = s.read(a, elapsed)
	}
	return values
}
