package engine

import (
	"sync"
	"time"
)

// sampleQueue is how many batches may wait for the aggregator. When it is
// full, a VU waits at the end of its iteration.
const sampleQueue = 1024

// aggregator owns all aggregated state of a run. One goroutine reads batches
// of samples, so nothing in it is locked.
type aggregator struct {
	in     chan []Sample
	asked  chan func() // questions, answered between two batches
	done   chan struct{}
	pool   sync.Pool
	onEach func(Sample)
	hidden []string // tags that the options leave out
	known  *builtins
	root   *GroupSummary
	sinks  []*sink // by Metric.index
	subs   map[int][]*subMetric
}

// subMetric is a metric narrowed by tags. It exists because a threshold names it.
type subMetric struct {
	selector string
	metric   *Metric
	tags     []tag
	sink     *sink
}

func newAggregator(thresholds []Threshold, p *Program, onEach func(Sample)) *aggregator {
	a := &aggregator{
		in:     make(chan []Sample, sampleQueue),
		asked:  make(chan func()),
		done:   make(chan struct{}),
		onEach: onEach,
		hidden: p.declared.rest.hiddenTags(),
		known:  &p.builtins,
		root:   &GroupSummary{},
		subs:   make(map[int][]*subMetric),
	}
	for _, t := range thresholds {
		if len(t.tags) > 0 && a.sub(t.Selector) == nil {
			m := p.metrics.lookup(t.metric)
			a.subs[m.index] = append(a.subs[m.index], &subMetric{t.Selector, m, t.tags, newSink(m.kind)})
		}
	}
	go a.loop()
	return a
}

func (a *aggregator) loop() {
	defer close(a.done)
	for {
		select {
		case question := <-a.asked:
			question()
		case batch, open := <-a.in:
			if !open {
				return
			}
			a.take(batch)
		}
	}
}

func (a *aggregator) take(batch []Sample) {
	for _, s := range batch {
		a.add(s)
	}
	clear(batch)
	batch = batch[:0]
	a.pool.Put(&batch)
}

// ask runs a question on the goroutine that owns the state, and waits for it.
func (a *aggregator) ask(question func()) {
	answered := make(chan struct{})
	a.asked <- func() { question(); close(answered) }
	<-answered
}

func (a *aggregator) add(s Sample) {
	a.sinkOf(s.Metric).add(s.Value)
	a.root.add(s, a.known)
	s.Tags = without(s.Tags, a.hidden)
	for _, sub := range a.subs[s.Metric.index] {
		if sub.matches(s.Tags) {
			sub.sink.add(s.Value)
		}
	}
	if a.onEach != nil {
		a.onEach(s)
	}
}

// send hands a batch over. The caller must not use it again.
func (a *aggregator) send(batch []Sample) {
	if len(batch) > 0 {
		a.in <- batch
	}
}

// batch returns an empty batch, reused where possible.
func (a *aggregator) batch() []Sample {
	if b, ok := a.pool.Get().(*[]Sample); ok {
		return *b
	}
	return nil
}

// close waits until every sample has been aggregated. No batch may be sent
// after it.
func (a *aggregator) close() {
	close(a.in)
	<-a.done
}

func (a *aggregator) sinkOf(m *Metric) *sink {
	for len(a.sinks) <= m.index {
		a.sinks = append(a.sinks, nil)
	}
	if a.sinks[m.index] == nil {
		a.sinks[m.index] = newSink(m.kind)
	}
	return a.sinks[m.index]
}

func (a *aggregator) sub(selector string) *subMetric {
	for _, list := range a.subs {
		for _, s := range list {
			if s.selector == selector {
				return s
			}
		}
	}
	return nil
}

func (s *subMetric) matches(tags map[string]string) bool {
	for _, t := range s.tags {
		if tags[t.name] != t.value {
			return false
		}
	}
	return true
}

// MetricSummary is one metric or sub-metric at the end of a run.
type MetricSummary struct {
	// Name is the metric's name, with the tags in braces for a sub-metric.
	Name   string
	Type   MetricType
	IsTime bool
	// Samples is how many values were aggregated.
	Samples int64
	// Contains is what the values are: see Metric.Contains.
	Contains string
	// Values are named as in k6's summary: count and rate of a counter, value,
	// min and max of a gauge, rate, passes and fails of a rate, and the
	// options' summaryTrendStats of a trend. Times are milliseconds.
	Values map[string]float64
}

// summarise returns every metric that has a sample or a threshold, by name.
func (a *aggregator) summarise(r *registry, trendStats []string, elapsed time.Duration) []MetricSummary {
	var list []MetricSummary
	add := func(name string, m *Metric, s *sink) {
		list = append(list, MetricSummary{name, m.kind, m.isTime, s.count, m.Contains(), s.values(trendStats, elapsed)})
	}
	for _, m := range r.all() {
		if s := a.sinkOf(m); s.count > 0 {
			add(m.name, m, s)
		}
		for _, sub := range a.subs[m.index] {
			add(sub.selector, m, sub.sink)
		}
	}
	return list
}

// idle returns the metrics that a threshold names and that never got a sample.
func (a *aggregator) idle(thresholds []Threshold, r *registry, trendStats []string) (list []MetricSummary) {
	for _, t := range thresholds {
		if m := r.lookup(t.metric); len(t.tags) == 0 && a.sinkOf(m).count == 0 {
			list = append(list, MetricSummary{m.name, m.kind, m.isTime, 0, m.Contains(), a.sinkOf(m).values(trendStats, 0)})
		}
	}
	return list
}

// judge evaluates the thresholds.
func (a *aggregator) judge(thresholds []Threshold, r *registry, elapsed time.Duration) []ThresholdResult {
	var list []ThresholdResult
	for _, t := range thresholds {
		s := a.sinkOf(r.lookup(t.metric))
		if sub := a.sub(t.Selector); sub != nil {
			s = sub.sink
		}
		list = append(list, t.judge(s, elapsed))
	}
	return list
}
