package usersim

import (
	"context"
	"sync"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
)

// conversation is one rollout's user.
type conversation struct {
	core    *refserver.Core
	rollout string
	script  script

	// turn is held from looking a call up until its turn is published, so that
	// a repeat waits for the original and then finds it in the log. Without it
	// (FM-04) each step below is still whole, and only their sequence is not.
	turn sync.Mutex

	mu       sync.Mutex // guards the rest, for one step at a time
	advances int64      // turns taken so far
	log      replayLog
}

func newConversation(core *refserver.Core, rollout string) *conversation {
	return &conversation{
		core:    core,
		rollout: rollout,
		script:  newScript(core.Config, rollout),
		log:     newReplayLog(core.Config),
	}
}

// respond gives the payload of the turn that the call names, and takes the turn
// if it was not taken before. Once begun it depends on nobody: only closing the
// server aborts it, and the end of ctx, which is the client's cancel.
func (c *conversation) respond(ctx context.Context, call call) (string, error) {
	if !c.core.Config.HasBug(noTurnLock) {
		c.turn.Lock()
		defer c.turn.Unlock()
	}
	t, err := c.lookUp(call)
	switch {
	case err != nil:
		return "", c.steps(call).Refuse(err)
	case t != nil:
		return c.answer(call, *t, true)
	}
	taken, err := c.advance(ctx, call)
	if err != nil {
		return "", err
	}
	return c.answer(call, taken, false)
}

// lookUp finds the turn that was taken under the call's sequence number. A nil
// turn without an error means that the call asks for a new one.
func (c *conversation) lookUp(call call) (*turn, error) {
	if call.seq < 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.find(call)
}

// advance takes a turn: it simulates, commits, and publishes, in that order.
func (c *conversation) advance(ctx context.Context, call call) (turn, error) {
	if err := c.steps(call).Begin(); err != nil {
		return turn{}, err
	}
	if err := c.core.Pause(ctx, c.core.Config.TurnLatency); err != nil {
		return turn{}, c.steps(call).Abort(err)
	}
	taken, err := c.commit(call)
	if err != nil {
		return turn{}, c.steps(call).Abort(err)
	}
	c.publish(call, taken)
	return taken, nil
}

// commit makes the next turn the conversation's, once that is on record. If it
// cannot be recorded, the conversation stays where it is.
func (c *conversation) commit(call call) (turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.script.turn(c.advances + 1)
	err := c.steps(call).Commit(next.ordinal, next.nonce)
	if err == nil {
		c.advances = next.ordinal
	}
	return next, err
}

// publish makes the turn known to repeats of the call.
func (c *conversation) publish(call call, taken turn) {
	if call.seq < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log.add(call, taken)
}

// answer records that the turn is handed over.
func (c *conversation) answer(call call, t turn, replayed bool) (string, error) {
	err := c.steps(call).Answer(t.nonce, replayed)
	return t.payload, err
}

// steps is the record of what becomes of the call.
func (c *conversation) steps(call call) refserver.Steps {
	return c.core.Effects.Steps(history.Effect{Rollout: c.rollout, Key: call.key, Tool: toolName, Digest: call.digest})
}
