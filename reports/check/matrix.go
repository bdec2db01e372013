package check

import (
	"cmp"
	"slices"

	"mcpstorm/history"
)

// truthTables lays out for each arm what callers were told against what was
// executed. Every invariant about the two judges cells of this table.
func truthTables(ix *index) []history.TruthTable {
	var tables []history.TruthTable
	for _, a := range ix.declared {
		if cells := a.truthCells(); len(cells) > 0 {
			tables = append(tables, history.TruthTable{Arm: a.Name, Cells: cells})
		}
	}
	return tables
}

func (a *arm) truthCells() []history.TruthCell {
	counts := map[history.TruthCell]int{}
	for _, c := range a.order {
		for _, id := range c.order {
			if id.key == "" {
				continue
			}
			lo, hi := c.executed(id)
			for _, op := range id.ops {
				cell := history.TruthCell{Told: op.Told, Low: lo, High: hi}
				cell.Meaning = c.meaning(id, op, lo, hi)
				counts[cell]++
			}
		}
	}
	cells := make([]history.TruthCell, 0, len(counts))
	for cell, n := range counts {
		cell.Count = n
		cells = append(cells, cell)
	}
	slices.SortFunc(cells, func(a, b history.TruthCell) int {
		return cmp.Or(cmp.Compare(toldRank(a.Told), toldRank(b.Told)), cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High), cmp.Compare(a.Meaning, b.Meaning))
	})
	return cells
}

// toldOrder is the order of the rows.
var toldOrder = []history.Told{history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone}

func toldRank(t history.Told) int { return slices.Index(toldOrder, t) }

// executed bounds how often each operation of an identity was executed, from 0 to
// history.Often. Several that only a digest tells apart are given one execution
// each where there are as many as them, and else any share of the sum. A witness
// cannot tell an execution of a keyed operation from an answer out of the record,
// so there two results are certainly one execution and no more.
func (c *conversation) executed(id *identity) (lo, hi int) {
	lo, hi, known := c.truth(id)
	if !known {
		hi = history.Often
	}
	if n := len(id.ops); n > 1 && id.shared() {
		if lo == n && hi == n {
			lo, hi = 1, 1
		} else {
			lo = 0
		}
	}
	if !c.server.trusted() && id.keyed() {
		lo = min(lo, 1)
	}
	return min(lo, history.Often), min(hi, history.Often)
}

// keyed reports whether the server may answer a repeat from its record.
func (id *identity) keyed() bool {
	return slices.ContainsFunc(id.ops, func(op *history.Op) bool { return op.Class == history.Keyed })
}

// meaning is what a cell says of an operation: the table of section 1 of the
// design, read with an interval.
func (c *conversation) meaning(id *identity, op *history.Op, lo, hi int) history.Meaning {
	often := history.Often
	switch {
	case op.Told == history.ToldNone && op.Interrupted:
		return history.MeaningStopped
	case op.Told == history.ToldNone && lo >= often && !harmless(op):
		return history.MeaningHangReplay
	case op.Told == history.ToldNone:
		return history.MeaningHang
	case op == id.ops[0] && c.halfDone(id) != nil:
		return history.MeaningHalf
	case lo >= often && harmless(op):
		return history.MeaningHarmless
	case lo >= often && c.excused(id):
		return history.MeaningReissued
	case lo >= often:
		return history.MeaningReplay
	case op.Told == history.ToldOK && hi == 0:
		return history.MeaningFalse
	case op.Told == history.ToldNotExecuted && lo > 0 && frontEndLied(c.arm, op):
		return history.MeaningFrontEnd
	case op.Told == history.ToldNotExecuted && lo > 0:
		return history.MeaningLie
	case op.Told == history.ToldOK && lo == 0, op.Told == history.ToldNotExecuted && hi > 0, hi >= often && !harmless(op):
		return history.MeaningUndecided
	case op.Told == history.ToldUnknown && hi == 0 && op.Knowable:
		return history.MeaningCautious
	}
	return history.MeaningGood
}

// excused reports whether every execution too many of an identity comes from a call
// that the run's setting excuses.
func (c *conversation) excused(id *identity) bool {
	lo, _, _ := c.truth(id)
	reissued := 0
	for _, op := range id.ops {
		reissued += c.arm.operations[baseOp(op.Op)].reissued
	}
	return reissued > 0 && lo-len(id.ops) <= reissued
}

// harmless reports whether a second execution of the operation changes nothing by
// its server's contract.
func harmless(op *history.Op) bool {
	return op.Class == history.ReadOnly || op.Class == history.Idempotent
}
