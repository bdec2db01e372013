package ledger

import (
	"hash/fnv"
	"strconv"

	"mcpstorm/internal/wire"
)

// bookState names what a book holds without holding it, so that two states can be
// told apart in its records: the entries in their order, and the values in none.
type bookState struct {
	entries string
	values  uint64
}

// after is the state that a mutation leaves.
func (b *book) after(c call) bookState {
	s := b.state
	switch c.tool.spec.Name {
	case appendName:
		s.entries = wire.Digest(s.entries, c.op, c.text)
	case putName:
		if old, ok := b.values[c.key]; ok {
			s.values ^= pair(c.key, old)
		}
		s.values ^= pair(c.key, c.value)
	}
	return s
}

// String is a short digest of the state.
func (s bookState) String() string { return wire.Digest(s.entries, strconv.FormatUint(s.values, 16)) }

func pair(key, value string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.Itoa(len(key)) + ":" + key + value)) // a hash always takes it
	return h.Sum64()
}
