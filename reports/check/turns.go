package check

import (
	"cmp"
	"fmt"
	"slices"

	"mcpstorm/history"
)

const turnsID = "exactly-once-turns"

// exactlyOnceTurns judges, for each rollout, whether the transcript is the
// simulator's own: its nonces are a prefix of the simulator's advance log, in
// order, without gap or repeat; at most one advance lies beyond, and that turn was
// told unknown or not at all; and a key was never used for two turns.
func exactlyOnceTurns(ix *index) history.Invariant {
	j := perRollout(turnsID)
	for _, a := range ix.judged {
		for _, r := range a.rollouts {
			judgeRollout(ix, j, a, r)
		}
		judgeUnrecorded(ix, j, a)
	}
	return j.invariant("no rollout took a user turn")
}

// judgeRollout judges a rollout against every simulator that it took turns from.
func judgeRollout(ix *index, j *judgement, a *arm, r *history.Rollout) {
	evaluated, reason := false, ""
	var found *violation
	for _, s := range a.serverOrder {
		c := a.conversations[place{s.Name, r.Rollout}]
		if c == nil || !s.takesTurns() {
			continue
		}
		t := transcriptOf(ix, c, r)
		if len(t.turns) == 0 && !c.askedForTurn() {
			continue
		}
		one, skip := t.judge()
		if skip != "" {
			reason = skip
			continue
		}
		evaluated = true
		if one != nil && (found == nil || one.weight < found.weight) {
			found = one
		}
	}
	switch {
	case evaluated:
		j.add(r.Rollout, found)
	case reason != "":
		j.skip(reason)
	case len(r.Turns) > 0:
		j.skip("no operation is recorded for its turns")
	}
}

// judgeUnrecorded judges what simulators recorded of rollouts that have no record
// of their own, because the run ended before they did: the keys can be judged, the
// transcript cannot.
func judgeUnrecorded(ix *index, j *judgement, a *arm) {
	recorded := make(map[string]bool, len(a.rollouts))
	for _, r := range a.rollouts {
		recorded[r.Rollout] = true
	}
	for _, c := range a.order {
		if recorded[c.rollout] || !c.server.takesTurns() || len(c.commits) == 0 || !c.server.Effects {
			continue
		}
		t := &transcript{ix: ix, c: c}
		if found := t.keys(); found != nil {
			j.add(c.rollout, found)
			continue
		}
		j.skip("the rollout has no record of its own, so only the simulator's keys were judged")
	}
}

// askedForTurn reports whether any operation of the conversation is a user turn.
func (c *conversation) askedForTurn() bool {
	for _, id := range c.order {
		for _, op := range id.ops {
			if op.Kind == history.KindTurn {
				return true
			}
		}
	}
	return false
}

// transcript is one rollout's turns with one simulator, and that simulator's own
// log of the same conversation.
type transcript struct {
	ix    *index
	c     *conversation
	turns []*history.Turn   // all of them, in order
	seen  []*history.Turn   // those that carry a nonce
	log   []*history.Effect // the advances, in order of their sequence
}

func transcriptOf(ix *index, c *conversation, r *history.Rollout) *transcript {
	room := make([]*history.Turn, 2*len(r.Turns))
	t := &transcript{ix: ix, c: c, turns: room[:0:len(r.Turns)], seen: room[len(r.Turns):len(r.Turns)]}
	for i := range r.Turns {
		turn := &r.Turns[i]
		id := c.find(c.canonical(turn.Key))
		if id == nil || !id.has(turn.Op) {
			continue
		}
		t.turns = append(t.turns, turn)
		if turn.Nonce != "" {
			t.seen = append(t.seen, turn)
		}
	}
	return t
}

