package check

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/history"
)

// ErrUnknownTask says that a history holds nothing about what was asked for.
var ErrUnknownTask = errors.New("check: nothing is recorded of")

// Line is one line of an explanation.
type Line struct {
	// Depth is how far the line stands below the rollout that it belongs to, from 0.
	Depth int
	// Who recorded it: run, client, fault, witness, or the server's name.
	Who  string
	Text string
}

// String is the line as plain text, indented by its depth.
func (l Line) String() string {
	return fmt.Sprintf("%s%-8s %s", strings.Repeat("  ", l.Depth), l.Who, l.Text)
}

// Timeline is an explanation, line by line in the order to be read.
type Timeline []Line

// String is the timeline as plain text, every line ended.
func (t Timeline) String() string {
	var b strings.Builder
	for _, line := range t {
		b.WriteString(line.String() + "\n")
	}
	return b.String()
}

// Explain merges everything recorded about one task into one timeline in plain
// words. id is a task (t000017, or 17: the first numbers are the main arm's), one rollout of it (t000017.1), one operation
// (t000017/s03) or one operation of one rollout (t000017.1/s03).
//
// Operations and attempts stand in the order in which the client made them.
// Inside them stand what the fault layer and the witness recorded of the same
// exchange, and after an operation's attempts what the server recorded under its
// key, in the server's order: nothing says how times of two recorders relate. The
// error wraps ErrUnknownTask and names the tasks that there are.
func Explain(run *history.Run, id string) (Timeline, error) {
	w := selectionOf(id)
	d := gather(run, w.task)
	e := &explanation{run: run, dossier: d, selection: w, done: map[*history.Effect]bool{}}
	e.write()
	if len(e.lines) == 0 {
		return nil, fmt.Errorf("%w %s: %s", ErrUnknownTask, id, extent(run, taskNumber(w.task)))
	}
	return e.lines, nil
}

// selection is what an id selects; empty parts select all.
type selection struct{ task, rollout, step string }

// plainTask is an id whose task is a plain number.
var plainTask = regexp.MustCompile(`^([0-9]{1,18})([./].*)?$`)

func selectionOf(id string) selection {
	if parts := plainTask.FindStringSubmatch(id); parts != nil {
		number, _ := strconv.ParseInt(parts[1], 10, 64) // 18 digits always fit
		id = taskName(number) + parts[2]
	}
	rollout, step, _ := strings.Cut(id, "/")
	s := selection{task: history.TaskOfRollout(rollout), step: step}
	if rollout != s.task {
		s.rollout = rollout
	}
	return s
}

// holds reports whether a rollout is selected.
func (s selection) holds(rollout string) bool { return s.rollout == "" || s.rollout == rollout }

// explanation is a timeline under construction.
type explanation struct {
	run *history.Run
	*dossier
	selection
	lines Timeline
	done  map[*history.Effect]bool // effects that were told
}

func (e *explanation) say(depth int, who, text string) {
	e.lines = append(e.lines, Line{Depth: depth, Who: who, Text: text})
}

// write tells each selected rollout in order, those without a record of their own
// included.
func (e *explanation) write() {
	for _, name := range e.rolloutNames() {
		before := len(e.lines)
		e.rollout(name)
		for _, op := range e.ops {
			if op.Rollout == name && (e.step == "" || stepOf(op.Op) == e.step) {
				e.operation(op)
			}
		}
		if e.step == "" {
			e.leftovers(name)
			e.outcome(name)
		} else if len(e.lines) == before+1 {
			e.lines = e.lines[:before] // the rollout has no such operation
		}
	}
}

// rolloutNames lists the selected rollouts of the task in order of their number.
func (e *explanation) rolloutNames() []string {
	var names []string
	add := func(name string) {
		if name != "" && e.holds(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, r := range e.rollouts {
		add(r.Rollout)
	}
	for _, op := range e.ops {
		add(op.Rollout)
	}
	for _, effect := range e.effects {
		add(effect.Rollout)
	}
	return names
}

func (e *explanation) record(name string) *history.Rollout {
	for _, r := range e.dossier.rollouts {
		if r.Rollout == name {
			return r
		}
	}
	return nil
}

func (e *explanation) rollout(name string) {
	r := e.record(name)
	if r == nil {
		e.say(0, "run", name+" has no record of its own: the run ended before it did")
		return
	}
	e.say(0, "run", fmt.Sprintf("%s, iteration %d of scenario %s in arm %s, virtual user %d", name, r.Iteration, r.Scenario, r.Arm, r.VU))
}

func (e *explanation) operation(op *history.Op) {
	e.say(1, "client", opText(op)+e.since(op))
	for _, at := range e.attemptsOf(op.Rollout, op.Op) {
		e.attempt(at)
	}
	if op.Key != "" {
		for _, effect := range e.effectsOf(op.Server, op.Rollout, op.Key) {
			e.effect(2, effect)
		}
	}
	e.say(2, "client", toldText(op))
}

// since places an operation within its rollout.
func (e *explanation) since(op *history.Op) string {
	if r := e.record(op.Rollout); r != nil {
		return fmt.Sprintf(", %s after the rollout began", elapsed(r.Start, op.Start))
	}
	return ""
}

func (e *explanation) attempt(at *history.Attempt) {
	name := fmt.Sprintf("attempt %d, %s", at.Attempt, at.Role)
	if strings.Contains(stepOf(at.Op), ".") {
		name += " for " + stepOf(at.Op)
	}
	e.say(2, "client", fmt.Sprintf("%s: %s in %s", name, attemptText(at), elapsed(at.Start, at.End)))
	for _, f := range e.faultsOf(at) {
		e.say(3, "fault", faultText(f)+ofRule(f))
	}
	if w := e.witnessOf(at); w != nil {
		e.say(3, "witness", wireText(w.Wire))
	}
}

func ofRule(f *history.Fault) string {
	if f.Rule == "" {
		return ""
	}
	return " (rule " + f.Rule + ")"
}

// effect tells one effect once: operations that share a key share its effects.
func (e *explanation) effect(depth int, effect *history.Effect) {
	if e.done[effect] {
		return
	}
	e.done[effect] = true
	e.say(depth, effect.Server, effectText(effect))
}

// leftovers tells what no recorded operation accounts for.
func (e *explanation) leftovers(name string) {
	for _, w := range e.wires {
		if w.Rollout == name && !w.told {
			e.say(1, "witness", fmt.Sprintf("a %s that no recorded attempt claims: %s", cmp.Or(string(w.Role), w.Method), wireText(w.Wire)))
		}
	}
	for _, effect := range e.effects {
		if effect.Rollout == name {
			e.effect(1, effect)
		}
	}
}

func (e *explanation) outcome(name string) {
	r := e.record(name)
	if r == nil {
		return
	}
	text := fmt.Sprintf("%s after %s with %s", r.Outcome, elapsed(r.Start, r.End), number(len(r.Turns), "turn"))
	if r.Outcome == history.Interrupted {
		text += "; " + whyInterrupted(e.run, r)
	} else if r.Cause != nil {
		text += "; " + r.Cause.Text
		if r.Cause.At != "" {
			text += " at " + r.Cause.At
		}
	}
	e.say(0, "run", text)
}
