package summary

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcpstorm/xk6-mcp/engine"
)

// ErrMode is a mode of the summary that there is not.
var ErrMode = errors.New("no such summary mode")

// Mode is how much a summary tells.
type Mode string

// The modes of a summary.
const (
	Compact  Mode = "compact"  // thresholds, checks and every metric
	Full     Mode = "full"     // the same for every scenario and group as well
	Disabled Mode = "disabled" // nothing
)

// ParseMode reads a mode; empty means compact. An error wraps ErrMode.
func ParseMode(text string) (Mode, error) {
	switch m := Mode(text); m {
	case "":
		return Compact, nil
	case Compact, Full, Disabled:
		return m, nil
	}
	return "", fmt.Errorf("%w: %q; want %s, %s or %s", ErrMode, text, Compact, Full, Disabled)
}

// Report is what a summary tells about.
type Report struct {
	// Of names what the metrics belong to, such as the arm of a run; empty where
	// there is nothing to tell apart.
	Of     string
	Result *engine.Result
	// TrendStats are the statistics of a trend, in order: those of the run's options.
	TrendStats []string
	// TimeUnit is the unit of every time: s, ms or us. Empty leaves each to the
	// one that suits it.
	TimeUnit string
	// Busy is how much of its processors the process that made the load used, from 0
	// to 1, and CPUs how many it had; no CPUs where that is not known.
	Busy float64
	CPUs int
	// Breakdown adds the sections of scenarios and groups: the full mode. Nil
	// leaves them out.
	Breakdown *Breakdown
}

// Style is how a terminal shows a summary. The zero value suits a terminal of 80
// columns that can show UTF-8.
type Style struct {
	Color bool
	// ASCII replaces every other character, for a dumb terminal.
	ASCII bool
	// Width is the number of columns; 0 means 80, and fewer than 40 count as 40.
	Width int
}

// Text writes the summary. The only error is that of w.
func Text(w io.Writer, r Report, s Style) error {
	p := newPage(s, r.TimeUnit, r.TrendStats)
	p.thresholds(r)
	p.total(r)
	if r.Breakdown != nil {
		p.breakdown(r)
	}
	return p.writeTo(w)
}

// title is a section's name, with what the report is of.
func (r Report) title(name string) string {
	if r.Of == "" {
		return name
	}
	return name + " (" + Printable(r.Of) + ")"
}

// thresholds lists every threshold under its metric.
func (p *page) thresholds(r Report) {
	if len(r.Result.Thresholds) == 0 {
		return
	}
	p.heading(r.title("THRESHOLDS"))
	var metrics []string
	for _, t := range r.Result.Thresholds {
		if !slices.Contains(metrics, t.Metric) {
			metrics = append(metrics, t.Metric)
		}
	}
	for _, name := range metrics {
		p.blank()
		p.line(indent + p.cut(Printable(name), p.width-len(indent)))
		for _, t := range r.Result.Thresholds {
			if t.Metric == name {
				p.threshold(t, find(r.Result.Metrics, name))
			}
		}
	}
	p.blank()
}

// find looks up a metric or sub-metric, or the metric that it is a part of.
func find(metrics []engine.MetricSummary, selector string) engine.MetricSummary {
	name, _, _ := strings.Cut(selector, "{")
	var whole engine.MetricSummary
	for _, m := range metrics {
		switch m.Name {
		case selector:
			return m
		case name:
			whole = m
		}
	}
	return whole
}

// threshold says what became of one condition, and the value that it was held to.
func (p *page) threshold(t engine.ThresholdResult, m engine.MetricSummary) {
	expr := "'" + Printable(t.Expr) + "'"
	what := Printable(strings.TrimRight(t.Expr[:strings.IndexAny(t.Expr+"<", "<>=!")], " "))
	if t.NoData {
		p.line(indent + p.cut("- "+expr+" no data", p.width-len(indent)))
		return
	}
	value := p.exact(t.Value, m, what)
	p.line(indent + p.mark(t.OK) + " " + p.cut(expr+" "+what+"="+value, p.width-len(indent)-2))
}

// total is the section of the whole run.
func (p *page) total(r Report) {
	p.heading(r.title("TOTAL RESULTS"))
	p.checks(r)
	p.metrics(r.Result.Metrics, generatorRows(r))
}

// breakdown has a section for every scenario and every group.
func (p *page) breakdown(r Report) {
	for _, part := range r.Breakdown.parts(r) {
		p.blank()
		p.heading(part.title)
		if part.group != nil && len(part.group.Checks) > 0 {
			p.blank()
			p.checkLines(part.group.Checks)
		}
		p.metrics(part.metrics, nil)
	}
	if n := r.Breakdown.skipped; n > 0 {
		p.blank()
		p.line(fmt.Sprintf("%ssamples of more than %d scenarios or groups were left out: %s", indent, mostParts, thousands(float64(n))))
	}
}