// judge gives the first violation in order of how plainly it shows, or the reason
// why the rollout cannot be judged.
func (t *transcript) judge() (found *violation, skip string) {
	if reason := t.unjudgeable(); reason != "" {
		return nil, reason
	}
	if found = t.keys(); found != nil {
		return found, ""
	}
	if found = t.early(); found != nil {
		return found, ""
	}
	complete, found := t.readLog()
	if found != nil {
		return found, ""
	}
	if t.c.server.gapped {
		return nil, fmt.Sprintf("the log of %s has a gap, so there is no whole advance log to compare with", t.c.server.Name)
	}
	if complete && t.sideBySide() {
		return t.anyOrder()
	}
	if found = t.prefix(); found != nil {
		return found, ""
	}
	if len(t.seen) == 0 && len(t.log) == 0 && complete {
		return nil, "no turn was taken"
	}
	if !complete {
		return nil, "the simulator's log misses an advance, so its record is not whole"
	}
	return t.unseen(t.log[min(len(t.seen), len(t.log)):]), ""
}

func (t *transcript) unjudgeable() string {
	s := t.c.server
	switch {
	case !s.Effects:
		return fmt.Sprintf("%s records no effects, so there is no advance log to compare with", s.Name)
	case s.silent():
		return fmt.Sprintf("%s recorded no effect at all though it answered, so its recorder failed", s.Name)
	}
	if len(t.seen) == 0 && len(t.c.commits) > 0 {
		for _, turn := range t.turns {
			if turn.Told == history.ToldOK && !turn.Finished {
				return fmt.Sprintf("no turn of %s carries a nonce", s.Name)
			}
		}
	}
	return ""
}

// readLog puts the advances in order of their sequence. Two at one place are a
// violation; a missing place means that the record is not complete.
func (t *transcript) readLog() (complete bool, found *violation) {
	commits := t.c.commits
	if !slices.IsSortedFunc(commits, bySequence) {
		commits = slices.SortedStableFunc(slices.Values(commits), bySequence)
	}
	t.log = make([]*history.Effect, 0, len(commits))
	complete = true
	for i, e := range commits {
		if i > 0 && e.Sequence > 0 && e.Sequence == commits[i-1].Sequence {
			return false, t.forked(commits[i-1], e)
		}
		if e.Sequence > 0 && e.Sequence != int64(i)+1 {
			complete = false
		}
		if e.Nonce != "" && t.c.server.turnTool(e.Tool) {
			t.log = append(t.log, e)
		}
	}
	return complete, nil
}

func bySequence(a, b *history.Effect) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.N, b.N))
}

func (t *transcript) forked(first, second *history.Effect) *violation {
	return t.violation("two advances have one place in the log", t.c.lookup(second.Key), 2,
		fmt.Sprintf("%s advanced twice to turn %d: once for %s and once for %s, so the conversation forked",
			t.c.server.Name, second.Sequence, first.Key, second.Key),
		effectText(first), effectText(second))
}

// prefix compares the transcript with the log, turn by turn.
func (t *transcript) prefix() *violation {
	for i, turn := range t.seen {
		if i < len(t.log) && t.log[i].Nonce == turn.Nonce {
			continue
		}
		return t.departure(i)
	}
	return nil
}

