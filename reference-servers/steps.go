package refserver

import (
	"errors"

	"mcpstorm/history"
)

// Steps records what becomes of one call of a tool. It is a value and may be
// copied; its methods may be called from any goroutine. Every error of theirs
// that comes from recording wraps ErrEffect.
type Steps struct {
	recorder *Recorder
	about    history.Effect
	kept     string // the arguments, for the commit
}

// Steps is the record of a call that these fields are about: the rollout, the
// key, the tool and the digest of what was asked. The rest is filled in later.
func (r *Recorder) Steps(about history.Effect) Steps { return Steps{recorder: r, about: about} }

// In is the same call as it takes effect in another rollout, which only a
// server whose sessions bleed has a use for.
func (s Steps) In(rollout string) Steps {
	s.about.Rollout = rollout
	return s
}

// Begin records that the call is being executed.
func (s Steps) Begin() error { return s.record(history.EffectBegin, history.Effect{}) }

// Commit records that the call takes effect. A change has its ordinal among the
// changes of its rollout, from 1, and a nonce of its own; a call that only reads
// has zero and none.
func (s Steps) Commit(sequence int64, nonce string) error {
	return s.record(history.EffectCommit, history.Effect{Sequence: sequence, Nonce: nonce})
}

// CommitState records the same of a change, with a short digest of the state that it
// leaves: a repeat that leaves another was not harmless.
func (s Steps) CommitState(sequence int64, nonce, state string) error {
	return s.record(history.EffectCommit, history.Effect{Sequence: sequence, Nonce: nonce, State: state})
}

// Keep has the commit of the call hold its arguments too: see Config.Durable.
func (s Steps) Keep(arguments []byte) Steps {
	s.kept = string(arguments)
	return s
}

// Answer records that the result of the commit with this nonce is handed over,
// for the first time or once more.
func (s Steps) Answer(nonce string, replayed bool) error {
	return s.record(history.EffectAnswer, history.Effect{Nonce: nonce, Replayed: replayed})
}

// Abort records that the call was begun and took no effect, and returns why,
// joined with the failure to record it.
func (s Steps) Abort(why error) error {
	return errors.Join(why, s.record(history.EffectAbort, history.Effect{Reason: why.Error()}))
}

// Refuse records that the call was not begun, and returns why, joined with the
// failure to record it.
func (s Steps) Refuse(why error) error {
	return errors.Join(why, s.record(history.EffectRefuse, history.Effect{Reason: why.Error()}))
}

func (s Steps) record(kind history.EffectKind, e history.Effect) error {
	if kind == history.EffectCommit {
		e.Arguments = s.kept
	}
	e.Kind, e.Rollout, e.Key, e.Tool, e.Digest = kind, s.about.Rollout, s.about.Key, s.about.Tool, s.about.Digest
	return s.recorder.Record(e)
}
