package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// pair is what a caller was told of an operation, and how often it was executed.
type pair struct {
	Told  history.Told
	Truth int // as the server recorded it, up to history.Often
}

func (p pair) String() string { return fmt.Sprintf("%s/%d", p.Told, p.Truth) }

// MarshalText makes a pair the key of an object.
func (p pair) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// observed is what became of one cell.
type observed struct {
	Cell cell `json:"cell"`
	// Receipts are the first attempts that met the fault, as the fault layer says, and
	// Seen those of them of which the client's own trace shows it.
	Receipts int          `json:"receipts"`
	Seen     int          `json:"seen"`
	Pairs    map[pair]int `json:"pairs"`
	// Missed counts faults that did not come about, by the reason that was given.
	Missed map[string]int `json:"missed,omitempty"`
	// Disturbed counts operations of which a later attempt, which met no fault, did not
	// end by its deadline: the machine's doing, and no attempt either.
	Disturbed int `json:"disturbed,omitempty"`
	// Wrong are disagreements between the records, the first of them.
	Wrong []string `json:"wrong,omitempty"`

	Allowed   []pair `json:"allowed,omitempty"`
	Judgement string `json:"judgement"`
	Why       string `json:"why,omitempty"`
}

// side is where one class of call goes.
type side struct {
	server  string
	connect string // the steps of a rollout
	call    string
}

var sides = map[history.ReplayClass]side{
	history.Unsafe: {"tools", "s01", "s03"},
	history.Keyed:  {"sim", "s02", "s04"},
}

// records are a history, by what the cells ask of it.
type records struct {
	ops      map[string]*history.Op
	attempts map[string][]*history.Attempt // by operation
	// commits are by server and rollout: a rollout has one call on each to be done once.
	commits map[string]int
}

func recordsOf(h *history.Run) *records {
	r := &records{ops: map[string]*history.Op{}, attempts: map[string][]*history.Attempt{}, commits: map[string]int{}}
	for i := range h.Ops {
		r.ops[h.Ops[i].Op] = &h.Ops[i]
	}
	for i := range h.Attempts {
		a := &h.Attempts[i]
		r.attempts[a.Op] = append(r.attempts[a.Op], a)
	}
	for _, e := range h.Effects {
		if e.Kind == history.EffectCommit && (e.Tool == "append" || e.Tool == "respond") { // and not settle
			r.commits[e.Server+" "+e.Rollout]++
		}
	}
	return r
}

// observe sorts what happened in one run into its cells.
func observe(h *history.Run, era, preset string) []*observed {
	r := recordsOf(h)
	byCell := map[cell]*observed{}
	var list []*observed
	for _, c := range cellsOf(era, preset) {
		o := &observed{Cell: c, Pairs: map[pair]int{}}
		byCell[c] = o
		list = append(list, o)
	}
	for i := range h.Faults {
		f := &h.Faults[i]
		for class, s := range sides {
			if s.server != f.Server {
				continue
			}
			o := byCell[cell{era, preset, class, f.Cut, f.Manner}]
			if f.State != history.FaultDelivered {
				o.miss(f)
				continue
			}
			o.add(r, f, s)
		}
	}
	return list
}

// add counts one fault that was delivered.
func (o *observed) add(r *records, f *history.Fault, s side) {
	if slices.ContainsFunc(r.attempts[f.Op], disturbed) {
		o.Disturbed++
		return
	}
	o.Receipts++
	at := firstAttempt(r.attempts[f.Op], f.Role)
	if at == nil || at.Mark == nil || at.Mark.Cut != f.Cut || at.Mark.Manner != f.Manner {
		o.wrong("%s has a receipt, and no exchange of the client that was marked so", f.Op)
		return
	}
	if shows(o.Cell, at) {
		o.Seen++
	} else {
		o.wrong("%s has a receipt, and its client saw %s, status %d, %d bytes", f.Op, at.Trace, at.Status, at.Read)
	}
	op := r.ops[f.Op]
	if task, _, _ := strings.Cut(f.Op, "/"); f.Cut == plan.C8 {
		op = r.ops[task+"/"+s.call] // what a clean-up must not touch
	}
	if op == nil {
		o.wrong("%s has no operation", f.Op)
		return
	}
	p := pair{op.Told, min(r.commits[f.Server+" "+op.Rollout], history.Often)}
	o.Pairs[p]++
	if alone := op.Attempts == 1 && op.Settled == ""; alone && !slices.Contains(truths(o.Cell), p.Truth) {
		o.wrong("%s was tried once and executed %d times, and %s means %v", f.Op, p.Truth, f.Cut, truths(o.Cell))
	}
}

// disturbed reports whether an attempt that the plan left alone ended by its deadline.
func disturbed(a *history.Attempt) bool {
	return a.Attempt > 1 && a.Mark == nil && a.Cause != nil && a.Cause.Class == "deadline"
}

// miss counts one fault that did not come about. It is no attempt.
func (o *observed) miss(f *history.Fault) {
	if o.Missed == nil {
		o.Missed = map[string]int{}
	}
	o.Missed[string(f.State)+": "+f.Reason]++
	if f.Reason == "" {
		o.wrong("%s of %s was %s without a reason", f.Cut, f.Op, f.State)
	}
}

// wrong keeps the first disagreements.
func (o *observed) wrong(format string, args ...any) {
	if len(o.Wrong) < 5 {
		o.Wrong = append(o.Wrong, fmt.Sprintf(format, args...))
	}
}

func firstAttempt(list []*history.Attempt, role history.ExchangeRole) *history.Attempt {
	i := slices.IndexFunc(list, func(a *history.Attempt) bool { return a.Attempt == 1 && a.Role == role })
	if i < 0 {
		return nil
	}
	return list[i]
}

// truths is how often the one attempt that meets a cell's fault can be executed:
// the table of section 5 of the design.
func truths(c cell) []int {
	switch {
	case c.Manner == plan.Late || c.Cut == plan.C8:
		return []int{1}
	case slices.Contains([]string{plan.C0, plan.C1, plan.C2, plan.C3w}, c.Cut):
		return []int{0}
	case c.Cut == plan.C3 && c.Manner != plan.Hold:
		return []int{0, 1}
	}
	return []int{1}
}

// shows reports whether the client's own trace of an exchange shows the cell's fault.
func shows(c cell, at *history.Attempt) bool {
	lateness, err := time.ParseDuration(late)
	switch {
	case c.Manner == plan.Status:
		return at.Status == unclear
	case c.Manner == plan.Late:
		return err == nil && at.End-at.Start >= history.Instant(lateness)
	case c.Cut == plan.C7:
		return at.Read > 0 // the answer is whole, and only its end is missing
	case c.Cut == plan.C0:
		return at.Written == 0 && at.Cause != nil
	case c.Cut == plan.C5 || c.Cut == plan.C6:
		return at.Read > 0 && at.Cause != nil
	}
	return at.Read == 0 && at.Cause != nil
}
