package check

import (
	"fmt"

	"mcpstorm/history"
)

// early gives the first turn that was handed over before it was taken: its answer
// stands before its commit in the simulator's own record. Whoever got it may act on a
// state that does not hold the turn yet, and never will if the commit fails (verifiers
// pull request 2062, review). A record is in the order of one process, so a simulator
// that was killed and started again says nothing here.
func (t *transcript) early() *violation {
	if t.c.arm.kills {
		return nil
	}
	for _, id := range t.c.order {
		if id.key == "" || !t.aboutTurns(id) {
			continue
		}
		committed := map[string]bool{}
		answered := map[string]*history.Effect{}
		for _, e := range id.effects {
			switch e.Kind {
			case history.EffectAnswer:
				if !committed[e.Nonce] && answered[e.Nonce] == nil {
					answered[e.Nonce] = e
				}
			case history.EffectCommit:
				if first := answered[e.Nonce]; first != nil && e.Nonce != "" {
					return t.violation("handed over before it was committed", id, 1,
						fmt.Sprintf("%s handed turn %d out for %s before it had committed it: whoever got it could act on a state without it",
							t.c.server.Name, e.Sequence, id.key))
				}
				committed[e.Nonce] = true
			}
		}
	}
	return nil
}
