package refserver_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
)

func TestSteps(t *testing.T) {
	sink := &list{}
	about := history.Effect{Rollout: "t000001.1", Key: "arg:o", Tool: "append", Digest: "d"}
	steps := newRecorder(sink).Steps(about)
	why := errors.New("too late")
	if err := errors.Join(steps.Begin(), steps.Commit(3, "n"), steps.Answer("n", true), steps.In("t000002.1").Begin()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(steps.Abort(why), steps.Refuse(why)); err.Error() != "too late\ntoo late" || !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	effect := func(n int64, kind history.EffectKind, change func(*history.Effect)) history.Effect {
		e := about
		e.Arm, e.Server, e.N, e.Kind = "main", "sim", n, kind
		change(&e)
		return e
	}
	want := []history.Effect{
		effect(1, history.EffectBegin, func(*history.Effect) {}),
		effect(2, history.EffectCommit, func(e *history.Effect) { e.Sequence, e.Nonce = 3, "n" }),
		effect(3, history.EffectAnswer, func(e *history.Effect) { e.Nonce, e.Replayed = "n", true }),
		effect(4, history.EffectBegin, func(e *history.Effect) { e.Rollout = "t000002.1" }),
		effect(5, history.EffectAbort, func(e *history.Effect) { e.Reason = "too late" }),
		effect(6, history.EffectRefuse, func(e *history.Effect) { e.Reason = "too late" }),
	}
	if diff := cmp.Diff(want, sink.effects, cmpopts.IgnoreFields(history.Effect{}, "At")); diff != "" {
		t.Error(diff)
	}
}

func TestStepsThatCannotBeRecorded(t *testing.T) {
	sink := &list{failAt: map[int64]bool{1: true, 2: true}}
	steps := newRecorder(sink).Steps(history.Effect{})
	if err := steps.Begin(); !errors.Is(err, refserver.ErrEffect) {
		t.Errorf("begin: %v", err)
	}
	why := errors.New("too late")
	if err := steps.Abort(why); !errors.Is(err, why) || !errors.Is(err, errDisk) {
		t.Errorf("abort: %v", err)
	}
}
