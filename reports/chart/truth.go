package chart

import (
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// executions bounds how often an operation was executed: a closed interval.
type executions struct{ low, high int }

// unbounded is more often than any server executes one operation.
const unbounded = 1 << 20

// truths says of every operation of an arm that has a key how often it was executed,
// by the rules of the checker: by the server's own record or, without one, by what
// the witness saw. It counts by operation, so that a second execution for another
// rollout of the same task is seen.
//
// The verdict has the truth as a table of counts, and no operation by its name: which
// fault struck those of a cell it cannot say. So a figure that sets truth beside faults
// counts from the history. The tests of package reports hold both against each other.
func truths(run *history.Run, arm *history.Arm) map[string]executions {
	t := tracker{arm: arm, servers: map[string]*served{}, done: map[identity]*deeds{}, blind: map[identity]bool{}}
	for _, s := range arm.Servers {
		shared := s.Reference == "" && s.URL != "" && !strings.Contains(s.URL, "{rollout}")
		t.servers[s.Name] = &served{effects: s.Effects, blind: shared}
	}
	t.noteOps(run)
	t.noteEffects(run)
	t.noteWire(run)
	for _, gap := range run.Gaps {
		t.server(gap.Server).gapped = true
	}
	out := make(map[string]executions, len(t.done))
	for id, d := range t.done {
		for op := range d.ops {
			e := t.truth(id, d)
			sum := out[op]
			out[op] = executions{sum.low + e.low, min(sum.high+e.high, unbounded)}
		}
	}
	return out
}

// tracker joins what was asked with what was recorded of it.
type tracker struct {
	arm     *history.Arm
	servers map[string]*served
	done    map[identity]*deeds
	blind   map[identity]bool // without a key: where the witness saw a call that none names
}

// served is what is known of the records about a server.
type served struct {
	effects, gapped bool // it keeps its own, and some of that is missing
	heard, answered bool // there is some, and a client was answered
	witnessed       bool // the witness saw calls to it
	blind           bool // and could not tell whose
}

// trusted reports whether the server's own record says what was executed. An empty
// one of a server that answered says nothing.
func (s *served) trusted() bool { return s.effects && !s.gapped && (s.heard || !s.answered) }

// identity is how all records name an operation.
type identity struct{ server, rollout, key string }

// deeds is what was recorded under one identity.
type deeds struct {
	ops     map[string]bool
	tools   map[string]bool
	keyed   bool
	commits int
	handed  int
	results int
}

func (t *tracker) server(name string) *served {
	s := t.servers[name]
	if s == nil {
		s = &served{}
		t.servers[name] = s
	}
	return s
}

func (t *tracker) noteOps(run *history.Run) {
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Arm != t.arm.Name || op.Key == "" {
			continue
		}
		id := identity{op.Server, op.Rollout, withoutOrdinal(op.Key)}
		d := t.done[id]
		if d == nil {
			d = &deeds{ops: map[string]bool{}, tools: map[string]bool{}}
			t.done[id] = d
		}
		d.ops[op.Op], d.tools[op.Tool] = true, true
		d.keyed = d.keyed || op.Class == history.Keyed
		if op.Told == history.ToldOK {
			t.server(op.Server).answered = true
		}
	}
}

func (t *tracker) noteEffects(run *history.Run) {
	for i := range run.Effects {
		e := &run.Effects[i]
		if e.Arm != t.arm.Name {
			continue
		}
		t.server(e.Server).heard = true
		if d := t.find(e.Server, e.Rollout, e.Key); d != nil && e.Kind == history.EffectCommit && d.means(e.Tool) {
			d.commits++
		}
	}
}

func (t *tracker) noteWire(run *history.Run) {
	for i := range run.Wire {
		w := &run.Wire[i]
		switch called := w.Role == history.RoleCall || w.RPC == "tools/call"; {
		case w.Arm != t.arm.Name:
		case w.Key == "" && w.Handed && (called || w.Role == "" && w.RPC == "" && w.Method == "POST"):
			t.blind[identity{server: w.Server, rollout: w.Rollout}] = true
		case w.Key != "" && (w.Role == history.RoleCall || w.Role == "" && called):
			t.noteCall(w)
		}
	}
}

// noteCall takes in a call that the witness saw.
func (t *tracker) noteCall(w *history.Wire) {
	t.server(w.Server).witnessed = true
	d := t.find(w.Server, w.Rollout, w.Key)
	if d == nil || !d.means(w.Tool) {
		return
	}
	if w.Handed {
		d.handed++
	}
	if w.Result == history.ResultOK {
		d.results++
	}
}

// find gives what is recorded under a key, or under that of which it is a later
// generation.
func (t *tracker) find(server, rollout, key string) *deeds {
	key = withoutOrdinal(key)
	if d := t.done[identity{server, rollout, key}]; d != nil {
		return d
	}
	base, _ := wire.SplitGeneration(key)
	return t.done[identity{server, rollout, base}]
}

// withoutOrdinal takes off what only the client knows: which of several equal calls
// one is.
func withoutOrdinal(key string) string {
	if strings.HasPrefix(key, digestPrefix) {
		key, _, _ = strings.Cut(key, "#")
	}
	return key
}

// digestPrefix begins the keys of operations that only their arguments name.
const digestPrefix = "args:"

// means reports whether a record of this tool is about the operations and not about
// what a client adds under their key, such as a settle.
func (d *deeds) means(tool string) bool { return tool == "" || d.tools[tool] || d.tools[""] }

// truth bounds the executions of each operation of one identity. Several that only
// a digest tells apart have one each where there are as many as them, and else any
// share of the sum.
func (t *tracker) truth(id identity, d *deeds) executions {
	s := t.server(id.server)
	blind := s.blind || t.blind[identity{server: id.server}] || t.blind[identity{server: id.server, rollout: id.rollout}]
	e := executions{d.results, max(d.handed, d.results)}
	switch {
	case s.trusted():
		e = executions{d.commits, d.commits}
	case s.gapped:
		e = executions{d.commits, unbounded}
	case blind || !s.witnessed:
		e.high = unbounded
	}
	if d.keyed && !s.trusted() { // of two results one may come from the record
		e.low = min(e.low, 1)
	}
	if n := len(d.ops); n > 1 && e.low == n && e.high == n {
		return executions{1, 1}
	} else if n > 1 {
		return executions{0, e.high}
	}
	return e
}
