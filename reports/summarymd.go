package reports

import (
	"fmt"
	"io"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/markdown"
)

// MarkdownFile is the name of a run's summary for a pull request within its directory.
const MarkdownFile = "summary.md"

// Markdown writes a run for a pull request: the verdict, the table of what was asserted,
// how the arms compare, and the proof of what failed, folded. metrics may be nil. The
// only error is that of w.
func Markdown(w io.Writer, run *history.Run, v history.Verdict, metrics *history.Metrics) error {
	_, err := io.WriteString(w, prepare(run, v, metrics).markdown())
	return err
}

// marks stand before a status, for those who skim.
var marks = map[history.Status]string{
	history.Pass: "✅", history.Fail: "❌", history.Inconclusive: "⚠️", history.Known: "⚠️", history.NotEvaluated: "⚪",
}

func (s *stored) markdown() string {
	v, m := s.verdict, &s.run.Manifest
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	line("### %s mcpstorm: %s", marks[v.Status], markdown.Text(string(v.Status)))
	line("**%s**", markdown.Text(s.headline()))
	for _, reason := range s.reasons() {
		line("&#8203;%s", markdown.Text(reason)) // a text never begins a line
	}
	if lead := s.lead(); lead != "" {
		line("&#8203;%s", markdown.Text(lead))
	}
	b.WriteString(s.assertedTable() + "\n")
	if left := notAsserted(v.NotAsserted); left != "" {
		line("Not asserted: %s", markdown.Text(left))
	}
	b.WriteString(s.armsTable())
	b.WriteString(s.thresholdsTable())
	for _, inv := range v.Invariants {
		if inv.Proof != nil || inv.ID == coverageID && inv.Status == history.Fail {
			title := "Proof of "
			if inv.Proof == nil {
				title = "What is missing of "
			}
			b.WriteString(markdown.Details(title+markdown.Text(inv.ID), markdown.Block(s.evidence(inv))) + "\n")
		}
	}
	command, notes := repeat(m)
	b.WriteString(markdown.Details("Repeat it", markdown.Block(command)+"\n&#8203;"+markdown.Text(strings.Join(notes, " "))+"\n"))
	fmt.Fprintf(&b, "\n<sub>run %s · seed %d · %s</sub>\n", markdown.Code(m.ID), m.Seed, markdown.Code(m.Script.Path))
	return b.String()
}

func (s *stored) assertedTable() string {
	var rows [][]string
	for _, inv := range joined(s.verdict.Invariants) {
		word, as := statusOf(inv)
		rows = append(rows, []string{
			marks[as] + " " + markdown.Text(word), markdown.CodeCell(inv.ID), markdown.Text(finding(inv)),
		})
	}
	return markdown.Table([]string{"", "invariant", "found"}, rows)
}

// armsTable compares the arms beside control, where there are several.
func (s *stored) armsTable() string {
	rows := faulted(s.verdict.Arms)
	if len(rows) < 2 {
		return ""
	}
	columns := columnsOf(rows)
	var head []string
	for _, c := range columns {
		head = append(head, strings.TrimSpace(c.head[0]+" "+c.head[1]))
	}
	var cells [][]string
	for i := range rows {
		var one []string
		for _, c := range columns {
			text := c.cells[i][0]
			if under := c.cells[i][1]; under != "" {
				text += " (" + under + ")"
			}
			one = append(one, markdown.Text(text))
		}
		cells = append(cells, one)
	}
	return markdown.Table(head, cells) + "\n"
}

// thresholdsTable lists the thresholds that do not hold.
func (s *stored) thresholdsTable() string {
	var rows [][]string
	for _, t := range s.thresholds() {
		if t.Status != history.Pass && !t.Allowed {
			rows = append(rows, []string{
				marks[t.Status] + " " + markdown.Text(string(t.Status)), markdown.CodeCell(t.Metric + " " + t.Expr), markdown.Text(thresholdText(t.Threshold)),
			})
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return markdown.Table([]string{"", "threshold", ""}, rows) + "\n"
}

// faulted are the arms beside control.
func faulted(rows []history.ArmRow) (list []history.ArmRow) {
	for _, r := range rows {
		if !r.Control {
			list = append(list, r)
		}
	}
	return list
}
