package reports

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpstorm/history"
)

// truth writes what callers were told against what was executed, a table for each
// arm other than control. What went wrong in a control arm is told by coverage.
func (p *page) truth(tables []history.TruthTable, rows []history.ArmRow) {
	control := map[string]bool{}
	for _, r := range rows {
		control[r.Arm] = r.Control
	}
	tables = slices.DeleteFunc(slices.Clone(tables), func(t history.TruthTable) bool { return control[t.Arm] })
	for _, t := range tables {
		title := "told"
		if len(tables) > 1 {
			title = t.Arm
		}
		p.truthTable(title, t.Cells)
		p.blank()
	}
}

// truthTable writes one table: a line for each thing told, a column for each number
// of executions, and of each cell how many operations it holds and what that means.
// A terminal that is too narrow for it gets a line for each cell.
func (p *page) truthTable(title string, cells []history.TruthCell) {
	grid := gridOf(cells)
	widths := make([]int, len(grid.columns))
	total := labelWidth + 2
	for i, column := range grid.columns {
		widths[i] = utf8.RuneCountInString(grid.head(i))
		for _, cell := range cells {
			if executedText(cell) == column {
				widths[i] = max(widths[i], utf8.RuneCountInString(cellText(cell)))
			}
		}
		total += widths[i] + 2
	}
	if total > p.style.Width {
		for _, cell := range cells {
			p.row(title, fmt.Sprintf("%s, executed %s: %s", toldWord(cell.Told), executedText(cell), cellText(cell)))
			title = ""
		}
		return
	}
	head := ""
	for i := range grid.columns {
		head += pad(grid.head(i), widths[i]+2)
	}
	p.beside(title, p.dim(strings.TrimRight(head, " ")))
	for _, told := range grid.rows {
		p.truthRow(told, grid, widths)
	}
}

// truthRow writes one row, with the meanings of a cell one under another.
func (p *page) truthRow(told history.Told, grid truthGrid, widths []int) {
	label := toldWord(told)
	for line := 0; ; line++ {
		text, any := "", false
		for i, column := range grid.columns {
			cells := grid.cells[told][column]
			if line >= len(cells) {
				text += pad("", widths[i]+2)
				continue
			}
			any = true
			padded := pad(cellText(cells[line]), widths[i]+2)
			if cells[line].Meaning.Wrong() {
				padded = p.paint(red, padded)
			}
			text += padded
		}
		if !any {
			return
		}
		p.beside(label, strings.TrimRight(text, " "))
		label = ""
	}
}

// truthGrid is a table's cells by row and column, each in order of appearance.
type truthGrid struct {
	rows    []history.Told
	columns []string
	cells   map[history.Told]map[string][]history.TruthCell
}

func gridOf(cells []history.TruthCell) truthGrid {
	g := truthGrid{cells: map[history.Told]map[string][]history.TruthCell{}}
	var bounds [][2]int
	for _, cell := range cells {
		if g.cells[cell.Told] == nil {
			g.cells[cell.Told] = map[string][]history.TruthCell{}
			g.rows = append(g.rows, cell.Told)
		}
		column := executedText(cell)
		g.cells[cell.Told][column] = append(g.cells[cell.Told][column], cell)
		if at := [2]int{cell.Low, cell.High}; !slices.Contains(bounds, at) {
			bounds = append(bounds, at)
		}
	}
	// Certain numbers first, then intervals, each from few to many.
	slices.SortFunc(bounds, func(a, b [2]int) int {
		if certain := a[0] == a[1]; certain != (b[0] == b[1]) {
			if certain {
				return -1
			}
			return 1
		}
		return slices.Compare(a[:], b[:])
	})
	for _, at := range bounds {
		g.columns = append(g.columns, executedText(history.TruthCell{Low: at[0], High: at[1]}))
	}
	return g
}

// head is what stands over a column.
func (g truthGrid) head(i int) string {
	if i == 0 {
		return "executed " + g.columns[i]
	}
	return g.columns[i]
}

// executedText is a number of executions, or the interval that is known of it.
func executedText(c history.TruthCell) string {
	number := func(n int) string {
		if n >= history.Often {
			return fmt.Sprintf("%d+", history.Often)
		}
		return fmt.Sprint(n)
	}
	switch {
	case c.Low == c.High:
		return number(c.Low)
	case c.Low == 0 && c.High >= history.Often:
		return "any"
	}
	return number(c.Low) + " or " + number(c.High)
}

func cellText(c history.TruthCell) string {
	return thousands(c.Count) + " " + string(c.Meaning)
}

// toldWord is what was told, in words.
func toldWord(t history.Told) string { return strings.ReplaceAll(string(t), "_", " ") }
