package summary

import (
	"strings"
	"unicode/utf8"
)

// The column of names is as wide as the longest, between these bounds. One that is
// longer has a line to itself.
const minName, maxName = 22, 28

// table is how wide the columns of some rows are.
type table struct {
	name    int   // of names and their dots
	value   int   // of values
	columns []int // of statistics
	fits    bool  // the statistics have room beside the names
}

// layOut makes a table for rows.
func (p *page) layOut(rows []row) table {
	t := table{name: minName}
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.name); n <= maxName {
			t.name = max(t.name, n+1)
		}
		t.value = max(t.value, utf8.RuneCountInString(r.value))
		for i, value := range r.stats {
			if i == len(t.columns) {
				t.columns = append(t.columns, utf8.RuneCountInString(p.stats[i])+2)
			}
			t.columns[i] = max(t.columns[i], utf8.RuneCountInString(value)+2)
		}
	}
	width := len(indent) + t.name + 1
	for _, column := range t.columns {
		width += column
	}
	t.fits = width <= p.width
	return t
}

// head is the line above a block: its name and, where the block has trends that fit,
// the names of their statistics.
func (p *page) head(name string, rows []row, t table) string {
	line := indent + p.paint(bold, name)
	if rows[0].stats == nil || !t.fits {
		return line
	}
	line += strings.Repeat(" ", t.name+1-utf8.RuneCountInString(name))
	for i, stat := range p.stats {
		line += p.paint(faint, padLeft(stat, t.columns[i]))
	}
	return line
}

// rows writes one line for each row, or more where there is no room.
func (p *page) rows(rows []row, t table) {
	for _, r := range rows {
		line := p.dotted(r.name, t.name)
		switch {
		case r.stats == nil:
			p.value(line, r, t)
		case t.fits:
			for i, value := range r.stats {
				line += padLeft(value, t.columns[i])
			}
			p.line(line)
		default:
			p.wrapped(line, r, t)
		}
	}
}

// value writes a value with what is said beside it, which has a line of its own
// where the terminal is too narrow.
func (p *page) value(line string, r row, t table) {
	start := len(indent) + t.name + 2
	beside := p.cut(r.beside, p.width-start)
	if start+t.value+2+utf8.RuneCountInString(beside) <= p.width {
		p.line(line + " " + pad(r.value, t.value) + "  " + p.paint(faint, beside))
		return
	}
	p.line(line + " " + r.value)
	p.line(strings.Repeat(" ", start) + p.paint(faint, beside))
}

// dotted is a name with dots up to the column of the values.
func (p *page) dotted(name string, width int) string {
	if utf8.RuneCountInString(name) > maxName {
		p.line(indent + p.cut(name, p.width-len(indent)))
		name = "  "
	}
	n := utf8.RuneCountInString(name)
	return indent + name + p.paint(faint, strings.Repeat(".", width-n)+":")
}

// wrapped writes statistics that have no room in columns, each with its name, in as
// many lines as they need.
func (p *page) wrapped(line string, r row, t table) {
	start := len(indent) + t.name + 1
	used := start
	for i, value := range r.stats {
		text := " " + p.stats[i] + "=" + value
		if n := utf8.RuneCountInString(text); used+n > p.width && used > start {
			p.line(line)
			line, used = strings.Repeat(" ", start), start
		}
		line, used = line+text, used+utf8.RuneCountInString(text)
	}
	p.line(line)
}
