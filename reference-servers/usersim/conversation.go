package usersim

import (
	"errors"
	"fmt"
	"sync"

	"mcpstorm/history"
)

// conversation is one rollout's user.
type conversation struct {
	sim     *server
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

func (s *server) newConversation(rollout string) *conversation {
	return &conversation{
		sim:     s,
		rollout: rollout,
		script:  newScript(s.config, rollout),
		log:     newReplayLog(s.config),
	}
}

// respond gives the payload of the turn that the call names, and takes the turn
// if it was not taken before. Once begun it depends on nobody: only closing the
// server aborts it.
func (c *conversation) respond(call call) (string, error) {
	if !c.sim.config.HasBug(noTurnLock) {
		c.turn.Lock()
		defer c.turn.Unlock()
	}
	t, err := c.lookUp(call)
	switch {
	case err != nil:
		return "", c.refuse(call, err)
	case t != nil:
		return c.answer(call, *t, true)
	}
	taken, err := c.advance(call)
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
func (c *conversation) advance(call call) (turn, error) {
	if err := c.record(history.EffectBegin, call, history.Effect{}); err != nil {
		return turn{}, err
	}
	if err := c.sim.config.Clock.Sleep(c.sim.life, c.sim.config.TurnLatency); err != nil {
		return turn{}, c.abort(call, err)
	}
	taken, err := c.commit(call)
	if err != nil {
		return turn{}, c.abort(call, err)
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
	err := c.record(history.EffectCommit, call, history.Effect{Sequence: next.ordinal, Nonce: next.nonce})
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
	err := c.record(history.EffectAnswer, call, history.Effect{Nonce: t.nonce, Replayed: replayed})
	return t.payload, err
}

// abort records that the call took no turn, and returns why.
func (c *conversation) abort(call call, why error) error {
	err := c.record(history.EffectAbort, call, history.Effect{Reason: why.Error()})
	return errors.Join(why, err)
}

// refuse records that the call was not begun, and returns why.
func (c *conversation) refuse(call call, why error) error {
	err := c.record(history.EffectRefuse, call, history.Effect{Reason: why.Error()})
	return errors.Join(why, err)
}

// record completes an effect with what it is about.
func (c *conversation) record(kind history.EffectKind, call call, e history.Effect) error {
	e.Kind, e.Rollout, e.Key, e.Tool, e.Digest = kind, c.rollout, call.key, toolName, call.digest
	if err := c.sim.effects.Record(e); err != nil {
		return fmt.Errorf("usersim: %w", err)
	}
	return nil
}
