package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/reports/html"
)

// HTMLFile is the name of a run's report within its directory.
const HTMLFile = "report.html"

// HTML writes the report of a run as one file that needs no other. charts are SVG files
// that WriteCharts wrote; what else is in the list is left out. metrics may be nil. The
// errors are those of reading the charts and of w.
func HTML(w io.Writer, run *history.Run, v history.Verdict, metrics *history.Metrics, charts []string) error {
	s := prepare(run, v, metrics)
	page := s.page()
	var err error
	if page.Charts, err = inlined(charts); err != nil {
		return err
	}
	return html.Write(w, page)
}

// tones of the statuses.
var tones = map[history.Status]html.Tone{
	history.Pass: html.Good, history.Fail: html.Bad, history.Inconclusive: html.Warn, history.Known: html.Warn, history.NotEvaluated: html.Soft,
}

func (s *stored) page() html.Page {
	v := s.verdict
	command, notes := repeat(&s.run.Manifest)
	return html.Page{
		Title: "mcpstorm: " + string(v.Status) + " · " + s.run.Manifest.Script.Path,
		Run:   v.Run, When: s.when(),
		Tone: tones[v.Status], Verdict: capital(string(v.Status)), Headline: s.headline(), Reasons: s.reasons(), Lead: s.lead(), Figures: s.figures(),
		Asserted: s.asserted(), Missing: s.missing(), Proofs: s.proofs(),
		Phases: s.phaseTables(), Truth: s.truthTables(), Arms: s.armTable(), Thresholds: s.thresholdTables(),
		Metrics: s.metricTables(), Plan: s.planTables(), Host: s.host(),
		Command: command, Notes: append(notes, sentences(s.run.Manifest.Notes)...),
	}
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func sentences(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, sentence(capital(text)))
	}
	return list
}

// figures are the numbers to be seen first.
func (s *stored) figures() []html.Figure {
	c := s.verdict.Counts
	done, ops := c.Rollouts[history.Completed], 0
	for _, n := range c.Ops {
		ops += n
	}
	ok := c.Ops[history.ToldOK] + c.Ops[history.ToldToolError]
	list := []html.Figure{
		{Name: "Rollouts completed", Value: thousands(done), Note: "of " + thousands(s.tasks())},
		{Name: "Operations with a result", Value: thousands(ok), Note: "of " + thousands(ops)},
		{Name: "Faults delivered", Value: thousands(c.Faults[history.FaultDelivered]), Note: cutsText(c.Cuts)},
	}
	if twice, known := s.twice(); known {
		f := html.Figure{Name: "Executed twice or more", Value: thousands(twice.Count), Note: "of " + thousands(twice.Of) + " that were recorded"}
		if twice.Count > 0 {
			f.Tone = html.Bad
		}
		list = append(list, f)
	}
	return list
}

// twice sums up what the judged arms executed twice or more.
func (s *stored) twice() (sum history.Interval, known bool) {
	for _, row := range s.verdict.Arms {
		if row.Judged && !row.Control {
			sum.Count, sum.Of = sum.Count+row.Replayed.Count, sum.Of+row.Replayed.Of
		}
	}
	return sum, sum.Of > 0
}

// cutsText names the manners of what was delivered, most frequent first.
func cutsText(cuts map[string]int) string {
	manners := map[string]int{}
	for key, n := range cuts {
		_, manner, _ := strings.Cut(key, " ")
		manners[manner] += n
	}
	var words []string
	for manner := range manners {
		words = append(words, manner)
	}
	slices.SortFunc(words, func(a, b string) int {
		if manners[a] != manners[b] {
			return manners[b] - manners[a]
		}
		return strings.Compare(a, b)
	})
	for i, manner := range words {
		words[i] = thousands(manners[manner]) + " by " + manner
	}
	return strings.Join(words, ", ")
}

