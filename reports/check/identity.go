package check

import (
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// conversation is everything that one rollout and one server had with another.
type conversation struct {
	place
	arm        *arm
	server     *server
	order      []*identity          // in order of first appearance
	identities map[string]*identity // by key, once there are many
	commits    []*history.Effect    // in the order of the server's file
	absorbed   int                  // answers given from the record
	blind      bool                 // the witness saw a call in it that no key names
}

// identity is everything recorded under one (server, rollout, key): one
// operation, or several that only a digest of their arguments names and that must
// be judged together.
type identity struct {
	key     string // without the ordinal of a digest
	ops     []*history.Op
	effects []*history.Effect // in the order of the server's file
	commits int
	handed  int // calls that the witness saw wholly handed to the server
	results int // calls whose successful result the witness saw
}

// The beginnings of keys.
const (
	sequencePrefix = "seq:"  // the place of a turn in one conversation
	argumentPrefix = "arg:"  // an id of the operation's own
	digestPrefix   = "args:" // only what was asked, and not which asking
)

// baseKey is the key under which records of all observers meet: the client tells
// equal calls apart by an ordinal, args:DIGEST#2, which no other observer knows.
func baseKey(key string) string {
	if strings.HasPrefix(key, digestPrefix) {
		key, _, _ = strings.Cut(key, "#")
	}
	return key
}

// shared reports whether several operations may rightly have this identity.
func (id *identity) shared() bool { return strings.HasPrefix(id.key, digestPrefix) }

func (c *conversation) identity(key string) *identity {
	key = c.canonical(key)
	id := c.find(key)
	if id == nil {
		room := &c.arm.index.room
		id = room.identities.make()
		id.key = key
		c.order = room.known.add(c.order, id, fewIdentities)
		c.index(id)
	}
	return id
}

// fewIdentities are found faster by looking at each than by a map.
const fewIdentities = 6

// find gives the identity of a canonical key, or nil.
func (c *conversation) find(key string) *identity {
	if c.identities != nil {
		return c.identities[key]
	}
	for _, id := range c.order {
		if id.key == key {
			return id
		}
	}
	return nil
}

// index keeps the map of identities up to date.
func (c *conversation) index(id *identity) {
	switch {
	case c.identities != nil:
		c.identities[id.key] = id
	case len(c.order) > fewIdentities:
		c.identities = make(map[string]*identity, 2*len(c.order))
		for _, one := range c.order {
			c.identities[one.key] = one
		}
	}
}

// lookup gives the identity of a key, or one of which nothing is recorded.
func (c *conversation) lookup(key string) *identity {
	key = c.canonical(key)
	if id := c.find(key); id != nil {
		return id
	}
	return &identity{key: key}
}

// canonical is the key under which the conversation keeps what has this one. An
// operation that was voided and sent again as arg:VALUE#2 is still the operation
// arg:VALUE, where that is one; another VALUE may end in #2 by itself.
func (c *conversation) canonical(key string) string {
	key = baseKey(key)
	if !strings.HasPrefix(key, argumentPrefix) || !strings.Contains(key, "#") {
		return key
	}
	if c.find(key) != nil {
		return key
	}
	base, _ := wire.SplitGeneration(key)
	if c.find(base) != nil || isOpID(strings.TrimPrefix(base, argumentPrefix)) {
		return base
	}
	return key
}

func (c *conversation) addEffect(e *history.Effect) {
	if e.Kind == history.EffectCommit {
		c.commits = c.arm.index.room.effects.add(c.commits, e, fewIdentities)
	}
	if e.Kind == history.EffectAnswer && e.Replayed {
		c.absorbed++
	}
	id := c.identity(e.Key)
	if !id.means(e.Tool) {
		return
	}
	id.effects = c.arm.index.room.effects.add(id.effects, e, 3)
	if e.Kind == history.EffectCommit {
		id.commits++
	}
}

func (id *identity) addWire(w *history.Wire) {
	if !id.means(w.Tool) {
		return
	}
	if w.Handed {
		id.handed++
	}
	if w.Result == history.ResultOK {
		id.results++
	}
}

// means reports whether a record of this tool is about the identity's operations
// and not about what a client adds under their key, such as a settle.
func (id *identity) means(tool string) bool {
	if tool == "" || len(id.ops) == 0 {
		return true
	}
	for _, op := range id.ops {
		if op.Tool == "" || op.Tool == tool {
			return true
		}
	}
	return false
}

// has reports whether the operation is one of the identity's.
func (id *identity) has(op string) bool {
	for _, o := range id.ops {
		if o.Op == op {
			return true
		}
	}
	return false
}

// attempts is how many attempts were made at the identity's operations.
func (id *identity) attempts() int {
	n := 0
	for _, op := range id.ops {
		n += op.Attempts
	}
	return n
}

// truth is how often the identity was executed, as a closed interval. ok is false
// when neither the server nor a witness recorded anything to tell it from, or the
// record is not whole; lo then counts what was certainly executed all the same.
func (c *conversation) truth(id *identity) (lo, hi int, ok bool) {
	switch {
	case c.server.trusted():
		return id.commits, id.commits, true
	case c.server.gapped:
		return id.commits, id.commits, false
	case c.blind || c.server.blind:
		return id.results, id.results, false
	case c.server.exchanges > 0:
		return id.results, max(id.handed, id.results), true
	}
	return 0, 0, false
}
