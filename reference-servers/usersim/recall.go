package usersim

import (
	"strconv"
	"strings"

	"mcpstorm/history"
)

// recall takes up every conversation where an earlier process left it: by the record
// of its commits, for the text of a turn follows from its ordinal.
func (s *server) recall(past []history.Effect) {
	for _, e := range past {
		if e.Kind == history.EffectCommit {
			s.open(e.Rollout).recall(e)
		}
	}
}

// recall takes one turn once more, which the record holds.
func (c *conversation) recall(e history.Effect) {
	taken := c.script.turn(e.Sequence)
	c.mu.Lock()
	c.pushed++
	c.past = taken.ordinal
	c.reach(taken)
	c.mu.Unlock()
	if number, ok := strings.CutPrefix(e.Key, "seq:"); ok {
		if seq, err := strconv.ParseInt(number, 10, 64); err == nil {
			c.publish(call{seq: seq, digest: e.Digest}, taken)
		}
	}
}
