package history

import (
	"hash/maphash"
	"strings"
)

// pool makes strings of bytes, and one string of the same bytes where it sees them
// again soon: the words of a record, and the ids that a rollout's records share, come
// again and again. Its strings lie behind one another in large slabs, so that a
// history of millions of lines is no burden to the collector. It is for one goroutine.
type pool struct {
	recent [recentStrings]string
	slab   strings.Builder
}

const (
	recentStrings = 1 << 13
	slabSize      = 1 << 16
)

var poolSeed = maphash.MakeSeed()

// text is the bytes as a string that outlives them. Where they are those of the string
// that came last in their place, as words mostly are, it is that one.
func (p *pool) text(b []byte, last string) string {
	if string(b) == last {
		return last
	}
	if len(b) == 0 {
		return ""
	}
	at := &p.recent[maphash.Bytes(poolSeed, b)%recentStrings]
	if *at != string(b) {
		*at = p.add(b)
	}
	return *at
}

// add copies the bytes to the end of the slab, or begins a new one. What a slab holds
// never moves, because it never grows.
func (p *pool) add(b []byte) string {
	if p.slab.Cap()-p.slab.Len() < len(b) {
		p.slab = strings.Builder{}
		p.slab.Grow(max(slabSize, len(b)))
	}
	start := p.slab.Len()
	p.slab.Write(b)
	return p.slab.String()[start:]
}
