package check

import (
	"fmt"

	"mcpstorm/history"
)

// changedAgain is the violation of an operation whose tool says that a repeat changes
// nothing more, and whose repeat did: two commits of it follow one another, and the
// state after the second is not that after the first. Who believed the tool was right
// to send it again, so this is the server's. A server that does not record its state
// cannot be judged so, and skip says where something else came between the two.
func (ix *index) changedAgain(a *arm, o *operation) (found *violation, skip string) {
	for _, d := range o.deeds {
		var before *history.Effect
		for _, e := range d.effects {
			if e.Kind != history.EffectCommit || e.State == "" {
				continue
			}
			switch {
			case before == nil:
			case e.Rollout != before.Rollout || e.Sequence != before.Sequence+1:
				skip = "something else was carried out between its executions, and may have changed the state"
			case e.State != before.State:
				return ix.replay(a, o, "said to be idempotent, and changed the state again",
					fmt.Sprintf("%s of %s says that a repeat changes nothing, and the repeat of %s changed the state again: executed %s",
						e.Tool, o.runs[0].Server, o.id, times(d.lo))), ""
			}
			before = e
		}
	}
	return nil, skip
}

// claims reports whether a repeat of the operation is said to change nothing, and its
// server records by what that can be judged.
func (o *operation) claims() bool {
	for _, op := range o.runs {
		if op.Class != history.Idempotent || op.Kind != history.KindTool {
			return false
		}
	}
	for _, d := range o.deeds {
		for _, e := range d.effects {
			if e.Kind == history.EffectCommit && e.State != "" {
				return true
			}
		}
	}
	return false
}
