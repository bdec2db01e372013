package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

// What the values of a metric are, in k6's words.
const (
	inTime = "time"
	inData = "data"
)

// block is a part of a section that has a name of its own.
type block struct {
	name string
	has  func(metric string) bool
}

// blocks are the parts of a section, in order. A metric belongs to the first that
// has it; checks have lines of their own.
var blocks = []block{
	{"CUSTOM", func(m string) bool {
		return m != "checks" && !isMCP(m) && !isExecution(m) && !isNetwork(m)
	}},
	{"MCP", isMCP},
	{"EXECUTION", isExecution},
	{"NETWORK", isNetwork},
}

func isMCP(m string) bool     { return strings.HasPrefix(m, "mcp_") }
func isNetwork(m string) bool { return m == "data_sent" || m == "data_received" }

func isExecution(m string) bool {
	switch m {
	case "iterations", "iteration_duration", "dropped_iterations", "vus", "vus_max", "group_duration":
		return true
	}
	return false
}

// row is one metric: its name, and either the statistics of a trend or a value
// with what is said beside it.
type row struct {
	name   string
	stats  []string
	value  string
	beside string
}

// metrics writes a section's metrics, block by block and aligned with one another,
// trends first. The further rows belong to the execution.
func (p *page) metrics(all []engine.MetricSummary, execution []row) {
	rows := make([][]row, len(blocks))
	for i, b := range blocks {
		for _, m := range all {
			if base, _, _ := strings.Cut(m.Name, "{"); b.has(base) {
				rows[i] = append(rows[i], p.row(m, hasMetric(all, base)))
			}
		}
		if b.name == "EXECUTION" {
			rows[i] = append(rows[i], execution...)
		}
		slices.SortStableFunc(rows[i], trendsFirst)
	}
	t := p.layOut(slices.Concat(rows...))
	for i, b := range blocks {
		if len(rows[i]) > 0 {
			p.blank()
			p.line(p.head(b.name, rows[i], t))
			p.rows(rows[i], t)
		}
	}
}

func trendsFirst(a, b row) int {
	return cmp.Compare(min(len(b.stats), 1), min(len(a.stats), 1))
}

func hasMetric(all []engine.MetricSummary, name string) bool {
	for _, m := range all {
		if m.Name == name {
			return true
		}
	}
	return false
}

// row is the line of one metric. A sub-metric stands under its metric, if that is
// there, and is named by its tags alone.
func (p *page) row(m engine.MetricSummary, under bool) row {
	r := row{name: Printable(m.Name)}
	if _, tags, ok := strings.Cut(m.Name, "{"); ok && under {
		r.name = "  { " + Printable(strings.TrimSpace(strings.TrimSuffix(tags, "}"))) + " }"
	}
	contains := m.Contains
	switch m.Type {
	case engine.Counter:
		r.value, r.beside = p.number(m.Values["count"], contains), rate(m.Values["rate"], contains)
	case engine.Gauge:
		r.value = p.number(m.Values["value"], contains)
		r.beside = "min=" + p.number(m.Values["min"], contains) + " max=" + p.number(m.Values["max"], contains)
	case engine.Rate:
		r.value = percent(m.Values["rate"])
		r.beside = thousands(m.Values["passes"]) + " out of " + thousands(m.Values["passes"]+m.Values["fails"])
	case engine.Trend:
		for _, stat := range p.stats {
			if stat == "count" {
				contains = ""
			}
			r.stats = append(r.stats, p.number(m.Values[stat], contains))
		}
	}
	return r
}

// generatorRows say what the load asked of the process that made it, and how late an
// arrival rate started its iterations: where a generator, and not its target, was the
// limit, the other numbers are its own.
func generatorRows(r Report) (rows []row) {
	if r.CPUs > 0 {
		rows = append(rows, row{name: "generator_cpu", value: percent(r.Busy), beside: fmt.Sprintf("of %d processors", r.CPUs)})
	}
	for _, s := range r.Result.Scenarios {
		if s.Lateness == nil || s.Lateness.Arrivals == 0 {
			continue
		}
		rows = append(rows, row{
			name: "late_starts {" + Printable(s.Name) + "}", value: round(s.Lateness.P99),
			beside: fmt.Sprintf("at p(99), p(50)=%s max=%s", round(s.Lateness.P50), round(s.Lateness.Max)),
		})
	}
	return rows
}

func round(d time.Duration) string {
	return (&page{}).duration(float64(d) / float64(time.Millisecond))
}

func byName(a, b engine.MetricSummary) int { return cmp.Compare(a.Name, b.Name) }
