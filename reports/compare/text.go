package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mcpstorm/reports/safe"
)

// row is one line of a table of either form.
type row struct {
	name, base, head, change, p, says string
}

// Text writes a comparison for a terminal. The only error is that of w.
func (r *Report) Text(w io.Writer) error {
	shown := safe.All(*r) // a script's own words must not begin a line of ours
	r = &shown
	var b strings.Builder
	fmt.Fprintf(&b, "COMPARE: %s\n", strings.ToUpper(string(r.Conclusion)))
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", reason)
	}
	fmt.Fprintf(&b, "\n  base  %s\n", r.Base.text())
	for i := range r.Pairs {
		p := &r.Pairs[i]
		fmt.Fprintf(&b, "  head  %s\n", p.Head.text())
		for _, line := range p.notes() {
			fmt.Fprintf(&b, "        %s\n", line)
		}
		for j := range p.Arms {
			a := &p.Arms[j]
			fmt.Fprintf(&b, "\n%s\n", a.Arm)
			table(&b, "rate", a.rateRows())
			table(&b, "latency", a.latencyRows())
		}
		b.WriteByte('\n')
		for _, rule := range p.Rules {
			fmt.Fprintf(&b, "  %-9s %s\n", rule.Outcome, rule.Text)
		}
	}
	b.WriteString(r.method())
	return writeClean(w, b.String())
}

// writeClean writes text line by line without what is not printable.
func writeClean(w io.Writer, text string) error {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

func table(b *strings.Builder, what string, rows []row) {
	if len(rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "  %s\tbase\thead\tchange (95 %%)\tp\t\n", what)
	for _, r := range rows {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", r.name, r.base, r.head, r.change, r.p, r.says)
	}
	_ = t.Flush() // into a strings.Builder
}

// text says which run a side is.
func (s Side) text() string {
	parts := []string{s.Run, s.Script, fmt.Sprintf("seed %d", s.Seed), count(s.Rollouts, "rollout")}
	if s.Revision != "" {
		parts = append(parts, "commit "+s.Revision)
	}
	return strings.Join(parts, " · ")
}

// notes are what a reader of the pair's numbers must know.
func (p *Pair) notes() (lines []string) {
	for _, g := range p.Grounds {
		lines = append(lines, fmt.Sprintf("not compared: %s (--ignore %s compares all the same)", g.Text, g.Name))
	}
	for _, g := range p.Ignored {
		lines = append(lines, "put aside: "+g.Text)
	}
	for _, c := range p.Changed {
		lines = append(lines, "differs: "+c)
	}
	return lines
}

func (a *ArmChange) rateRows() (rows []row) {
	for i := range a.Rates {
		c := &a.Rates[i]
		r := row{name: c.Name, base: c.Base.text(), head: c.Head.text(), change: points(c.Difference, c.Low, c.High), p: "–", says: c.says()}
		if c.Adjusted != nil {
			r.p = probability(*c.Adjusted)
		}
		rows = append(rows, r)
	}
	return rows
}

// says is what a rate's test came to in a few words.
func (c *RateChange) says() string {
	switch {
	case c.Evidence != None && c.Neutral:
		return string(c.Evidence) + ", which is neither better nor worse"
	case c.Evidence == Rose && c.Budgeted:
		return "rose; a rule says how far it may"
	case c.Evidence == Rose:
		return "WORSE"
	case c.Evidence == Fell:
		return "better"
	case c.Needed > 0:
		return "no evidence; " + count(c.Needed, "rollout") + " a run would settle it"
	case c.Detectable < 1:
		return "no evidence; " + percent(c.Detectable) + " would have been seen"
	}
	return "no evidence; no rise could have been seen"
}

// shownQuantiles and shownParts are what the tables show of the latencies; JSON has all.
var (
	shownQuantiles = []float64{0.5, 0.95, 0.99}
	shownParts     = []string{opDuration, opDuration + "{kind:turn}", opDuration + "{kind:tool}"}
)

func (a *ArmChange) latencyRows() (rows []row) {
	for i := range a.Latencies {
		c := &a.Latencies[i]
		if slices.Contains(shownQuantiles, c.Base.Q) && slices.Contains(shownParts, c.Metric) {
			rows = append(rows, row{
				name: c.Metric + " " + quantileName(c.Base.Q), base: seconds(c.Base.Value), head: seconds(c.Head.Value),
				change: c.percents(), p: "–",
			})
		}
	}
	return rows
}

// method says how it was counted, and what is not judged.
func (r *Report) method() string {
	if !slices.ContainsFunc(r.Pairs, func(p Pair) bool { return len(p.Arms) > 0 }) {
		return ""
	}
	return fmt.Sprintf("\n%s. Each interval is for its rate alone; p is for all of them together (Holm), and judges.\n"+
		"Rates over rollouts: Newcombe's interval, Fisher's exact test for small counts; over operations: rollouts are\n"+
		"dealt out again, and the interval agrees with that test. Latencies depend on the host: only --fail-if judges them.\n",
		count(r.Tests, "rate")+" could show something")
}

// Markdown writes a comparison for a pull request. The only error is that of w.
func (r *Report) Markdown(w io.Writer) error {
	shown := safe.All(*r)
	r = &shown
	var b strings.Builder
	fmt.Fprintf(&b, "### mcpstorm compare: %s\n\n", r.Conclusion)
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "- %s\n", escape(reason))
	}
	fmt.Fprintf(&b, "\nBase: %s\n", escape(r.Base.text()))
	for i := range r.Pairs {
		p := &r.Pairs[i]
		fmt.Fprintf(&b, "\nHead: %s\n\n", escape(p.Head.text()))
		for _, line := range p.notes() {
			fmt.Fprintf(&b, "- %s\n", escape(line))
		}
		for j := range p.Arms {
			a := &p.Arms[j]
			fmt.Fprintf(&b, "\n**%s**\n\n", escape(a.Arm))
			markdownTable(&b, "rate", a.rateRows())
			markdownTable(&b, "latency", a.latencyRows())
		}
		for _, rule := range p.Rules {
			fmt.Fprintf(&b, "- %s: %s\n", rule.Outcome, escape(rule.Text))
		}
	}
	b.WriteString(r.method())
	return writeClean(w, b.String())
}

func markdownTable(b *strings.Builder, what string, rows []row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | base | head | change (95 %%) | p | |\n|---|---|---|---|---|---|\n", what)
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", escape(r.name), r.base, r.head, r.change, r.p, r.says)
	}
	b.WriteByte('\n')
}

// escape takes from a text what Markdown or HTML would read as more than text.
func escape(text string) string {
	text = printable(strings.ReplaceAll(text, "\n", " "))
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@': // no mention of anybody
			b.WriteString("@<!-- -->")
		case strings.ContainsRune("\\`*_{}[]()#|!~", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
