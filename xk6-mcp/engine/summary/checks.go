package summary

import (
	"fmt"

	"mcpstorm/xk6-mcp/engine"
)

// passedChecks is how many checks that always held are listed one by one.
const passedChecks = 12

// checks says how all checks went, and then each by its name.
func (p *page) checks(r Report) {
	m := find(r.Result.Metrics, "checks")
	if m.Name != "checks" {
		return
	}
	passes, fails := m.Values["passes"], m.Values["fails"]
	all := passes + fails
	total := row{name: "checks_total", value: thousands(all)}
	if s := r.Result.Duration.Seconds(); s > 0 {
		total.beside = rate(all/s, "")
	}
	share := func(name string, n float64) row {
		part := 0.0
		if all > 0 {
			part = n / all
		}
		return row{name: name, value: percent(part), beside: thousands(n) + " out of " + thousands(all)}
	}
	p.blank()
	rows := []row{total, share("checks_succeeded", passes), share("checks_failed", fails)}
	p.rows(rows, p.layOut(rows))
	if list := allChecks(r.Result.Root, nil); len(list) > 0 {
		p.blank()
		p.checkLines(list)
	}
}

// allChecks are the checks of a group and of all groups in it.
func allChecks(g *engine.GroupSummary, list []engine.CheckSummary) []engine.CheckSummary {
	if g == nil {
		return list
	}
	list = append(list, g.Checks...)
	for _, child := range g.Groups {
		list = allChecks(child, list)
	}
	return list
}

// checkLines lists checks: all that failed once, and the first of the others.
func (p *page) checkLines(list []engine.CheckSummary) {
	passed := 0
	for _, c := range list {
		if c.Fails == 0 {
			if passed++; passed > passedChecks {
				continue
			}
		}
		p.line(indent + p.mark(c.Fails == 0) + " " + p.cut(Printable(c.Name), p.width-len(indent)-2))
		if c.Fails > 0 {
			share := float64(c.Passes) / float64(c.Passes+c.Fails)
			p.line(fmt.Sprintf("%s ↳ %s  ✓ %s  ✗ %s", indent, percent(share), thousands(float64(c.Passes)), thousands(float64(c.Fails))))
		}
	}
	if more := passed - passedChecks; more > 0 {
		p.line(fmt.Sprintf("%s✓ and %d more that always held", indent, more))
	}
}
