package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Threshold is one condition that a script puts on a metric.
type Threshold struct {
	// Selector is the key as the script wrote it: a metric's name and, in
	// braces, the tags that a sample must have.
	Selector string
	// Expr is the condition as the script wrote it, such as "p(95)<200".
	Expr string
	// AbortOnFail ends the run as soon as the condition fails, though not before
	// DelayAbortEval has passed since the scenarios began.
	AbortOnFail    bool
	DelayAbortEval time.Duration

	metric    string
	tags      []tag
	aggregate aggregation
	operator  string
	limit     float64
}

// ThresholdResult is what became of one threshold.
type ThresholdResult struct {
	Metric string // the selector
	Expr   string
	Value  float64
	// OK is true when the condition holds, and also when there was no sample,
	// which is how k6 sees it.
	OK bool
	// NoData is true when no sample matched; the caller decides what that means.
	NoData bool
}

type tag struct{ name, value string }

// aggregation is the left side of a condition.
type aggregation struct {
	name     string
	quantile float64 // in [0, 1], for med and p(N)
}

// aggregations lists what each type of metric can be asked for in a threshold.
var aggregations = map[MetricType][]string{
	Counter: {"count", "rate"},
	Gauge:   {"value"},
	Rate:    {"rate"},
	Trend:   {"avg", "min", "max", "med", "p(N)"},
}

var (
	condition  = regexp.MustCompile(`^\s*([a-z]+(?:\([^)]*\))?)\s*(<=|>=|===|==|!=|<|>)\s*(\S+)\s*$`)
	percentile = regexp.MustCompile(`^p\(\s*([0-9.]+)\s*\)$`)
)

// parseThresholds reads the thresholds object of the options. Whether the
// metrics exist and have the right type is known only after loading: see bind.
func parseThresholds(raw json.RawMessage) ([]Threshold, error) {
	fields, err := members(raw)
	if err != nil {
		return nil, configError("options.thresholds: %w", err)
	}
	var list []Threshold
	for _, f := range fields {
		var entries []json.RawMessage
		if err := json.Unmarshal(f.value, &entries); err != nil {
			return nil, at(configError("threshold %q: want a list, got %s", f.key, f.value), f.key)
		}
		for _, entry := range entries {
			t, err := parseThreshold(f.key, entry)
			if err != nil {
				return nil, at(configError("threshold %q: %w", f.key, err), f.key)
			}
			list = append(list, t)
		}
	}
	return list, nil
}

func parseThreshold(selector string, raw json.RawMessage) (Threshold, error) {
	t := Threshold{Selector: selector}
	if err := t.parseSelector(); err != nil {
		return t, err
	}
	if err := json.Unmarshal(raw, &t.Expr); err != nil {
		if err := t.parseObject(raw); err != nil {
			return t, err
		}
	}
	return t, t.parseExpr()
}

// parseObject reads the long form.
func (t *Threshold) parseObject(raw json.RawMessage) error {
	fields, err := members(raw)
	if err != nil {
		return fmt.Errorf("want a string or an object, got %s", raw)
	}
	known := []string{"threshold", "abortOnFail", "delayAbortEval"}
	for _, f := range fields {
		switch f.key {
		case "threshold":
			err = json.Unmarshal(f.value, &t.Expr)
		case "abortOnFail":
			err = json.Unmarshal(f.value, &t.AbortOnFail)
		case "delayAbortEval":
			t.DelayAbortEval, err = parseDuration(f.value)
		default:
			return unknown("option", f.key, "", known)
		}
		if err != nil {
			return fmt.Errorf("%s: want %s, got %s", f.key, thresholdKinds[f.key], f.value)
		}
	}
	return nil
}

var thresholdKinds = map[string]string{"threshold": "a string", "abortOnFail": "true or false", "delayAbortEval": "a duration"}

func (t *Threshold) parseSelector() error {
	name, rest, tagged := strings.Cut(t.Selector, "{")
	t.metric = strings.TrimSpace(name)
	if !tagged {
		return nil
	}
	body, ok := strings.CutSuffix(strings.TrimSpace(rest), "}")
	if !ok {
		return fmt.Errorf("want a closing brace")
	}
	for part := range strings.SplitSeq(body, ",") {
		name, value, ok := strings.Cut(part, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("want tag:value, got %q", part)
		}
		t.tags = append(t.tags, tag{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return nil
}

func (t *Threshold) parseExpr() error {
	parts := condition.FindStringSubmatch(t.Expr)
	if parts == nil {
		return fmt.Errorf("want a condition such as \"p(95)<200\", got %q", t.Expr)
	}
	limit, err := strconv.ParseFloat(parts[3], 64)
	if err != nil {
		return fmt.Errorf("condition %q: want a number, got %q", t.Expr, parts[3])
	}
	t.aggregate, t.operator, t.limit = aggregation{name: parts[1]}, parts[2], limit
	return nil
}

// bind checks a threshold against the metrics that exist.
func (t *Threshold) bind(r *registry) error {
	m := r.lookup(t.metric)
	if m == nil {
		known := r.names()
		return configError("threshold %q: no such metric; known: %s%s", t.Selector, strings.Join(known, ", "), suggestion(t.metric, known))
	}
	a, err := parseAggregation(t.aggregate.name, m.kind)
	if err != nil {
		return configError("threshold %q: condition %q: %w", t.Selector, t.Expr, err)
	}
	t.aggregate = a
	return nil
}

// parseAggregation reads what a metric of this type can be asked for, and besides
// it what else is known where it is asked.
func parseAggregation(text string, kind MetricType, more ...string) (aggregation, error) {
	known := slices.Concat(aggregations[kind], more)
	if slices.Contains(known, text) && text != "p(N)" {
		return aggregation{name: text, quantile: 0.5}, nil
	}
	if parts := percentile.FindStringSubmatch(text); parts != nil && kind == Trend {
		n, err := strconv.ParseFloat(parts[1], 64)
		if err != nil || n > 100 {
			return aggregation{}, fmt.Errorf("want p(N) with N from 0 to 100, got %q", text)
		}
		return aggregation{name: "p", quantile: n / 100}, nil
	}
	return aggregation{}, fmt.Errorf("a %s has no %q; known: %s%s", kind, text, strings.Join(known, ", "), suggestion(text, known))
}

// judge evaluates the threshold on its metric's aggregate.
func (t *Threshold) judge(s *sink, elapsed time.Duration) ThresholdResult {
	r := ThresholdResult{Metric: t.Selector, Expr: t.Expr, OK: true, NoData: s.count == 0}
	if r.NoData {
		return r
	}
	r.Value = s.read(t.aggregate, elapsed)
	r.OK = compare(r.Value, t.operator, t.limit)
	return r
}

func compare(value float64, operator string, limit float64) bool {
	switch operator {
	case "<":
		return value < limit
	case "<=":
		return value <= limit
	case ">":
		return value > limit
	case ">=":
		return value >= limit
	case "!=":
		return value != limit
	}
	return value == limit
}
