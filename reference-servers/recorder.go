package refserver

import (
	"fmt"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
)

// Recorder numbers the effects of one server and hands them to its sink, in the
// order of their numbers. It may be used from any goroutine.
type Recorder struct {
	arm, server string
	base        *clock.Base
	sink        EffectSink

	mu    sync.Mutex // held while a record is numbered and written
	n     int64
	first error
}

// NewRecorder makes the recorder of a server that was opened with a completed
// configuration.
func NewRecorder(cfg Config) *Recorder {
	return &Recorder{arm: cfg.Arm, server: cfg.Name, base: cfg.Base, sink: cfg.Effects}
}

// Record fills in arm, server, number and time, and returns when the record is
// on file. Its error wraps ErrEffect, and the first one is remembered. A failed
// record uses up its number, because the line may have been written in part:
// the gap shows the loss.
func (r *Recorder) Record(e history.Effect) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	if r.sink == nil {
		return nil
	}
	e.Arm, e.Server, e.N, e.At = r.arm, r.server, r.n, history.Instant(r.base.Nanos())
	err := r.sink.Effect(e)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%w: %s number %d of %s: %w", ErrEffect, e.Kind, e.N, r.server, err)
	if r.first == nil {
		r.first = err
	}
	return err
}

// Err is the first failure to record an effect, or nil.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}
