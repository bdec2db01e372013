package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/sobek"
)

// errTimeout is the cause of a context whose time is up.
var errTimeout = errors.New("engine: time is up")

// hook is a function of the script that runs once: setup, teardown or
// handleSummary.
type hook struct {
	export  string
	timeout time.Duration
	late    error // what it is when it outlasts the timeout
	silent  bool  // its samples count nowhere
	skipped bool  // the options leave it out
}

// runHook calls a hook in a VU of its own with data, if the script exports it.
// What it returned is handed to take, which may be nil, inside that VU.
func (r *run) runHook(ctx context.Context, h hook, data string, take func(*VU, sobek.Value) error) error {
	if binding, _ := r.program.main.ResolveExport(h.export); binding == nil || h.skipped {
		return nil
	}
	vu := r.program.newVU(0, nil, r.tags, r.samples)
	vu.run = r
	if err := vu.boot(ctx); err != nil {
		return err
	}
	fn, _ := vu.function(h.export)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := r.after(ctx, h.timeout, func() { cancel(errTimeout) })
	defer timer()
	stop := vu.watch(ctx)
	defer stop()
	vu.reseed(h.export)
	args, err := vu.dataArgument(data)
	if err != nil {
		return err
	}
	leave := vu.enterGroup(groupSeparator + h.export)
	result := vu.call(ctx, fn, args...)
	if !result.Interrupted {
		vu.Emit(r.program.builtins.duration, millis(result.Duration), nil)
	}
	leave()
	if !h.silent {
		vu.flush()
	}
	if err := vu.hookError(ctx, h, result); err != nil || take == nil {
		return err
	}
	if err := take(vu, result.Value); err != nil {
		return fmt.Errorf("%w: %s: its result: %w", ErrScript, h.export, err)
	}
	return nil
}

func (vu *VU) hookError(ctx context.Context, h hook, result IterationResult) error {
	switch {
	case vu.quit != nil:
		return vu.quit
	case result.Interrupted && errors.Is(context.Cause(ctx), errTimeout):
		return fmt.Errorf("%w: %s did not end in %s", h.late, h.export, h.timeout)
	case result.Interrupted:
		return fmt.Errorf("%w: in %s", ErrStopped, h.export)
	case errors.Is(result.Err, ErrConfig):
		return result.Err
	case result.Err != nil:
		return fmt.Errorf("%w: %s: %w", ErrScript, h.export, result.Err)
	}
	return nil
}

// stringify is JSON.stringify; empty for what JSON cannot say, such as
// undefined.
func (vu *VU) stringify(v sobek.Value) (text string, err error) {
	result, err := vu.json("stringify", v)
	if err != nil || sobek.IsUndefined(result) {
		return "", err
	}
	return result.String(), nil
}

// json calls a function of the script's JSON object.
func (vu *VU) json(method string, v sobek.Value) (result sobek.Value, err error) {
	var fn sobek.Callable
	if ex := vu.rt.Try(func() {
		fn, _ = sobek.AssertFunction(vu.rt.Get("JSON").ToObject(vu.rt).Get(method))
	}); ex != nil || fn == nil {
		return nil, fmt.Errorf("%w: the script replaced JSON.%s", ErrScript, method)
	}
	return fn(sobek.Undefined(), v)
}

// dataArgument is the VU's own copy of the setup data, as an argument list.
func (vu *VU) dataArgument(data string) ([]sobek.Value, error) {
	if data == "" {
		return nil, nil
	}
	v, err := vu.json("parse", vu.rt.ToValue(data))
	if err != nil {
		return nil, vu.scriptError(err)
	}
	return []sobek.Value{v}, nil
}
