package reports

import (
	"fmt"
	"io"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// ReproduceStep is one list of faults that was tried.
type ReproduceStep struct {
	What  string `json:"what"` // such as "without C4 rst at call, attempt 1 of t000017/s02"
	Seen  int    `json:"seen"`
	Tried int    `json:"tried"`
}

// Text is the step in one line. A violation that did not come again in so many
// tries is no proof that it never does.
func (s ReproduceStep) Text() string {
	return fmt.Sprintf("%s: %d of %d", s.What, s.Seen, s.Tried)
}

// Reproduction is a violation that was shrunk.
type Reproduction struct {
	Dir       string          `json:"dir"`
	Task      string          `json:"task"`
	Arm       string          `json:"arm"`
	Invariant string          `json:"invariant"`
	Faults    []string        `json:"faults"` // that the task met
	Notes     []string        `json:"notes,omitempty"`
	Steps     []ReproduceStep `json:"steps"`
	// Smallest is the list that is left, and Neighbours whether the other rollouts
	// are needed beside it.
	Smallest   []string `json:"smallest"`
	Neighbours bool     `json:"neighbours"`
	// Rate is how often the smallest list reproduces the violation.
	Rate history.Interval `json:"rate"`
	// Command repeats it.
	Command []string `json:"command"`
}

// Text writes a reproduction. The only error is that of w.
func (r *Reproduction) Text(w io.Writer, style Style) error {
	shown := safe.All(*r)
	r = &shown
	p := newPage(style)
	p.line(p.status(history.Fail, "REPRODUCED: "+r.Invariant) + p.dim(fmt.Sprintf("  %s of %s, arm %s", r.Task, r.Dir, r.Arm)))
	p.blank()
	p.row("met", orNone(r.Faults)...)
	p.row("notes", r.Notes...)
	var steps []string
	for _, s := range r.Steps {
		steps = append(steps, s.Text())
	}
	p.row("tried", steps...)
	p.blank()
	p.row("smallest", orNone(r.Smallest)...)
	if r.Neighbours {
		p.row("", "and all the other rollouts beside it")
	}
	p.row("reproduces", fmt.Sprintf("%d of %d times · %s", r.Rate.Count, r.Rate.Of, bounds(&r.Rate)))
	p.blank()
	p.beside("repeat", commandLine(r.Command)) // unbroken, to be copied
	return p.writeTo(w)
}

func orNone(list []string) []string {
	if len(list) == 0 {
		return []string{"no fault at all"}
	}
	return list
}

// commandLine is a command as a shell takes it.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`*?[](){}<>|&;#~!") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
