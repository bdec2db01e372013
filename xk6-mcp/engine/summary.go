package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grafana/sobek"
)

// summaryData is what handleSummary is given: the data that k6 documents.
type summaryData struct {
	RootGroup groupData             `json:"root_group"`
	Options   summaryOptions        `json:"options"`
	State     summaryState          `json:"state"`
	Metrics   map[string]metricData `json:"metrics"`
}

type groupData struct {
	Name   string      `json:"name"`
	Path   string      `json:"path"`
	Groups []groupData `json:"groups"`
	Checks []checkData `json:"checks"`
}

type checkData struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Passes int64  `json:"passes"`
	Fails  int64  `json:"fails"`
}

type summaryOptions struct {
	TrendStats []string `json:"summaryTrendStats"`
	TimeUnit   string   `json:"summaryTimeUnit"`
	NoColor    bool     `json:"noColor"`
}

type summaryState struct {
	StdErrTTY bool    `json:"isStdErrTTY"`
	StdOutTTY bool    `json:"isStdOutTTY"`
	Duration  float64 `json:"testRunDurationMs"`
}

type metricData struct {
	Type       MetricType               `json:"type"`
	Contains   string                   `json:"contains"`
	Values     map[string]float64       `json:"values"`
	Thresholds map[string]thresholdData `json:"thresholds,omitempty"`
}

type thresholdData struct {
	OK bool `json:"ok"`
}

// summaryOf makes the data of a whole run; idle are the metrics without a sample
// that a threshold names. Whether a terminal is there is the
// caller's affair, so the data always says that there is none.
func summaryOf(result *Result, idle []MetricSummary, o Options) summaryData {
	data := summaryData{
		RootGroup: groupOf(result.Root),
		Options:   summaryOptions{TrendStats: o.TrendStats, TimeUnit: o.TimeUnit, NoColor: true},
		State:     summaryState{Duration: millis(result.Duration)},
		Metrics:   make(map[string]metricData, len(result.Metrics)),
	}
	for _, m := range slices.Concat(idle, result.Metrics) {
		data.Metrics[m.Name] = metricData{Type: m.Type, Contains: m.Contains, Values: m.Values}
	}
	for _, t := range result.Thresholds {
		m := data.Metrics[t.Metric]
		if m.Thresholds == nil {
			m.Thresholds = make(map[string]thresholdData)
		}
		m.Thresholds[t.Expr] = thresholdData{t.OK}
		data.Metrics[t.Metric] = m
	}
	return data
}

func groupOf(g *GroupSummary) groupData {
	data := groupData{Name: g.Name, Path: g.Path, Groups: []groupData{}, Checks: []checkData{}}
	for _, child := range g.Groups {
		data.Groups = append(data.Groups, groupOf(child))
	}
	for _, check := range g.Checks {
		data.Checks = append(data.Checks, checkData(check))
	}
	return data
}

// summarise calls handleSummary, if the script exports it, once the run is over,
// and unless nothing was run or no summary is wanted. Samples that it makes count nowhere.
func (r *run) summarise(ctx context.Context, o Options, result *Result) {
	if result.Start.IsZero() || r.noSummary {
		return
	}
	idle := r.samples.idle(r.thresholds, r.program.metrics, o.TrendStats)
	text, err := json.Marshal(summaryOf(result, idle, o))
	if err != nil {
		result.SummaryErr = fmt.Errorf("%w: %s: %w", ErrScript, summaryExport, err)
		return
	}
	h := hook{export: summaryExport, timeout: o.SummaryTimeout, late: errSummaryTimeout, silent: true}
	result.SummaryErr = r.runHook(ctx, h, string(text), func(vu *VU, v sobek.Value) (err error) {
		result.Outputs, err = outputs(v)
		return err
	})
}

// errSummaryTimeout never leaves the result: a summary is no part of the verdict.
var errSummaryTimeout = errors.New("engine: handleSummary timed out")

// outputs reads what handleSummary returned: contents by where they go.
func outputs(v sobek.Value) (map[string][]byte, error) {
	written := make(map[string][]byte)
	if v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) {
		return written, nil
	}
	object, ok := v.(*sobek.Object)
	if !ok {
		return nil, fmt.Errorf("want an object of contents by path, got %s", v)
	}
	for _, where := range object.Keys() {
		content := object.Get(where)
		_, isText := content.Export().(string)
		_, isBuffer := content.Export().(sobek.ArrayBuffer)
		if !isText && !isBuffer {
			return nil, fmt.Errorf("%q: want a string or an ArrayBuffer, got %s", where, content)
		}
		written[where] = bytesOf(content)
	}
	return written, nil
}
