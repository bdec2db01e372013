package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// Table writes the comparison of several arms: a line for each, with the 95 %
// interval of a rate under it. A terminal that is too narrow for that gets a
// paragraph for each arm. The only error is that of w.
func Table(w io.Writer, rows []history.ArmRow, style Style) error {
	p := newPage(style)
	p.table(safe.All(rows))
	return p.writeTo(w)
}

// comparison writes the table of the arms other than control where there are
// several.
func (p *page) comparison(rows []history.ArmRow) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r history.ArmRow) bool { return r.Control })
	if len(rows) < 2 {
		return
	}
	p.table(rows)
	p.blank()
}

// column is one column of the table: its head in two lines, and of each arm a
// cell and what stands under it.
type column struct {
	head  [2]string
	cells [][2]string
	left  bool // set on the left, as words are; numbers stand on the right
}

func (p *page) table(rows []history.ArmRow) {
	if len(rows) == 0 {
		return
	}
	columns := columnsOf(rows)
	const indent, gap = 2, 2
	total := indent - gap
	for _, c := range columns {
		total += c.width() + gap
	}
	if total > p.style.Width {
		p.paragraphs(columns, len(rows))
	} else {
		p.aligned(columns, len(rows))
	}
	note := "95 % intervals stand under the rates"
	if total > p.style.Width {
		note = "95 % intervals in brackets"
	}
	var unjudged []string
	for i, r := range rows {
		if !r.Judged && !r.Control {
			unjudged = append(unjudged, columns[0].cells[i][0])
		}
	}
	if len(unjudged) > 0 {
		note += "; not judged: " + strings.Join(unjudged, ", ")
	}
	p.hang("  ", note)
}

// aligned writes the columns side by side, two lines for the head and for each arm.
func (p *page) aligned(columns []column, rows int) {
	write := func(line int, cell func(column) [2]string, paint func(string) string) {
		var b strings.Builder
		b.WriteString("  ")
		for i, c := range columns {
			if i > 0 {
				b.WriteString("  ")
			}
			if text := cell(c)[line]; c.left {
				b.WriteString(pad(text, c.width()))
			} else {
				b.WriteString(padLeft(text, c.width()))
			}
		}
		if strings.TrimSpace(b.String()) != "" {
			p.line(paint(strings.TrimRight(b.String(), " ")))
		}
	}
	head := func(c column) [2]string { return c.head }
	write(0, head, p.dim)
	write(1, head, p.dim)
	for i := range rows {
		cell := func(c column) [2]string { return c.cells[i] }
		write(0, cell, func(text string) string { return text })
		write(1, cell, p.dim)
	}
}

// paragraphs writes the same for a narrow terminal, in words.
func (p *page) paragraphs(columns []column, rows int) {
	for i := range rows {
		p.line("  " + p.paint(bold, columns[0].cells[i][0]))
		var said []string
		for _, c := range columns[1:] {
			text := strings.TrimSpace(c.head[0]+" "+c.head[1]) + " " + c.cells[i][0]
			if under := c.cells[i][1]; under != "" {
				text += " (" + under + ")"
			}
			said = append(said, text)
		}
		p.hang("    ", strings.Join(said, ", "))
	}
}

func (c column) width() int {
	width := 0
	for _, cell := range append(slices.Clone(c.cells), c.head) {
		width = max(width, utf8.RuneCountInString(cell[0]), utf8.RuneCountInString(cell[1]))
	}
	return width
}

func columnsOf(rows []history.ArmRow) []column {
	title, labels := labelsOf(rows)
	first := column{head: [2]string{"", title}, left: true}
	for _, label := range labels {
		first.cells = append(first.cells, [2]string{label})
	}
	columns := []column{first}
	add := func(above, below string, cell func(history.ArmRow) [2]string) {
		c := column{head: [2]string{above, below}}
		for _, r := range rows {
			c.cells = append(c.cells, cell(r))
		}
		columns = append(columns, c)
	}
	count := func(n func(history.ArmRow) int) func(history.ArmRow) [2]string {
		return func(r history.ArmRow) [2]string { return [2]string{thousands(n(r))} }
	}
	add("rollout", "errors", func(r history.ArmRow) [2]string { return rateCell(r.Failed) })
	add("", "spurious", count(func(r history.ArmRow) int { return r.Spurious.Count }))
	add("", "unknowns", count(func(r history.ArmRow) int { return r.Unknown.Count }))
	add("replays", "absorbed", count(func(r history.ArmRow) int { return r.Absorbed }))
	add("replays", "made", func(r history.ArmRow) [2]string { return rateCell(r.Replayed) })
	add("", "restarts", count(func(r history.ArmRow) int { return r.Restarts }))
	return columns
}

// rateCell is a rate over its interval; of nothing there is no rate.
func rateCell(i history.Interval) [2]string {
	if i.Of == 0 {
		return [2]string{"–"}
	}
	return [2]string{fine(i.Rate) + " %", fine(i.Low) + "–" + fine(i.High)}
}

// fine is a percentage with one digit after the point, or two below one, as rates
// of rollouts are quoted: 15.1, 0.72.
func fine(rate float64) string {
	switch p := rate * 100; {
	case p == 0 || p == 100:
		return fmt.Sprintf("%.0f", p)
	case p < 1:
		return fmt.Sprintf("%.2f", max(p, 0.01))
	default:
		return fmt.Sprintf("%.1f", min(p, 99.9))
	}
}

// labelsOf names the rows by their policy where that tells them apart, else by
// their arm.
func labelsOf(rows []history.ArmRow) (title string, labels []string) {
	title = "policy"
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Policy == "" || strings.Contains(r.Policy, "=") || seen[r.Policy] {
			title = "arm"
		}
		seen[r.Policy] = true
	}
	for _, r := range rows {
		label := r.Policy
		if title == "arm" {
			label = r.Arm
		}
		labels = append(labels, label)
	}
	return title, labels
}
