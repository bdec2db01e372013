package engine

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// MetricType says how the values of a metric are aggregated.
type MetricType string

// The types of metric, as k6 names them.
const (
	Counter MetricType = "counter" // a sum
	Gauge   MetricType = "gauge"   // the last value, the smallest and the largest
	Rate    MetricType = "rate"    // the share of values other than zero
	Trend   MetricType = "trend"   // a distribution
)

// Metric is a named series of samples. It belongs to one Program, is immutable
// and may be used from any goroutine.
type Metric struct {
	name   string
	kind   MetricType
	isTime bool
	isData bool
	index  int
}

// Name returns the metric's name.
func (m *Metric) Name() string { return m.name }

// Type returns the metric's type.
func (m *Metric) Type() MetricType { return m.kind }

// IsTime reports whether the values are milliseconds.
func (m *Metric) IsTime() bool { return m.isTime }

// Contains says what the values are, in k6's words: "time" for milliseconds,
// "data" for bytes, "default" for anything else.
func (m *Metric) Contains() string {
	switch {
	case m.isTime:
		return "time"
	case m.isData:
		return "data"
	}
	return "default"
}

// Sample is one value of a metric. Tags is shared between samples and must not
// be changed.
type Sample struct {
	Metric *Metric
	Value  float64
	Tags   map[string]string
	Time   time.Time
}

// registry holds the metrics of a program. It is safe for concurrent use,
// because VUs declare their metrics while they start in parallel.
type registry struct {
	mu     sync.Mutex
	byName map[string]*Metric
}

// builtins are the metrics that the engine itself emits.
type builtins struct {
	iterations, dropped, duration, checks, group, vus, vusMax, sent, received *Metric
}

var metricName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

func newRegistry() (*registry, builtins) {
	r := &registry{byName: make(map[string]*Metric)}
	must := func(name string, t MetricType, isTime bool) *Metric {
		m, err := r.register(name, t, isTime)
		if err != nil {
			panic(err) // a built-in name is wrong: a mistake in this file
		}
		return m
	}
	data := func(name string) *Metric {
		m := must(name, Counter, false)
		m.isData = true
		return m
	}
	return r, builtins{
		sent:       data("data_sent"),
		received:   data("data_received"),
		iterations: must("iterations", Counter, false),
		dropped:    must("dropped_iterations", Counter, false),
		duration:   must("iteration_duration", Trend, true),
		checks:     must("checks", Rate, false),
		group:      must("group_duration", Trend, true),
		vus:        must("vus", Gauge, false),
		vusMax:     must("vus_max", Gauge, false),
	}
}

// register returns the metric of that name, and makes it when it is new. The
// same name with another type or meaning is an error.
func (r *registry) register(name string, t MetricType, isTime bool) (*Metric, error) {
	if !metricName.MatchString(name) {
		return nil, configError("metric %q: want a letter or underscore, then at most 127 letters, digits or underscores", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.byName[name]; m != nil {
		if m.kind != t || m.isTime != isTime {
			return nil, configError("metric %q: declared as %s, was %s", name, describe(t, isTime), describe(m.kind, m.isTime))
		}
		return m, nil
	}
	m := &Metric{name: name, kind: t, isTime: isTime, index: len(r.byName)}
	r.byName[name] = m
	return m, nil
}

func (r *registry) lookup(name string) *Metric {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byName[name]
}

// all returns the metrics by name.
func (r *registry) all() []*Metric {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*Metric, 0, len(r.byName))
	for _, m := range r.byName {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *Metric) int { return cmp.Compare(a.name, b.name) })
	return list
}

func (r *registry) names() []string {
	var names []string
	for _, m := range r.all() {
		names = append(names, m.name)
	}
	return names
}

func describe(t MetricType, isTime bool) string {
	if isTime {
		return fmt.Sprintf("a %s of times", t)
	}
	return fmt.Sprintf("a %s", t)
}
