package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// Schedule is a fault plan before anything runs.
type Schedule struct {
	Script string        `json:"script"`
	Seed   uint64        `json:"seed"`
	Arms   []ArmSchedule `json:"arms"`
}

// ArmSchedule is the fault plan of one arm, and what it marks in some rollouts.
type ArmSchedule struct {
	history.Arm
	Rules []history.PlanRule `json:"rules"`
	// Notes say of some rules what is known before the run to keep them from coming
	// about.
	Notes []string `json:"notes,omitempty"`
	// Rollouts are how many rollouts of each scenario were supposed, and Ops how many
	// operations of each, the connect included. Each was supposed to make every
	// exchange that a rule is about, save that a connect calls no tool.
	Rollouts int `json:"rollouts"`
	Ops      int `json:"ops"`
	// Marked counts by rule and attempt.
	Marked []RuleMarks `json:"marked"`
	// Marks are the marked exchanges themselves, in order of task, step and attempt.
	Marks []ScheduledMark `json:"marks"`
}

// RuleMarks is how many exchanges one rule marks.
type RuleMarks struct {
	Rule string `json:"rule"`
	// Of is how many exchanges there are of each attempt, and Marked how many of them
	// are marked, by attempt from 1. An attempt after the first is made only when the
	// one before it failed.
	Of     int   `json:"of"`
	Marked []int `json:"marked"`
}

// ScheduledMark is the mark on one exchange.
type ScheduledMark struct {
	Op      string               `json:"op"`
	Attempt int                  `json:"attempt"`
	Role    history.ExchangeRole `json:"role"`
	Server  string               `json:"server"`
	Tool    string               `json:"tool,omitempty"` // that the call was supposed to be of
	history.Mark
}

// Text writes a schedule: the rules, a time line of their windows, and how many
// exchanges they mark. The only error is that of w.
func (s *Schedule) Text(w io.Writer, style Style) error {
	shown := safe.All(*s)
	s = &shown
	p := newPage(style)
	p.line(fmt.Sprintf("PLAN  %s, seed %d", s.Script, s.Seed))
	for _, arm := range s.Arms {
		p.blank()
		p.row("arm", arm.Name)
		if len(arm.Rules) == 0 {
			p.row("faults", "none")
			continue
		}
		p.row("faults", rulesOf(arm.Rules, arm.Arm)...)
		p.timeLine(arm)
		p.scheduleSweep(arm)
		p.row("notes", arm.Notes...)
		p.marked(arm)
	}
	return p.writeTo(w)
}

// scheduleSweep says what a sweep is made of.
func (p *page) scheduleSweep(arm ArmSchedule) {
	if arm.Sweep == nil {
		return
	}
	var lines []string
	for _, e := range arm.Sweep.Excluded {
		lines = append(lines, placements(e)+" cannot occur: "+e.Reason)
	}
	p.row("sweep", lines...)
}

// marked says how many exchanges each rule marks.
func (p *page) marked(arm ArmSchedule) {
	lines := []string{fmt.Sprintf("supposing %s × %d operations, the connects included:", thousands(arm.Rollouts), arm.Ops)}
	for _, r := range arm.Marked {
		text := fmt.Sprintf("%s %s of %s exchanges at attempt 1", r.Rule, thousands(r.Marked[0]), thousands(r.Of))
		for i, n := range r.Marked[1:] {
			text += fmt.Sprintf(", %s at attempt %d", thousands(n), i+2)
		}
		lines = append(lines, text)
	}
	const most = 8
	for _, m := range arm.Marks[:min(most, len(arm.Marks))] {
		lines = append(lines, fmt.Sprintf("%s/a%d %s: %s %s (%s)", m.Op, m.Attempt, strings.TrimSpace(string(m.Role)+" "+m.Tool), m.Cut, m.Manner, m.Rule))
	}
	if more := len(arm.Marks) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s; --json prints all", counted(more, "more mark")))
	}
	p.row("marks", lines...)
}

// timeLine draws when each rule is armed, since the arm began, and the heal.
func (p *page) timeLine(arm ArmSchedule) {
	var windows []span
	for _, rule := range arm.Rules {
		if rule.Case == 0 && rule.Op == "" {
			windows = append(windows, spanOf(rule))
		}
	}
	if arm.Heal != nil {
		windows = append(windows, span{name: "heal", from: arm.Heal.At, to: arm.Heal.At + arm.Heal.Within, rune: 'h'})
	}
	end := time.Duration(0)
	for _, w := range windows {
		end = max(end, w.to)
	}
	if end == 0 {
		p.row("time line", "every rule is armed as long as its arm lasts")
		return
	}
	columns := p.style.Width - labelWidth - 10
	label := "time line"
	for _, w := range windows {
		p.beside(label, pad(w.name, 6)+w.draw(end, columns))
		label = ""
	}
	last := end.String()
	p.beside("", pad("", 6)+pad("0s", columns-len(last))+last)
}

// span is when a rule is armed. One without a time is armed all along.
type span struct {
	name     string
	from, to time.Duration
	rune     rune
	moment   bool // it comes once, at from
}

func spanOf(r history.PlanRule) span {
	s := span{name: r.Rule, rune: '='}
	var times []time.Duration
	for _, text := range slices.DeleteFunc(slices.Clone(r.During), func(t string) bool { return t == "start" }) {
		t, _ := time.ParseDuration(text) // a plan writes what it has read
		times = append(times, t)
	}
	switch len(times) {
	case 1:
		s.to = times[0]
		if r.Cut == "burst" || r.Cut == "kill" && r.At == "" {
			s.from, s.rune, s.moment = times[0], '!', true
		}
	case 2:
		s.from, s.to = times[0], times[1]
	}
	if len(r.Ramp) == 2 {
		s.rune = '/'
		if r.Ramp[0] > r.Ramp[1] {
			s.rune = '\\'
		}
	}
	return s
}

// draw is the span on a line of so many columns.
func (s span) draw(end time.Duration, columns int) string {
	column := func(t time.Duration) int { return int(math.Round(float64(t) / float64(end) * float64(columns))) }
	from, to := column(s.from), column(s.to)
	if s.to == 0 && !s.moment {
		from, to = 0, columns
	}
	from = min(from, columns-1)
	to = max(to, from+1)
	return strings.Repeat(".", from) + strings.Repeat(string(s.rune), to-from) + strings.Repeat(".", columns-to)
}
