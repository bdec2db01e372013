package ledger

import (
	"maps"
	"slices"
)

// The work of the tools and its results. All of it runs with the book locked;
// results are read after that, and so share nothing that changes.

// append adds an entry, whether or not the operation has one already.
func (b *book) append(c call) any {
	e := entry{Op: c.op, Entry: len(b.entries) + 1, Text: c.text}
	b.entries = append(b.entries, e)
	return b.changed(c, struct {
		Op    string `json:"op"`
		Entry int    `json:"entry"`
		Nonce string `json:"nonce,omitempty"`
	}{e.Op, e.Entry, c.nonce})
}

// put sets a value.
func (b *book) put(c call) any {
	b.values[c.key] = c.value
	return b.changed(c, struct {
		Op    string `json:"op"`
		Key   string `json:"key"`
		Value string `json:"value"`
		Nonce string `json:"nonce,omitempty"`
	}{c.op, c.key, c.value, c.nonce})
}

// changed counts a change of the book and keeps its result for lookup and settle.
func (b *book) changed(c call, result any) any {
	b.mutations++
	f := b.fate(c.op)
	f.results = append(f.results, result)
	return result
}

// get reads one value, which is null when it was never set, or the whole book.
func (b *book) get(c call) any {
	if !c.keyed {
		return struct {
			Op      string            `json:"op"`
			Entries []entry           `json:"entries"`
			Values  map[string]string `json:"values"`
			Nonce   string            `json:"nonce,omitempty"`
		}{c.op, append([]entry{}, b.entries...), maps.Clone(b.values), c.nonce}
	}
	var value *string
	if v, ok := b.values[c.key]; ok {
		value = &v
	}
	return struct {
		Op    string  `json:"op"`
		Key   string  `json:"key"`
		Value *string `json:"value"`
		Nonce string  `json:"nonce,omitempty"`
	}{c.op, c.key, value, c.nonce}
}

// lookup tells what an operation has done up to now. It promises nothing about
// what comes: the operation may be under way.
func (b *book) lookup(c call) any {
	results := []any{}
	if f, ok := b.fates[c.op]; ok {
		results = append(results, f.results...)
	}
	return struct {
		Op      string `json:"op"`
		Found   bool   `json:"found"`
		Results []any  `json:"results"`
		Nonce   string `json:"nonce,omitempty"`
	}{c.op, len(results) > 0, results, c.nonce}
}

// settle decides an operation: what it has done is all that it will ever do.
func (b *book) settle(c call) any {
	f := b.fate(c.op)
	f.settled = b.server.fenced
	state := "voided"
	if len(f.results) > 0 {
		state = "done"
	}
	return struct {
		Op      string `json:"op"`
		State   string `json:"state"`
		Results []any  `json:"results,omitempty"`
		Nonce   string `json:"nonce,omitempty"`
	}{c.op, state, slices.Clone(f.results), c.nonce}
}
