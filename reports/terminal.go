package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// Terminal writes the summary of a verdict: what was run, what happened, what
// holds, the proof where something does not, how several arms compare, and the
// verdict as first and last line. Of the run it reads the manifest, its
// notes included, the plan, the receipts of toxics and the directory. The only error is
// that of w.
func Terminal(w io.Writer, v history.Verdict, run *history.Run, style Style) error {
	return TerminalBeside(w, v, run, "", style)
}

// TerminalBeside is Terminal for a run whose exit code is not its verdict's: beside
// says what set it, such as "a threshold failed (exit 99)", and stands in the last
// line.
func TerminalBeside(w io.Writer, v history.Verdict, run *history.Run, beside string, style Style) error {
	placed := placedToxics(run)
	v, run = safe.All(v), shown(run)
	p := newPage(style)
	p.headline(v, run)
	p.subject(v, run)
	p.happened(v.Counts, judged(run.Manifest.Arms), placed)
	p.sweeps(v.Sweep)
	p.truth(v.Truth, v.Arms)
	p.invariants(v)
	for _, inv := range v.Invariants {
		if inv.Proof != nil {
			p.proof(inv, run)
		}
	}
	p.comparison(v.Arms)
	p.rates(v.Rates)
	p.reasons(v)
	p.conclusion(v, run, beside)
	return p.writeTo(w)
}

// VerdictLine is a verdict in one line, with what set another exit code than its own.
// Then it is not green.
func VerdictLine(status history.Status, beside string, style Style) string {
	return newPage(style).verdict(status, beside)
}

func (p *page) verdict(status history.Status, beside string) string {
	text := "VERDICT: " + verdictWord(status)
	switch {
	case beside == "":
		return p.status(status, text)
	case status == history.Pass:
		return p.status(history.Fail, text+", but "+beside)
	}
	return p.status(status, text+", and "+beside)
}

// verdictWord is a status as a headline: PASS.
func verdictWord(s history.Status) string { return strings.ToUpper(string(s)) }

func (p *page) headline(v history.Verdict, run *history.Run) {
	word := "VERDICT: " + verdictWord(v.Status) + unfaultedText(v, run)
	which := fmt.Sprintf("  run %s, seed %d", cmp.Or(v.Run, run.Manifest.ID), run.Manifest.Seed)
	if len(word)+len(which) > p.style.Width {
		which = "\n" + which
	}
	p.line(p.status(v.Status, word) + p.dim(which))
	p.blank()
}

// subject says what was run, against what, by which policy, and what broke.
func (p *page) subject(v history.Verdict, run *history.Run) {
	m := &run.Manifest
	if m.Script.Path != "" {
		p.row("script", m.Script.Path)
	}
	arms := judged(m.Arms)
	for _, arm := range arms {
		if len(arms) > 1 {
			p.row("arm", arm.Name)
		}
		p.row("load", loads(arm)...)
		p.row("servers", serversOf(arm)...)
		p.row("faults", folded(rulesOf(run.Plan, arm))...)
		if len(arm.Bugs) > 0 {
			p.row("planted bugs", strings.Join(arm.Bugs, ", "))
		}
	}
	p.row("notes", m.Notes...)
	p.blank()
}

// judged are the arms that set the verdict.
func judged(arms []history.Arm) []history.Arm {
	return slices.DeleteFunc(slices.Clone(arms), func(a history.Arm) bool { return a.Control || !a.Judge })
}

func loads(arm history.Arm) []string {
	var lines []string
	for _, s := range arm.Scenarios {
		text := fmt.Sprintf("%s: %s", s.Name, s.Executor)
		if s.VUs > 0 {
			text += ", " + counted(s.VUs, "virtual user")
		}
		if s.Planned >= 0 {
			text += ", " + counted(int(s.Planned), "rollout") + " planned"
		}
		lines = append(lines, text)
	}
	return lines
}

func serversOf(arm history.Arm) []string {
	var lines []string
	for _, s := range arm.Servers {
		what := s.Reference
		if what == "" {
			what = s.URL
		}
		text := fmt.Sprintf("%s = %s", s.Name, what)
		if policy := arm.Policies[s.Name]; policy != "" {
			text += ", policy " + policy
		}
		if s.Era != "" {
			text += ", MCP " + s.Era
		}
		if !s.Effects {
			text += ", no effects of its own"
		}
		lines = append(lines, text)
	}
	return lines
}

// happened counts what was asked, tried, broken and executed on the judged arms; placed
// says where toxics were.
func (p *page) happened(c history.Counts, arms []history.Arm, placed []string) {
	p.row("rollouts", total(c.Rollouts, history.Completed, history.Failed, history.ScriptError, history.Interrupted))
	p.row("operations", total(c.Ops, history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone))
	p.row("attempts", fmt.Sprintf("%s in %s exchanges", thousands(c.Attempts), thousands(c.Exchanges)))
	p.row("executions", executions(c, arms)...)
	p.row("faults", faultsText(c, placed)...)
	for _, line := range grid(c.Cuts) {
		p.beside("", line)
	}
	p.blank()
}

// total sums up counts by word and names those that are not zero, in order.
func total[K ~string](counts map[K]int, order ...K) string {
	sum := 0
	var parts []string
	for _, word := range order {
		if n := counts[word]; n > 0 {
			sum += n
			parts = append(parts, fmt.Sprintf("%s %s", thousands(n), strings.ReplaceAll(string(word), "_", " ")))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return thousands(sum) + ": " + strings.Join(parts, ", ")
}

// grid lays the delivered faults out by cut and manner.
func grid(cuts map[string]int) []string {
	var rows, columns []string
	for key := range cuts {
		cut, manner, _ := strings.Cut(key, " ")
		rows = addOnce(rows, cut)
		columns = addOnce(columns, manner)
	}
	if len(rows) == 0 {
		return nil
	}
	slices.Sort(rows)
	slices.Sort(columns)
	const cell = 9
	width := 4
	for _, cut := range rows {
		width = max(width, len(cut))
	}
	head := pad("", width)
	for _, manner := range columns {
		head += padLeft(manner, cell)
	}
	lines := []string{head}
	for _, cut := range rows {
		line := pad(cut, width)
		for _, manner := range columns {
			n := "–"
			if count := cuts[strings.TrimSpace(cut+" "+manner)]; count > 0 {
				n = thousands(count)
			}
			line += padLeft(n, cell)
		}
		lines = append(lines, line)
	}
	return lines
}

func addOnce(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}
