package check

import (
	"cmp"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// dossier is every record about one task, of all observers, gathered in one pass
// over the run.
type dossier struct {
	rollouts []*history.Rollout
	ops      []*history.Op      // by start, all of one process
	attempts []*history.Attempt // by start, likewise
	faults   []*history.Fault
	wires    []*witnessed
	effects  []*history.Effect // in the order of their files
}

// witnessed is a wire record with the attempt that its header named, if any.
type witnessed struct {
	*history.Wire
	ref  wire.OpRef // zero when the header was missing or unreadable
	told bool       // already part of a story
}

func gather(run *history.Run, task string) *dossier {
	d := &dossier{}
	for i := range run.Rollouts {
		if run.Rollouts[i].Task == task {
			d.rollouts = append(d.rollouts, &run.Rollouts[i])
		}
	}
	for i := range run.Ops {
		if history.TaskOfRollout(run.Ops[i].Rollout) == task {
			d.ops = append(d.ops, &run.Ops[i])
		}
	}
	for i := range run.Attempts {
		if history.TaskOfRollout(run.Attempts[i].Rollout) == task {
			d.attempts = append(d.attempts, &run.Attempts[i])
		}
	}
	for i := range run.Faults {
		if f := &run.Faults[i]; history.TaskOfRollout(f.Rollout) == task || history.TaskOfOp(f.Op) == task {
			d.faults = append(d.faults, f)
		}
	}
	for i := range run.Effects {
		if history.TaskOfRollout(run.Effects[i].Rollout) == task {
			d.effects = append(d.effects, &run.Effects[i])
		}
	}
	d.gatherWires(run.Wire, task)
	d.sort()
	return d
}

func (d *dossier) gatherWires(list []history.Wire, task string) {
	for i := range list {
		w := &list[i]
		if history.TaskOfRollout(w.Rollout) != task && !strings.HasPrefix(w.Hint, task+".") {
			continue
		}
		ref, _ := wire.ParseOpRef(w.Hint)
		d.wires = append(d.wires, &witnessed{Wire: w, ref: ref})
	}
}

func (d *dossier) sort() {
	slices.SortStableFunc(d.rollouts, func(a, b *history.Rollout) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(d.ops, func(a, b *history.Op) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(d.attempts, func(a, b *history.Attempt) int { return cmp.Compare(a.Start, b.Start) })
}

// attemptsOf are the exchanges made for one operation of one rollout, those
// that settle it or look it up included.
func (d *dossier) attemptsOf(rollout, op string) []*history.Attempt {
	var out []*history.Attempt
	for _, at := range d.attempts {
		if at.Rollout == rollout && partOf(at.Op, op) {
			out = append(out, at)
		}
	}
	return out
}

// partOf reports whether work under one id serves an operation: its own id, or
// that id with a suffix such as .settle.
func partOf(id, op string) bool {
	rest, ok := strings.CutPrefix(id, op)
	return ok && (rest == "" || rest[0] == '.')
}

// faultsOf are the faults of one exchange.
func (d *dossier) faultsOf(at *history.Attempt) []*history.Fault {
	var out []*history.Fault
	for _, f := range d.faults {
		if f.Op == at.Op && concerns(f, at) {
			out = append(out, f)
		}
	}
	return out
}

// witnessOf is what the witness saw of one exchange, found by the header that
// travelled with it.
func (d *dossier) witnessOf(at *history.Attempt) *witnessed {
	for _, w := range d.wires {
		if !w.told && w.ref.Op() == at.Op && w.ref.Rollout() == at.Rollout && w.ref.Attempt == at.Attempt && w.Role == at.Role {
			w.told = true
			return w
		}
	}
	return nil
}

// effectsOf are the server's records of one key of one rollout.
func (d *dossier) effectsOf(server, rollout, key string) []*history.Effect {
	var out []*history.Effect
	for _, e := range d.effects {
		if e.Server == server && e.Rollout == rollout && (baseKey(e.Key) == baseKey(key) || generationOf(e.Key, key)) {
			out = append(out, e)
		}
	}
	return out
}

// generationOf reports whether a key is that of an operation which was voided and
// sent again: arg:VALUE#2 of arg:VALUE.
func generationOf(key, first string) bool {
	base, generation := wire.SplitGeneration(key)
	return generation > 1 && base == first && strings.HasPrefix(first, argumentPrefix)
}