// departure says how the transcript leaves the log at its turn i.
func (t *transcript) departure(i int) *violation {
	turn := t.seen[i]
	id := t.c.lookup(turn.Key)
	said := fmt.Sprintf("turn %d of the transcript is %s (%s) with nonce %s", i+1, stepOf(turn.Op), turn.Key, short(turn.Nonce))
	earlier := slices.IndexFunc(t.seen[:i], func(o *history.Turn) bool { return o.Nonce == turn.Nonce })
	place := slices.IndexFunc(t.log, func(e *history.Effect) bool { return e.Nonce == turn.Nonce })
	switch {
	case earlier >= 0:
		return t.violation("the transcript repeats a turn", id, 2,
			fmt.Sprintf("the transcript holds one turn of %s twice, as turn %d and as turn %d", t.c.server.Name, earlier+1, i+1),
			said)
	case place > i:
		kind, text := "the transcript skips a turn", fmt.Sprintf("%s had advanced to turn %d when the transcript was at turn %d: %s taken and never seen",
			t.c.server.Name, place+1, i+1, number(place-i, "turn")+verb(place-i, " was", " were"))
		if t.unread(t.log[i].Key) {
			kind += unreadable
			text += fmt.Sprintf(", for the answer to %s came and could not be read as a turn", t.log[i].Key)
		}
		return t.violation(kind, id, 2, text, said, t.place(i), t.place(place))
	case place >= 0:
		return t.violation("the transcript is out of order", id, 2,
			fmt.Sprintf("turn %d of the transcript is turn %d of %s", i+1, place+1, t.c.server.Name), said, t.place(place))
	}
	return t.violation("the transcript holds a turn that was never taken", id, 2,
		fmt.Sprintf("%s never advanced with the nonce of turn %d of the transcript", t.c.server.Name, i+1), said, t.place(i))
}

// place says what stands at one place of the log.
func (t *transcript) place(i int) string {
	if i >= len(t.log) {
		return fmt.Sprintf("the log of %s ends after %s", t.c.server.Name, number(len(t.log), "advance"))
	}
	return fmt.Sprintf("turn %d of %s's log is %s with nonce %s", i+1, t.c.server.Name, t.log[i].Key, short(t.log[i].Nonce))
}

// unseen judges the advances that the transcript does not hold: one is allowed,
// when nobody knows whether its turn was taken.
func (t *transcript) unseen(rest []*history.Effect) *violation {
	if len(rest) == 0 {
		return nil
	}
	first := rest[0]
	id := t.c.lookup(first.Key)
	if len(rest) > 1 {
		return t.violation("the simulator ran ahead of the transcript", id, len(rest),
			fmt.Sprintf("%s advanced %d turns beyond the transcript, which ends at turn %d", t.c.server.Name, len(rest), len(t.seen)),
			effectTexts(rest)...)
	}
	if len(id.ops) == 0 {
		if t.ix.run.Manifest.State != history.StateFinished {
			return nil // it was under way when the run was killed
		}
		return t.violation("the simulator advanced though nothing asked it to", id, 1,
			fmt.Sprintf("%s advanced for %s, which no operation of the rollout has", t.c.server.Name, first.Key), effectText(first))
	}
	told := id.ops[0].Told
	for _, op := range id.ops {
		if op.Told == history.ToldUnknown || op.Told == history.ToldNone || op.Interrupted {
			return nil
		}
		told = op.Told
	}
	if t.unread(first.Key) {
		return t.violation("a turn was taken and lost"+unreadable, id, 1,
			fmt.Sprintf("%s advanced for %s, the operation was told ok, and the transcript holds the turn without a nonce: "+
				"its answer came and could not be read as a turn", t.c.server.Name, first.Key))
	}
	return t.violation("a turn was taken and lost", id, 1,
		fmt.Sprintf("%s advanced for %s, the operation was told %s, and the transcript does not hold the turn", t.c.server.Name, first.Key, told))
}

// unreadable says of a lost turn that its answer came all the same.
const unreadable = ": its answer could not be read"

// unread reports whether the transcript holds a turn of this key whose answer came
// and gave no nonce, because it could not be read as a turn.
func (t *transcript) unread(key string) bool {
	return slices.ContainsFunc(t.turns, func(turn *history.Turn) bool {
		return turn.Key == key && turn.Told == history.ToldOK && turn.Nonce == "" && !turn.Finished
	})
}

// violation is a finding about the turns of one identity; facts come after its
// story in the proof.
func (t *transcript) violation(kind string, id *identity, weight int, text string, facts ...string) *violation {
	return &violation{
		kind:   kind,
		weight: weight + id.attempts() + len(id.effects),
		prove: func() history.Proof {
			return t.ix.prove(t.c.arm, t.c.rollout, id, text, facts...)
		},
	}
}
