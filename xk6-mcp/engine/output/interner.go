package output

import (
	"hash/maphash"
	"math/bits"
)

// internedSets bounds the sets of tags that are remembered. A script that gives
// every sample tags of its own would otherwise fill the memory.
const internedSets = 1 << 14

// interner makes one value of a set of tags, once: samples are many, and the
// sets of their tags few.
type interner[T any] struct {
	seed  maphash.Seed
	build func(tags map[string]string) T
	known map[fingerprint]T
}

// fingerprint stands for a set of tags. It is 128 bits under a random seed: that
// two of the sets of a run share one is less likely than a fault of the memory,
// and comparing the sets themselves would double what a sample costs.
type fingerprint struct{ high, low uint64 }

func newInterner[T any](build func(map[string]string) T) *interner[T] {
	return &interner[T]{seed: maphash.MakeSeed(), build: build, known: make(map[fingerprint]T)}
}

// of returns the value of a set of tags.
func (i *interner[T]) of(tags map[string]string) T {
	mark := i.fingerprint(tags)
	if value, ok := i.known[mark]; ok {
		return value
	}
	if len(i.known) >= internedSets {
		clear(i.known)
	}
	value := i.build(tags)
	i.known[mark] = value
	return value
}

// fingerprint is the same in whatever order a map is walked: a sum over its pairs,
// in which name=value and value=name are not alike.
func (i *interner[T]) fingerprint(tags map[string]string) (f fingerprint) {
	const odd = 0x9E3779B97F4A7C15
	for name, value := range tags {
		high, low := bits.Mul64(maphash.String(i.seed, name)*odd, maphash.String(i.seed, value))
		f.high += high
		f.low += low
	}
	return f
}
