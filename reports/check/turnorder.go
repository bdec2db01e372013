package check

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"

	"mcpstorm/history"
)

// Turns that a script asks for side by side have no order of their own: the transcript
// holds them as their answers came, and the simulator takes them as their calls came.
// What must hold then is that one order explains both: each turn was taken somewhere
// between its call and its answer, one after another as the log has them. That is
// linearizability, decided by porcupine for each conversation. Where turns follow one
// another, their order is the transcript's own, and comparing nonces decides it.

// sideBySide reports whether two turns of the transcript were asked for at the same
// time. Both are recorded by one process, whose clock places them.
func (t *transcript) sideBySide() bool {
	latest := history.Instant(math.MinInt64)
	for _, turn := range t.turns {
		op := t.op(turn)
		if op.Start < latest {
			return true
		}
		latest = max(latest, op.End)
	}
	return false
}

// op is the operation that asked for a turn of the transcript.
func (t *transcript) op(turn *history.Turn) *history.Op {
	for _, op := range t.c.lookup(turn.Key).ops {
		if op.Op == turn.Op {
			return op
		}
	}
	return &history.Op{Start: math.MinInt64, End: math.MinInt64} // transcriptOf leaves out what has none
}

// anyOrder judges turns that were asked for side by side: each was taken, none stands
// in the transcript twice, what was taken and is not in it was told unknown, and one
// order explains the log and the times of all.
func (t *transcript) anyOrder() (found *violation, skip string) {
	places := map[string]int{} // of nonces in the log, from 1
	for i, e := range t.log {
		places[e.Nonce] = i + 1
	}
	seen := map[string]bool{}
	for i, turn := range t.seen {
		if seen[turn.Nonce] || places[turn.Nonce] == 0 {
			return t.departure(i), ""
		}
		seen[turn.Nonce] = true
	}
	for _, e := range t.log {
		if seen[e.Nonce] {
			continue
		}
		if found := t.unseen([]*history.Effect{e}); found != nil {
			return found, ""
		}
	}
	return t.linear(places)
}

// mostSteps bounds the search for an order, so that it ends, and ends the same way
// every time: a bound of time would not. It is far beyond what a script asks for side
// by side.
const mostSteps = 1_000_000

// linear asks porcupine for one order of all turns that were taken. One that the
// transcript does not hold was taken at any time after it was asked for.
func (t *transcript) linear(places map[string]int) (found *violation, skip string) {
	var turns []porcupine.Operation
	held := map[int]bool{}
	for _, turn := range t.seen {
		op, place := t.op(turn), places[turn.Nonce]
		held[place] = true
		turns = append(turns, porcupine.Operation{ClientId: len(turns), Input: place, Call: int64(op.Start), Return: int64(op.End)})
	}
	for i, e := range t.log {
		if held[i+1] {
			continue
		}
		called := int64(math.MinInt64)
		if ops := t.c.lookup(e.Key).ops; len(ops) > 0 {
			called = int64(ops[0].Start)
		}
		turns = append(turns, porcupine.Operation{ClientId: len(turns), Input: i + 1, Call: called, Return: math.MaxInt64})
	}
	steps := 0
	result := porcupine.CheckOperations(conversationModel(&steps), turns)
	switch {
	case result:
		return nil, ""
	case steps > mostSteps:
		return nil, fmt.Sprintf("no order of its turns was found in %d steps, with so many asked for at once", mostSteps)
	}
	var facts []string
	for i, e := range t.log {
		facts = append(facts, t.place(i)+", "+t.asked(e.Key))
	}
	return t.violation("no order explains the turns", t.c.lookup(t.log[0].Key), len(t.log),
		fmt.Sprintf("%s took its turns in an order in which they cannot have been asked for: one was answered before another was called that was taken first",
			t.c.server.Name), facts...), ""
}

// asked says when a turn was asked for.
func (t *transcript) asked(key string) string {
	ops := t.c.lookup(key).ops
	if len(ops) == 0 {
		return "which no operation has"
	}
	return fmt.Sprintf("asked for by %s from %s to %s", stepOf(ops[0].Op), elapsed(0, ops[0].Start), elapsed(0, ops[0].End))
}

// conversationModel is a conversation as a sequential machine. Its state is how many
// turns it has taken; the input of a step is the place in the log of the turn that it
// gave. It takes the next turn, or repeats one that was taken.
func conversationModel(steps *int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, _ any) (bool, any) {
			*steps++
			taken, place := state.(int), input.(int)
			switch {
			case *steps > mostSteps:
				return false, state
			case place == taken+1:
				return true, place
			}
			return place <= taken, state
		},
	}
}
