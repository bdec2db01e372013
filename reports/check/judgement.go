package check

import (
	"fmt"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/stats"
)

// judgement counts what one invariant found and keeps the evidence for the
// shortest proof.
type judgement struct {
	id, unit            string
	evaluated, violated int
	clusters            *clusters // for a rate over operations; nil for one over rollouts
	kinds               tally     // of violations
	skipped             tally     // reasons for not evaluating
	best                *violation
}

// violation is one finding, with what is needed to prove it later.
type violation struct {
	// kind says in a few words what is wrong, the same for all of its kind.
	kind string
	// weight is how long the proof would be, in events.
	weight int
	prove  func() history.Proof
}

// tally counts texts and remembers in which order they came.
type tally struct {
	order []string
	count map[string]int
}

func (t *tally) add(text string) {
	if t.count == nil {
		t.count = map[string]int{}
	}
	if t.count[text] == 0 {
		t.order = append(t.order, text)
	}
	t.count[text]++
}

// perRollout starts a judgement whose trials are rollouts, which are independent.
func perRollout(id string) *judgement { return &judgement{id: id, unit: "rollouts"} }

// perOperation starts a judgement whose trials are operations, which share the
// fate of their rollout.
func perOperation(ix *index, id string) *judgement {
	j := &judgement{id: id, unit: "operations", clusters: ix.numbers.clusters()}
	ix.tallies.keep(id, j.clusters)
	return j
}

// skip notes that one trial could not be judged.
func (j *judgement) skip(reason string) { j.skipped.add(reason) }

// add notes one trial of a rollout; found is nil when nothing is wrong with it.
func (j *judgement) add(rollout string, found *violation) {
	j.evaluated++
	if j.clusters != nil {
		j.clusters.add(rollout, found != nil)
	}
	if found == nil {
		return
	}
	j.violated++
	j.kinds.add(found.kind)
	if j.best == nil || found.weight < j.best.weight {
		j.best = found
	}
}

// invariant is the verdict: evaluated 0 is never a pass.
func (j *judgement) invariant(nothing string) history.Invariant {
	inv := history.Invariant{ID: j.id, Unit: j.unit, Evaluated: j.evaluated, Violated: j.violated}
	switch {
	case j.evaluated == 0:
		inv.Status = history.NotEvaluated
		inv.Reason = nothing
		if len(j.skipped.order) > 0 {
			inv.Reason = strings.Join(j.skipped.order, "; ")
		}
		return inv
	case j.violated > 0:
		inv.Status = history.Fail
		inv.Reason = j.reason()
		proof := j.best.prove()
		inv.Proof = &proof
	default:
		inv.Status = history.Pass
	}
	for _, reason := range j.skipped.order {
		inv.Clauses = append(inv.Clauses, history.Clause{
			Name: "not evaluated", Status: history.NotEvaluated,
			Text: number(j.skipped.count[reason], strings.TrimSuffix(j.unit, "s")) + ": " + reason,
		})
	}
	inv.Rate = j.rate()
	return inv
}

// reason names the kinds of violation and how often each was found.
func (j *judgement) reason() string {
	var out []string
	for _, kind := range j.kinds.order {
		out = append(out, fmt.Sprintf("%d × %s", j.kinds.count[kind], kind))
	}
	return strings.Join(out, ", ")
}

func (j *judgement) rate() *history.Interval {
	if j.clusters == nil {
		return interval(j.violated, j.evaluated, stats.ClopperPearson(j.violated, j.evaluated))
	}
	return j.clusters.rate()
}
