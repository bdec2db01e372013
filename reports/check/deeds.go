package check

import (
	"cmp"
	"slices"
	"strings"

	"mcpstorm/history"
)

// deed is one thing to be executed once, with every execution of it: the
// identities of one key over all rollouts of a task, for a restart gives
// operations no new ids. A sequence key counts within one conversation and a
// restart begins another, so there each rollout has deeds of its own.
type deed struct {
	operations []*operation // several where only a digest tells them apart
	effects    []*history.Effect
	// lo and hi bound how often it was executed; known is false where no record of
	// it is whole, and only lo tells anything.
	lo, hi int
	known  bool
}

// deedKey names a deed that several conversations may have a part in.
type deedKey struct{ server, task, key string }

// joinDeeds joins the identities of the arm into deeds, and tells each operation
// which are its own. Only a task that was started again has one deed in several
// conversations.
func (a *arm) joinDeeds() {
	again := map[string]bool{}
	for _, c := range a.order {
		if restartOf(c.rollout) > 1 {
			again[history.TaskOfRollout(c.rollout)] = true
		}
	}
	room := &a.index.room
	joined := map[deedKey]*deed{}
	var order []*deed
	for _, c := range a.order {
		task := history.TaskOfRollout(c.rollout)
		alone := !again[task]
		for _, id := range c.order {
			if alone || strings.HasPrefix(id.key, sequencePrefix) {
				d := room.deeds.make()
				d.add(a, c, id)
				d.complete(room)
				continue
			}
			key := deedKey{c.server.Name, task, id.key}
			d, ok := joined[key]
			if !ok {
				d = room.deeds.make()
				joined[key] = d
				order = append(order, d)
			}
			d.add(a, c, id)
		}
	}
	for _, d := range order {
		d.complete(room)
	}
}

func (d *deed) add(a *arm, c *conversation, id *identity) {
	lo, hi, ok := c.truth(id)
	d.lo, d.hi, d.known = d.lo+lo, d.hi+hi, d.known || ok
	if d.effects == nil {
		d.effects = id.effects[:len(id.effects):len(id.effects)] // appending to it leaves the identity's alone
	} else {
		d.effects = append(d.effects, id.effects...)
	}
	for _, op := range id.ops {
		if o := a.operations[baseOp(op.Op)]; !slices.Contains(d.operations, o) {
			d.operations = a.index.room.wanted.add(d.operations, o, 1)
		}
	}
}

// complete puts those of several equal operations first that were called most:
// an execution too many is charged to them.
func (d *deed) complete(room *rooms) {
	if len(d.operations) > 1 {
		slices.SortStableFunc(d.operations, func(a, b *operation) int {
			return cmp.Compare(len(b.exchanges), len(a.exchanges))
		})
	}
	for _, o := range d.operations {
		o.deeds = room.done.add(o.deeds, d, 1)
	}
}

// tooOften is the deed of the operation that was certainly executed more often
// than it was wanted and than the run's setting excuses, or nil.
func (o *operation) tooOften() *deed {
	for _, d := range o.deeds {
		if slices.Index(d.operations, o) < d.lo-len(d.operations)-d.reissues() {
			return d
		}
	}
	return nil
}

// recorded reports whether anything tells how often the operation was executed.
func (o *operation) recorded() bool {
	return slices.ContainsFunc(o.deeds, func(d *deed) bool { return d.known })
}
