package reports

import (
	"fmt"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// invariants writes one line for each: whether it holds, how much was judged, and
// what the interval allows.
func (p *page) invariants(v history.Verdict) {
	if len(v.Invariants) == 0 {
		return
	}
	list := joined(v.Invariants)
	width, fits := p.idWidth(list)
	if !fits {
		list = v.Invariants
		width, fits = p.idWidth(list)
	}
	if !fits {
		p.narrowInvariants(list)
		return
	}
	for _, inv := range list {
		word, as := statusWord(inv)
		prefix := "  " + p.status(as, pad(word, statusWidth)) + "  " + p.bolden(inv, pad(inv.ID, width)) + "  "
		visible := 2 + statusWidth + 2 + width + 2
		for _, line := range wrap(finding(inv), p.style.Width-visible) {
			p.line(prefix + line)
			prefix = strings.Repeat(" ", visible)
		}
	}
	p.blank()
}

// leastFinding is how many columns what an invariant found must have beside its name.
const leastFinding = 20

// idWidth is the width of the longest name, and whether what was found fits beside it.
func (p *page) idWidth(list []history.Invariant) (width int, fits bool) {
	for _, inv := range list {
		width = max(width, len(inv.ID))
	}
	return width, 2+statusWidth+2+width+2+leastFinding <= p.style.Width
}

// narrowInvariants writes what each found under its name.
func (p *page) narrowInvariants(list []history.Invariant) {
	const indent = "      "
	for _, inv := range list {
		word, as := statusWord(inv)
		prefix := "  " + p.status(as, word) + "  "
		p.line(prefix + p.bolden(inv, inv.ID))
		p.hang(indent, finding(inv))
	}
	p.blank()
}

// joined puts neighbours that were not evaluated for one reason into one line.
func joined(list []history.Invariant) []history.Invariant {
	var out []history.Invariant
	for _, inv := range list {
		if n := len(out); n > 0 && inv.Status == history.NotEvaluated && out[n-1].Status == inv.Status && out[n-1].Reason == inv.Reason {
			out[n-1].ID += ", " + inv.ID
			continue
		}
		out = append(out, inv)
	}
	return out
}

// statusWidth is the width of the longest status word.
const statusWidth = len("not evaluated")

// statusWord is a status within the list, and that of its colour: what must be seen is in
// capitals.
func statusWord(inv history.Invariant) (word string, as history.Status) {
	word, as = statusOf(inv)
	if as == history.Fail {
		word = "FAIL"
	}
	return word, as
}

func (p *page) bolden(inv history.Invariant, text string) string {
	if inv.Status == history.Fail {
		return p.paint(bold, text)
	}
	return text
}

// finding is what an invariant found: how much was judged, what the interval
// allows, and which kinds of violation there are.
func finding(inv history.Invariant) string {
	if inv.Status == history.NotEvaluated {
		return inv.Reason
	}
	if inv.ID == coverageID {
		return fmt.Sprintf("%d of %d clauses hold", inv.Evaluated-inv.Violated, inv.Evaluated)
	}
	text := fmt.Sprintf("%s of %s %s", thousands(inv.Violated), thousands(inv.Evaluated), inv.Unit)
	if inv.Violated > 0 {
		text += " violate it"
	}
	if b := bounds(inv.Rate); b != "" {
		text += " · " + b
	}
	if inv.Violated > 0 && inv.Reason != "" {
		text += " · " + inv.Reason
	}
	return text
}

// coverageID is the invariant whose clauses are shown one by one when it fails.
const coverageID = "coverage"

// rates writes what was measured and is not judged.
func (p *page) rates(list []history.Rate) {
	if len(list) == 0 {
		return
	}
	var lines []string
	for _, r := range list {
		lines = append(lines, fmt.Sprintf("%s of %s %s · %s", thousands(r.Rate.Count), thousands(r.Rate.Of), r.Text, bounds(&r.Rate)))
	}
	p.row("rates", lines...)
	p.blank()
}

// mostEvents is how many events of a proof a summary shows; explain shows all.
const mostEvents = 12

// proof shows one violation and how to see all of it. The command is one line
// whatever the width, so that it can be copied.
func (p *page) proof(inv history.Invariant, run *history.Run) {
	p.line("  " + p.paint(bold, "proof of "+inv.ID))
	p.hang("    ", inv.Proof.Text+".")
	for i, event := range inv.Proof.Events {
		if i == mostEvents {
			p.line(fmt.Sprintf("     … and %d more", len(inv.Proof.Events)-mostEvents))
			break
		}
		p.hang(fmt.Sprintf("    %2d  ", i+1), event)
	}
	if inv.Proof.Task != "" {
		p.line("    " + p.dim("all of it: ") + "mcpstorm explain " + run.Dir + " " + inv.Proof.Task)
	}
	p.blank()
}

// reasons says which clause of coverage fails, and what could not be judged.
func (p *page) reasons(v history.Verdict) {
	var uncovered, leftOut []string
	for _, inv := range v.Invariants {
		for _, c := range inv.Clauses {
			switch {
			case inv.ID == coverageID && c.Status == history.Fail:
				uncovered = append(uncovered, c.Name+": "+c.Text)
			case inv.ID == coverageID && (c.Name == check.ChanceClause || c.Name == check.UncalledClause):
				leftOut = append(leftOut, c.Text)
			case inv.ID != coverageID && c.Status == history.NotEvaluated:
				leftOut = append(leftOut, c.Text+" ("+inv.ID+")")
			}
		}
	}
	p.row("not asserted", texts(notAsserted(v.NotAsserted))...)
	p.row("not covered", uncovered...)
	p.row("remedy", texts(remedy(v))...)
	p.row("left out", leftOut...)
	p.row("known", knownTexts(v.Known)...)
}

// texts are a text, or none where it is empty.
func texts(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// knownTexts say of each known failure that is about this run what became of it.
func knownTexts(list []history.KnownResult) []string {
	var lines []string
	for _, k := range list {
		about := []string{k.Invariant}
		for _, narrow := range []string{k.Script, k.Arm, k.Policy, k.Bug} {
			if narrow != "" {
				about = append(about, narrow)
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", strings.Join(about, ", "), k.State, k.Reason))
	}
	return lines
}

// conclusion ends the summary: where everything is, why the verdict is what it
// is, and the verdict itself as the last line.
func (p *page) conclusion(v history.Verdict, run *history.Run, beside string) {
	lines := []string{run.Dir}
	if run.Unsealed {
		lines = append(lines, "not sealed: whether it is as the run wrote it cannot be told")
	}
	p.row("history", lines...)
	p.row("because", reasonOf(v))
	p.blank()
	if nothing := unfaultedText(v, run); nothing != "" && beside == "" {
		p.line(p.status(v.Status, "VERDICT: "+verdictWord(v.Status)+nothing))
		return
	}
	p.line(p.verdict(v.Status, beside))
}

// reasonOf is why the verdict is what it is, without the text of a clause of coverage
// that stands above it already.
func reasonOf(v history.Verdict) string {
	for _, inv := range v.Invariants {
		for _, c := range inv.Clauses {
			if whole := c.Name + ": " + c.Text; inv.ID == coverageID && c.Status == history.Fail && strings.HasSuffix(v.Reason, whole) {
				return strings.TrimSuffix(v.Reason, ": "+c.Text)
			}
		}
	}
	return v.Reason
}
