package refserver_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	refserver "mcpstorm/reference-servers"
)

var errDisk = errors.New("no space left")

// list keeps effects without a lock of its own, so that the race detector
// proves that a recorder needs none of its sink; it fails at some numbers.
type list struct {
	effects []history.Effect
	failAt  map[int64]bool
}

func (l *list) Effect(e history.Effect) error {
	if l.failAt[e.N] {
		return errDisk
	}
	l.effects = append(l.effects, e)
	return nil
}

func newRecorder(sink refserver.EffectSink) *refserver.Recorder {
	return refserver.NewRecorder(refserver.Config{
		Name: "sim", Arm: "main", Base: clock.NewBase(clock.System{}), Effects: sink,
	})
}

func TestRecorderNumbersInTheOrderOfWriting(t *testing.T) {
	sink := &list{}
	r := newRecorder(sink)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 100 {
				if err := r.Record(history.Effect{Kind: history.EffectBegin}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var last history.Instant
	for i, e := range sink.effects {
		if e.N != int64(i+1) || e.At < last || e.Arm != "main" || e.Server != "sim" {
			t.Fatalf("line %d: %+v after %d ns", i+1, e, last)
		}
		last = e.At
	}
	if len(sink.effects) != 1600 {
		t.Errorf("%d effects", len(sink.effects))
	}
}

func TestRecorderRemembersTheFirstFailure(t *testing.T) {
	sink := &list{failAt: map[int64]bool{2: true, 4: true}}
	r := newRecorder(sink)
	var failed []bool
	for range 5 {
		failed = append(failed, r.Record(history.Effect{Kind: history.EffectCommit}) != nil)
	}
	if diff := cmp.Diff([]bool{false, true, false, true, false}, failed); diff != "" {
		t.Error(diff)
	}
	var numbers []int64
	for _, e := range sink.effects {
		numbers = append(numbers, e.N)
	}
	if diff := cmp.Diff([]int64{1, 3, 5}, numbers); diff != "" {
		t.Errorf("a lost record must leave a gap: %s", diff)
	}
	err := r.Err()
	if !errors.Is(err, refserver.ErrEffect) || !errors.Is(err, errDisk) ||
		err.Error() != "refserver: effect not recorded: commit number 2 of sim: no space left" {
		t.Errorf("remembered: %v", err)
	}
}

func TestRecorderWithoutSink(t *testing.T) {
	r := newRecorder(nil)
	if err := errors.Join(r.Record(history.Effect{}), r.Err()); err != nil {
		t.Error(err)
	}
}
