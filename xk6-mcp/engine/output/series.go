package output

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"mcpstorm/xk6-mcp/engine"
)

// namespace stands before the name of every metric.
const namespace = "mcpstorm"

// nativeFactor is by how much a bucket of a native histogram is wider than the
// one below it, at most.
const nativeFactor = 1.1

var (
	// secondsBuckets are those of MCP's semantic conventions.
	secondsBuckets = []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}
	// plainBuckets suit a trend of which nothing is known but that it is a number.
	plainBuckets = prometheus.ExponentialBuckets(1, 4, 12)
)

// series is one metric with one set of labels.
type series interface {
	add(value float64)
	metrics() []prometheus.Metric
}

func newSeries(m *engine.Metric, labels prometheus.Labels) series {
	opts := func(suffix string) prometheus.Opts {
		return prometheus.Opts{
			Namespace: namespace, Name: m.Name() + suffix, ConstLabels: labels,
			Help: "The " + string(m.Type()) + " " + m.Name() + " of the script's dialect.",
		}
	}
	switch m.Type() {
	case engine.Counter:
		return newCounter(opts("_total"))
	case engine.Gauge:
		return gauge{prometheus.NewGauge(prometheus.GaugeOpts(opts("")))}
	case engine.Rate:
		return rate{newCounter(opts("_passes_total")), newCounter(opts("_fails_total"))}
	}
	return newTrend(m, opts)
}

// counter is a sum. It is its own and not the library's, which a script's
// negative value would bring down.
type counter struct {
	sum    *atomic.Uint64 // bits of a float64; one goroutine writes
	metric prometheus.Metric
}

func newCounter(o prometheus.Opts) counter {
	sum := new(atomic.Uint64)
	read := func() float64 { return math.Float64frombits(sum.Load()) }
	return counter{sum, prometheus.NewCounterFunc(prometheus.CounterOpts(o), read)}
}

func (c counter) add(v float64) {
	c.sum.Store(math.Float64bits(math.Float64frombits(c.sum.Load()) + v))
}

func (c counter) metrics() []prometheus.Metric { return []prometheus.Metric{c.metric} }

// gauge is the last value.
type gauge struct{ prometheus.Gauge }

func (g gauge) add(v float64) { g.Set(v) }

func (g gauge) metrics() []prometheus.Metric { return []prometheus.Metric{g.Gauge} }

// rate counts the values other than zero and the zeros apart, so that a query can
// take the rate over any time.
type rate struct{ passes, fails counter }

func (r rate) add(v float64) {
	if v != 0 {
		r.passes.add(1)
	} else {
		r.fails.add(1)
	}
}

func (r rate) metrics() []prometheus.Metric {
	return []prometheus.Metric{r.passes.metric, r.fails.metric}
}

// trend is a histogram: classic for any scraper, native for one that asks. Times
// are seconds.
type trend struct {
	prometheus.Histogram
	scale float64
}

func newTrend(m *engine.Metric, opts func(suffix string) prometheus.Opts) trend {
	suffix, buckets, scale := "", plainBuckets, 1.0
	if m.IsTime() {
		suffix, buckets, scale = "_seconds", secondsBuckets, 1e-3 // samples are milliseconds
	}
	o := opts(suffix)
	return trend{prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: o.Namespace, Name: o.Name, Help: o.Help, ConstLabels: o.ConstLabels,
		Buckets: buckets, NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: 160,
	}), scale}
}

func (t trend) add(v float64) { t.Observe(v * t.scale) }

func (t trend) metrics() []prometheus.Metric { return []prometheus.Metric{t.Histogram} }

// labels are a set of tags as Prometheus takes them, and as one text.
type labels struct {
	labels prometheus.Labels
	text   string
}

// labelsOf turns tags into labels. The numbers of virtual users and iterations
// are left out: they would make a series of every sample.
func labelsOf(tags map[string]string) labels {
	set := labels{labels: prometheus.Labels{}}
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if name != "vu" && name != "iter" {
			set.labels[labelName(name)] = strings.ToValidUTF8(tags[name], "\uFFFD")
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(set.labels)) {
		text.WriteString(name + "\x00" + set.labels[name] + "\x00")
	}
	set.text = text.String()
	return set
}

// labelName is a tag's name in letters, digits and underscores. It gets a letter
// in front where it would begin with a digit or with two underscores, which
// belong to Prometheus itself, or be empty.
func labelName(tag string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, tag)
	if name == "" || strings.HasPrefix(name, "__") || name[0] >= '0' && name[0] <= '9' || name == "le" {
		name = "tag_" + name
	}
	return name
}
