package check

import (
	"fmt"

	"mcpstorm/history"
)

// The kinds of execution that a server's own record leaves unsound. In both eras a
// call may end executed or not; in neither may it end between the two.
const (
	begunForEver  = "begun and neither committed nor aborted"
	answeredAbort = "answered though nothing was committed"
)

// halfDone is the violation of an identity whose execution has no end, or nil. What
// is begun must be committed or aborted, once the run is over and its server was
// closed in order: a settle, a cancel and the closing of a server all end a call by
// an abort; a process that died without the plan's doing could end nothing. In the
// 2026-07-28 era a disconnect is a cancel, so there a call that was aborted may not be
// answered either (streamable HTTP, cancellation).
func (c *conversation) halfDone(id *identity) *violation {
	if len(id.ops) == 0 || !c.server.trusted() || c.arm.kills || c.arm.cutShort {
		return nil
	}
	begun, open := id.executions()
	answered := 0
	for _, e := range id.effects {
		if e.Kind == history.EffectAnswer && !e.Replayed {
			answered++
		}
	}
	switch {
	case open > 0 && c.server.Died == nil:
		return c.unsound(id, begunForEver, fmt.Sprintf("%s began %s %s and ended it %s: it is neither done nor not done",
			c.server.Name, id.ops[0].Op, times(begun), often(begun-open)))
	case stateless(c.server.Era) && answered > id.commits:
		return c.unsound(id, answeredAbort, fmt.Sprintf("%s answered %s %s and committed it %s: nothing may follow a cancel",
			c.server.Name, id.ops[0].Op, times(answered), often(id.commits)))
	}
	return nil
}

// executions counts the executions that were begun, and those of them that are open in
// the end, in the order of the server's record. A repeat that is answered from the record
// may have been begun as any other call, and then this is its end; one that comes while
// nothing is open was not begun, and ends nothing that is begun later.
func (id *identity) executions() (begun, open int) {
	for _, e := range id.effects {
		switch {
		case e.Kind == history.EffectBegin:
			begun++
			open++
		case e.Kind == history.EffectCommit, e.Kind == history.EffectAbort, e.Kind == history.EffectAnswer && e.Replayed:
			open = max(open-1, 0)
		}
	}
	return begun, open
}

// cutOff reports whether the server's process died in the middle of an execution, and no
// fault of the plan killed it: that says nothing about the server's contract, nor about
// its client.
func (c *conversation) cutOff(id *identity) bool {
	_, open := id.executions()
	return open > 0 && c.server.Died != nil
}

func (c *conversation) unsound(id *identity, kind, text string) *violation {
	return &violation{
		kind:   kind,
		weight: id.attempts() + len(id.effects),
		prove:  func() history.Proof { return c.arm.index.prove(c.arm, c.rollout, id, text) },
	}
}

// often is how often something happened, which may be never.
func often(n int) string {
	if n == 0 {
		return "never"
	}
	return times(n)
}
