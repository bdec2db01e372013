package check

import (
	"slices"

	"mcpstorm/history"
)

// notAsserted is what the invariants come to that the run's own list leaves out, without
// their proofs: nothing is judged by them, but a reader must see that they are missing,
// and whether they would not hold. A caller that names invariants knows what it left out.
func notAsserted(ix *index, o Options) []history.Invariant {
	if len(o.Only) > 0 {
		return nil
	}
	var list []history.Invariant
	for _, inv := range invariants() {
		if slices.ContainsFunc(ix.asked, func(asked invariant) bool { return asked.ID == inv.ID }) {
			continue
		}
		left := inv.judge(ix)
		left.Proof, left.Clauses = nil, nil
		list = append(list, left)
	}
	return list
}
