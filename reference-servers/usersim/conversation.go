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

	mu     sync.Mutex // guards the rest, for one step at a time
	state  state      // as far as it is committed
	under  int64      // turns that are simulated and not yet committed
	past   int64      // FM-26a: turns simulated, committed or not
	pushed int64      // writes to the state channel
	log    replayLog
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
	leave := c.enter()
	defer leave()
	t, err := c.lookUp(call)
	switch {
	case err != nil:
		return "", c.steps(call).Refuse(err)
	case t != nil:
		return c.answer(call, *t, true)
	}
	taken, err := c.advance(ctx, call, leave)
	if err != nil {
		return "", err
	}
	return c.answer(call, taken, false)
}

// enter begins the part in which a conversation serves one call at a time. What it
// returns ends that part, and may be called again.
func (c *conversation) enter() (leave func()) {
	if c.core.Config.HasBug(noTurnLock) {
		return func() {}
	}
	c.turn.Lock()
	return sync.OnceFunc(c.turn.Unlock)
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

// advance takes a turn: it simulates, commits, and publishes, in that order. With
// FM-05 it publishes first and lets the next call in while it commits (verifiers
// pull request 2062 before cb195606c).
func (c *conversation) advance(ctx context.Context, call call, leave func()) (turn, error) {
	steps, early := c.steps(call), c.core.Config.HasBug(earlyPublish)
	if err := steps.Begin(); err != nil {
		return turn{}, err
	}
	if err := c.core.Pause(ctx, c.core.Config.TurnLatency); err != nil {
		return turn{}, steps.Abort(err)
	}
	taken, err := c.simulate(steps)
	if err != nil {
		return turn{}, steps.Abort(err)
	}
	if early {
		c.publish(call, taken)
		leave()
	}
	if err := c.commit(ctx, steps, taken); err != nil {
		return turn{}, steps.Abort(err)
	}
	if !early {
		c.publish(call, taken)
	}
	return taken, nil
}

// simulate works out the turn after those that are committed or under way. With
// FM-26a it goes by its own count, and the turn is taken whether or not it is then
// committed.
func (c *conversation) simulate(steps refserver.Steps) (turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core.Config.HasBug(forgottenAdvance) {
		c.past++
		taken := c.script.turn(c.past)
		return taken, steps.Commit(taken.ordinal, taken.nonce)
	}
	c.under++
	return c.script.turn(c.state.UserTurns + c.under), nil
}

// commit makes a turn the conversation's, once its state has gone through the
// channel and that is on record. If either fails, the conversation stays where it
// is, and the next call gets the same turn.
func (c *conversation) commit(ctx context.Context, steps refserver.Steps, taken turn) error {
	err := c.push(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.core.Config.HasBug(forgottenAdvance) {
		c.under--
		if err == nil {
			err = steps.Commit(taken.ordinal, taken.nonce)
		}
	}
	if err == nil {
		c.reach(taken)
	}
	return err
}

// reach is the state that a turn leads to. It is called with the lock held.
func (c *conversation) reach(taken turn) {
	c.state = state{
		UserTurns:    max(c.state.UserTurns, taken.ordinal),
		UserFinished: c.state.UserFinished || taken.ordinal > int64(c.core.Config.Turns),
	}
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
