package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/html"
	"mcpstorm/reports/safe"
)

// phaseTables are the phases of each judged arm, with the control arm beside them.
func (s *stored) phaseTables() (list []html.Table) {
	var control []phase
	for i := range s.raw.Manifest.Arms {
		if arm := &s.raw.Manifest.Arms[i]; arm.Control {
			control = phasesOf(s.raw, arm)
		}
	}
	arms := s.judged()
	for i, raw := range judged(s.raw.Manifest.Arms) {
		phases := phasesOf(s.raw, &raw)
		if len(phases) == 1 || phases[0].ops+phases[1].ops+phases[2].ops == 0 {
			continue
		}
		t := phaseTable(slices.Concat(control, phases))
		if len(arms) > 1 {
			t.Name = arms[i].Name
		}
		list = append(list, t)
	}
	return list
}

func phaseTable(phases []phase) html.Table {
	t := html.Table{
		Head: []string{""},
		Note: "An operation counts in the phase in which it ended. Before and after lie outside the first and the last fault; " +
			"of rules without a window, delivered faults say when. 95 % intervals are over rollouts, whose operations share a fate.",
	}
	for _, p := range phases {
		t.Head = append(t.Head, safe.Text(p.name))
	}
	row := func(name string, cell func(p *phase) html.Cell) {
		cells := []html.Cell{html.Text(name)}
		for i := range phases {
			cells = append(cells, cell(&phases[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	rate := func(of func(p *phase) history.Interval) func(p *phase) html.Cell {
		return func(p *phase) html.Cell { return intervalCell(of(p)) }
	}
	row("time", func(p *phase) html.Cell {
		return html.Cell{{Text: durationText(p.from)}, {Text: "to " + durationText(p.to)}}
	})
	row("faults delivered", func(p *phase) html.Cell { return html.Text(thousands(p.faults)) })
	row("operations", func(p *phase) html.Cell { return html.Text(thousands(p.ops)) })
	row("without a result", rate(func(p *phase) history.Interval { return p.failed.rate() }))
	row("tried more than once", rate(func(p *phase) history.Interval { return p.again.rate() }))
	for _, q := range []struct {
		name string
		q    float64
	}{{"latency p50", 0.50}, {"latency p95", 0.95}, {"latency p99", 0.99}} {
		row(q.name, func(p *phase) html.Cell { return html.Text(p.latency(q.q)) })
	}
	return t
}

// intervalCell is a rate over what its interval allows.
func intervalCell(i history.Interval) html.Cell {
	if i.Of == 0 {
		return html.Text("–")
	}
	return html.Cell{{Text: percent(i.Rate)}, {Text: bounds(&i), Tone: html.Soft}}
}

// truthTables are the tables of what was told by what was executed.
func (s *stored) truthTables() (list []html.Table) {
	control := map[string]bool{}
	for _, row := range s.verdict.Arms {
		control[row.Arm] = row.Control
	}
	for _, table := range s.verdict.Truth {
		if control[table.Arm] {
			continue
		}
		list = append(list, truthMatrix(table))
	}
	if len(list) == 1 {
		list[0].Name = ""
	}
	return list
}

func truthMatrix(table history.TruthTable) html.Table {
	t := html.Table{
		Name: table.Arm, Head: []string{"told"},
		Note: "Each row is what the caller was told in the end, each column how often the server executed it.",
	}
	grid := gridOf(table.Cells)
	for _, column := range grid.columns {
		t.Head = append(t.Head, "executed "+strings.Replace(column, "2+", "twice or more", 1))
	}
	for _, told := range grid.rows {
		row := []html.Cell{html.Text(toldWord(told))}
		for _, column := range grid.columns {
			cell := html.Cell{}
			for _, c := range grid.cells[told][column] {
				line := html.Line{Text: cellText(c)}
				if c.Meaning.Wrong() {
					line.Tone = html.Bad
				}
				cell = append(cell, line)
			}
			if len(cell) == 0 {
				cell = html.Cell{{Text: "–", Tone: html.Soft}}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// armTable compares the arms beside control, where there are several.
func (s *stored) armTable() *html.Table {
	rows := faulted(s.verdict.Arms)
	if len(rows) < 2 {
		return nil
	}
	t := &html.Table{Note: "95 % intervals stand under the rates."}
	columns := columnsOf(rows)
	for _, c := range columns {
		t.Head = append(t.Head, strings.TrimSpace(c.head[0]+" "+c.head[1]))
	}
	for i, r := range rows {
		var cells []html.Cell
		for _, c := range columns {
			cell := html.Cell{{Text: c.cells[i][0]}}
			if under := c.cells[i][1]; under != "" {
				cell = append(cell, html.Line{Text: under, Tone: html.Soft})
			}
			cells = append(cells, cell)
		}
		if !r.Judged {
			cells[0] = append(cells[0], html.Line{Text: "not judged", Tone: html.Soft})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (s *stored) thresholdTables() []html.Table {
	list := s.thresholds()
	if len(list) == 0 {
		return nil
	}
	t := html.Table{Head: []string{"metric", "condition", "measured", ""}}
	for _, one := range list {
		tone, status := tones[one.Status], string(one.Status)
		if one.Status == history.NotEvaluated {
			status = "no data"
		}
		name := one.Metric
		if len(s.judged()) > 1 {
			name = one.arm + ": " + name
		}
		value := "–"
		if one.Status != history.NotEvaluated {
			value = fmt.Sprintf("%.6g", one.Value)
		}
		t.Rows = append(t.Rows, []html.Cell{html.Text(name), html.Text(one.Expr), html.Text(value), {{Text: status, Tone: tone}}})
	}
	return []html.Table{t}
}

// metricTables are all metrics of each judged arm, folded.
func (s *stored) metricTables() (list []html.Table) {
	judged := s.judged()
	for _, arm := range s.metrics.Arms {
		if !slices.ContainsFunc(judged, func(a history.Arm) bool { return a.Name == arm.Arm }) {
			continue
		}
		t := html.Table{
			Name: counted(len(arm.Metrics), "metric") + " of " + arm.Arm, Folded: true, Head: []string{"metric", "samples", "values"},
			Note: "Times are in milliseconds.",
		}
		for _, m := range arm.Metrics {
			t.Rows = append(t.Rows, []html.Cell{html.Text(m.Name), html.Text(thousands(int(m.Samples))), html.Text(valuesText(m.Values))})
		}
		list = append(list, t)
	}
	return list
}

func valuesText(values map[string]float64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, fmt.Sprintf("%s %.5g", name, values[name]))
	}
	return strings.Join(parts, " · ")
}

// mostRules is how many rules of an arm a report lists.
const mostRules = 60

// planTables are the rules of each judged arm.
func (s *stored) planTables() (list []html.Table) {
	delivered := map[[2]string]int{}
	for i := range s.raw.Faults {
		if f := &s.raw.Faults[i]; f.State == history.FaultDelivered {
			delivered[[2]string{f.Arm, f.Rule}]++
		}
	}
	arms := s.judged()
	for i, raw := range judged(s.raw.Manifest.Arms) {
		t := html.Table{Head: []string{"rule", "what it breaks", "delivered"}}
		more := 0
		for at, rule := range s.run.Plan {
			if rule.Arm != arms[i].Name {
				continue
			}
			if len(t.Rows) == mostRules {
				more++
				continue
			}
			what := strings.TrimPrefix(ruleText(rule), rule.Rule+" ")
			n := delivered[[2]string{raw.Name, s.raw.Plan[at].Rule}]
			t.Rows = append(t.Rows, []html.Cell{html.Text(rule.Rule), html.Text(what), html.Text(thousands(n))})
		}
		if more > 0 {
			t.Note = fmt.Sprintf("%s more are in plan.ndjson.", counted(more, "rule"))
		}
		if len(arms) > 1 {
			t.Name = arms[i].Name
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}