// asserted is every invariant with what it came to.
func (s *stored) asserted() (list []html.Assertion) {
	docs := map[string]string{}
	for _, info := range check.Known() {
		docs[info.ID] = sentence(capital(info.Doc))
	}
	for _, inv := range s.verdict.Invariants {
		word, as := statusOf(inv)
		one := html.Assertion{ID: inv.ID, Status: word, Tone: tones[as], Doc: docs[inv.ID], Finding: finding(inv)}
		one.Clauses = clauses(inv)
		list = append(list, one)
	}
	return list
}

// clauses are the parts of an invariant, those that do not hold in front.
func clauses(inv history.Invariant) (lines []html.Line) {
	for _, c := range inv.Clauses {
		word, as := clauseStatus(inv.ID, c)
		line := html.Line{Text: word + ": " + c.Name + ": " + c.Text}
		if c.Status == history.Fail {
			line.Tone = tones[as]
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(a, b html.Line) int { return strings.Compare(string(b.Tone), string(a.Tone)) })
	return lines
}

// missing is what was not covered, what could not be judged, and what is known.
func (s *stored) missing() (list []html.Line) {
	for _, inv := range s.verdict.Invariants {
		for _, c := range inv.Clauses {
			switch {
			case inv.ID == coverageID && c.Status == history.Fail:
				list = append(list, html.Line{Text: c.Name + ": " + sentence(c.Text), Tone: html.Warn})
			case inv.ID != coverageID && c.Status == history.NotEvaluated:
				list = append(list, html.Line{Text: inv.ID + ": " + sentence(c.Text)})
			}
		}
	}
	if left := notAsserted(s.verdict.NotAsserted); left != "" {
		list = append(list, html.Line{Text: "Not asserted: " + sentence(left)})
	}
	for _, text := range knownTexts(s.verdict.Known) {
		list = append(list, html.Line{Text: "Known: " + sentence(text)})
	}
	return list
}

func (s *stored) proofs() (list []html.Proof) {
	for _, inv := range s.verdict.Invariants {
		if p := inv.Proof; p != nil {
			list = append(list, html.Proof{ID: inv.ID, Text: sentence(p.Text), Events: p.Events, Command: s.explain(p)})
		}
	}
	return list
}

// host is where and how the run was made.
func (s *stored) host() (list []html.Pair) {
	m := &s.run.Manifest
	add := func(name, value string) {
		if value != "" {
			list = append(list, html.Pair{Name: name, Value: value})
		}
	}
	add("run", m.ID)
	add("state", string(m.State))
	add("script", m.Script.Path)
	add("digest", m.Script.SHA256)
	add("seed", fmt.Sprint(m.Seed))
	for _, arm := range s.judged() {
		add("load", strings.Join(loads(arm), "; "))
		add("servers", strings.Join(serversOf(arm), "; "))
		add("planted bugs", strings.Join(arm.Bugs, ", "))
	}
	add("MCP", strings.Join(m.Eras, ", "))
	add("mcpstorm", strings.TrimSpace(m.Version+" "+m.Revision))
	add("Go", strings.TrimSpace(m.Go+" "+m.Host.GoDebug))
	add("machine", fmt.Sprintf("%s, %s, %s open files", m.Host.OS, counted(m.Host.CPUs, "processor"), thousands(int(min(m.Host.NoFile, 1<<40)))))
	add("timers", s.lateness())
	add("writers", s.stalls())
	for _, text := range m.Errors {
		add("trouble", text)
	}
	return list
}

// lateness is how late timers fired in the judged arms.
func (s *stored) lateness() string {
	var parts []string
	for _, arm := range s.judged() {
		if l := arm.Lateness; l != nil {
			parts = append(parts, fmt.Sprintf("fired %s late (p99), %s at most", durationText(l.P99), durationText(l.Max)))
		}
	}
	return strings.Join(parts, "; ")
}

func (s *stored) stalls() string {
	stalls := s.run.Manifest.Stalls
	if stalls == nil {
		return ""
	}
	return fmt.Sprintf("waited %s for the disk, over %s", durationText(stalls.Waited.Round(time.Microsecond)), counted(int(stalls.Records), "record"))
}
