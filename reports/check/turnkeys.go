package check

import (
	"fmt"

	"mcpstorm/history"
)

// keys judges what the simulator did with each sequence key: one advance for a
// key, the recorded turn for every repeat of it, and nothing for another message
// under it. A key that is only a digest may rightly come again.
func (t *transcript) keys() *violation {
	for _, id := range t.c.order {
		if id.key == "" || id.shared() || !t.aboutTurns(id) {
			continue
		}
		if found := t.key(id); found != nil {
			return found
		}
	}
	return nil
}

// aboutTurns reports whether the identity was recorded for a user turn.
func (t *transcript) aboutTurns(id *identity) bool {
	for _, e := range id.effects {
		if !t.c.server.turnTool(e.Tool) {
			return false
		}
	}
	return len(id.effects) > 0
}

// key judges one key by the effects that served it, in the order in which the
// simulator recorded them: the first of them owns the key.
func (t *transcript) key(id *identity) *violation {
	var owner, turn *history.Effect
	advances := 0
	for _, e := range id.effects {
		if !serves(e) {
			continue
		}
		if owner == nil {
			owner = e
		}
		if conflict(owner, e) {
			return t.violation("another message under a used key was served", id, 0,
				fmt.Sprintf("%s belongs to message %s, and %s served message %s under it instead of refusing",
					id.key, short(owner.Digest), t.c.server.Name, short(e.Digest)))
		}
		if e.Kind == history.EffectCommit {
			if advances++; advances > 1 {
				return t.violation("the simulator advanced twice for one key", id, 0,
					fmt.Sprintf("%s advanced %d times for %s: a retry was taken for a new turn", t.c.server.Name, id.commits, id.key))
			}
		}
		if turn != nil && e.Nonce != "" && turn.Nonce != e.Nonce {
			return t.violation("a repeat did not get the recorded turn", id, 0,
				fmt.Sprintf("%s answered %s with nonce %s and with nonce %s", t.c.server.Name, id.key, short(turn.Nonce), short(e.Nonce)))
		}
		if e.Nonce != "" {
			turn = e
		}
	}
	return nil
}

// serves reports whether the effect took a turn or handed one out. An answer
// without a nonce is an error and hands out nothing.
func serves(e *history.Effect) bool {
	return e.Kind == history.EffectCommit || e.Kind == history.EffectAnswer && e.Nonce != ""
}

func conflict(owner, e *history.Effect) bool {
	return owner.Digest != "" && e.Digest != "" && owner.Digest != e.Digest
}
