package ledger

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// Why an operation is not executed any more.
var (
	errVoided = errors.New("voided by settle")
	errDone   = errors.New("settled as done")
)

// book is one rollout's part of the ledger.
type book struct {
	server  *server
	rollout string

	mu        sync.Mutex // never held while a call takes its time
	mutations int64      // commits of append and put
	entries   []entry
	values    map[string]string
	state     bookState
	fates     map[string]*fate // by operation
}

// entry is one line of the book.
type entry struct {
	Op    string `json:"op"`
	Entry int    `json:"entry"` // from 1
	Text  string `json:"text"`
}

// fate is what has become of one operation so far.
type fate struct {
	results []any // one for each commit, as it was answered
	settled bool  // nothing more is executed
}

func newBook(s *server, rollout string) *book {
	return &book{server: s, rollout: rollout, values: make(map[string]string), fates: make(map[string]*fate)}
}

// fate is the fate of an operation, which begins when it is first asked for.
func (b *book) fate(op string) *fate {
	f, ok := b.fates[op]
	if !ok {
		f = &fate{}
		b.fates[op] = f
	}
	return f
}

// open is an error if the call would change the book under an operation that has
// been settled.
func (b *book) open(c call) error {
	if !c.tool.mutates {
		return nil
	}
	f, ok := b.fates[c.op]
	switch {
	case !ok || !f.settled:
		return nil
	case len(f.results) > 0:
		return fmt.Errorf("op %q: %w", c.op, errDone)
	}
	return fmt.Errorf("op %q: %w", c.op, errVoided)
}

// nonce is the nonce of the commit with this ordinal: unique to it, and a
// function of seed, server, rollout and ordinal.
func (b *book) nonce(ordinal int64) string {
	cfg := b.server.Config
	return cfg.Seed.Hex(16, "ledger", "nonce", cfg.Name, b.rollout, strconv.FormatInt(ordinal, 10))
}
