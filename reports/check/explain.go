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

var (
	// ErrUnknownTask says that a history holds nothing about what was asked for.
	ErrUnknownTask = errors.New("explain: nothing is recorded of")
	// ErrTaskForm says that what was asked for is no id of a task or of a part of one.
	ErrTaskForm = errors.New("want a task such as t000017, a rollout of it such as t000017.2, or an operation such as t000017/s03")
)

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
// words. id is a task (t000017, or t17 or 17), one rollout of it (t000017.1), one
// operation (t000017/s03) or one operation of one rollout (t000017.1/s03). An id of
// another form is an error that wraps ErrTaskForm.
//
// Operations and attempts stand in the order in which the client made them.
// Inside them stand what the fault layer and the witness recorded of the same
// exchange, and after an operation's attempts what the server recorded under its
// key, in the server's order: nothing says how times of two recorders relate. The
// error wraps ErrUnknownTask and names the tasks that there are.
func Explain(run *history.Run, id string) (Timeline, error) {
	w, err := selectionOf(id)
	if err != nil {
		return nil, err
	}
	d := gather(run, w.task)
	e := &explanation{run: run, dossier: d, selection: w, done: map[*history.Effect]bool{}}
	e.write()
	if len(e.lines) == 0 {
		return nil, fmt.Errorf("%w %s: %s", ErrUnknownTask, w.id, extent(run, taskNumber(w.task)))
	}
	return e.lines, nil
}

// selection is what an id, in its full form, selects; empty parts select all.
type selection struct{ id, task, rollout, step string }

// taskForm is a task by its number, with a rollout or an operation of it.
var taskForm = regexp.MustCompile(`^t?([0-9]{1,18})((?:\.[0-9]+)?)(?:/(.+))?$`)

// selectionOf reads an id. A task is known by its number, so that t28 and 28 both stand for
// t000028.
func selectionOf(id string) (selection, error) {
	form := taskForm.FindStringSubmatch(id)
	if form == nil {
		return selection{}, fmt.Errorf("explain %q: %w", id, ErrTaskForm)
	}
	number, _ := strconv.ParseInt(form[1], 10, 64) // 18 digits always fit
	s := selection{task: taskName(number), step: form[3]}
	s.id = s.task + form[2]
	if form[2] != "" {
		s.rollout = s.id
	}
	if s.step != "" {
		s.id += "/" + s.step
	}
	return s, nil
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
		e.witness(3, wireText(w.Wire), w.Left)
	}
}

// witness tells what the witness saw of one exchange, and what followed where its client left.
func (e *explanation) witness(depth int, text string, left *history.Left) {
	e.say(depth, "witness", text)
	if left != nil {
		e.say(depth, "witness", leftText(left))
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
			e.witness(1, fmt.Sprintf("a %s that no recorded attempt claims: %s", cmp.Or(string(w.Role), w.Method), wireText(w.Wire)), w.Left)
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
