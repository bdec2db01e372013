package engine

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/grafana/sobek"
)

// IterationResult is how one run of an iteration ended.
type IterationResult struct {
	// Value is what the function returned; the value of the promise, for an
	// async one. It is nil unless the function completed.
	Value sobek.Value
	// Err is nil when the function completed. Otherwise it wraps the *Exception
	// that escaped, ErrInterrupted, ErrNeverSettled or ErrPanic.
	Err error
	// Interrupted is true when the iteration was cut short from outside. Such
	// an iteration counts in no metric.
	Interrupted bool
	// Exception is what escaped from the script; nil if nothing did.
	Exception *Exception
	// Duration is how long the function ran.
	Duration time.Duration
}

// promiseType is how the runtime tells that a value is a promise.
var promiseType = reflect.TypeFor[*sobek.Promise]()

// call calls a function of the script under ctx, which must be watched. It
// waits for a promise, as far as anything is left that could settle it.
func (vu *VU) call(ctx context.Context, fn sobek.Callable, args ...sobek.Value) IterationResult {
	vu.ctx, vu.cut, vu.quit, vu.rejected = ctx, false, nil, vu.rejected[:0]
	vu.timers.pending = nil
	vu.rt.ClearInterrupt() // an interrupt that came too late for the last call
	start := vu.program.clock.Now()
	var r IterationResult
	if ctx.Err() == nil {
		r.Value, r.Err = vu.complete(fn, args)
		if err := vu.drain(); err != nil {
			r.Err = err
		}
	} else {
		vu.cut = true
	}
	r.Duration = vu.program.clock.Since(start)
	if vu.quit != nil {
		r.Interrupted = true
		r.Value, r.Err = nil, fmt.Errorf("%w: %w", ErrInterrupted, vu.quit)
		return r
	}
	if ctx.Err() != nil && (vu.cut || r.Err != nil) {
		r.Interrupted = true
		r.Value, r.Err = nil, fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
		return r
	}
	if r.Err != nil {
		vu.explain(&r)
	}
	return r
}

// explain replaces the runtime's own error by an Exception.
func (vu *VU) explain(r *IterationResult) {
	r.Value = nil
	if r.Exception = vu.exception(r.Err); r.Exception != nil {
		r.Err = r.Exception
	}
}

// complete calls the function, and then runs the event loop until nothing is
// left to call.
func (vu *VU) complete(fn sobek.Callable, args []sobek.Value) (v sobek.Value, err error) {
	defer vu.recoverPanic(&err)
	if v, err = fn(sobek.Undefined(), args...); err != nil {
		return nil, err
	}
	promise, async := asPromise(v)
	for {
		switch {
		case async && promise.State() == sobek.PromiseStateRejected:
			return nil, vu.rejection(promise)
		case len(vu.rejected) > 0:
			return nil, vu.rejection(vu.rejected[0])
		case vu.asyncs.running > 0 || len(vu.timers.pending) > 0:
			if err := vu.turn(); err != nil {
				return nil, err
			}
		case async && promise.State() == sobek.PromiseStatePending:
			return nil, ErrNeverSettled
		case async:
			return promise.Result(), nil
		default:
			return v, nil
		}
	}
}

func asPromise(v sobek.Value) (*sobek.Promise, bool) {
	object, ok := v.(*sobek.Object)
	if !ok || object.ExportType() != promiseType {
		return nil, false
	}
	promise, ok := object.Export().(*sobek.Promise)
	return promise, ok
}
