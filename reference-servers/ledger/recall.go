package ledger

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
)

// recall fills the books as an earlier process left them: whatever is on record as
// committed is done once more, with the arguments that stand beside it.
func (s *server) recall(past []history.Effect, offered []tool) error {
	for _, e := range past {
		if e.Kind != history.EffectCommit || e.Arguments == "" {
			continue
		}
		i := slices.IndexFunc(offered, func(t tool) bool { return t.spec.Name == e.Tool })
		if i < 0 {
			return fmt.Errorf("%w: a past commit of the tool %q", refserver.ErrConfig, e.Tool)
		}
		b, ok := s.past[e.Rollout]
		if !ok {
			b = newBook(s, e.Rollout)
			s.past[e.Rollout] = b
		}
		c, err := b.parse(offered[i], json.RawMessage(e.Arguments))
		if err != nil {
			return fmt.Errorf("%w: a past commit of %s in %s: %w", refserver.ErrConfig, e.Tool, e.Rollout, err)
		}
		b.redo(c)
	}
	return nil
}

// redo makes a call take effect without a record.
func (b *book) redo(c call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = b.after(c)
	c.tool.run(b, c)
}

// book is the book of a rollout when its first call comes.
func (s *server) book(rollout string) *book {
	if b, ok := s.past[rollout]; ok {
		return b
	}
	return newBook(s, rollout)
}
