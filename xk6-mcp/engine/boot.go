package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/grafana/sobek"
)

// matchTimeout bounds one match of a regular expression with look-around.
// Nothing else can stop it: it runs in Go code.
const matchTimeout = 500 * time.Millisecond

func init() { regexp2.DefaultMatchTimeout = matchTimeout }

// newVU makes a VU that has no runtime yet.
func (p *Program) newVU(id int, env, tags map[string]string, out *aggregator) *VU {
	return &VU{program: p, id: id, env: mergeTags(p.env, env), base: tags, output: out}
}

// prepare gives the VU a fresh runtime with the globals of the dialect.
func (vu *VU) prepare() {
	rt := sobek.New()
	rt.SetMaxCallStackSize(maxCallStack)
	rt.SetTimeSource(vu.program.clock.Now)
	rt.SetRandSource(vu.rand)
	rt.SetPromiseRejectionTracker(vu.trackRejection)
	vu.rejected = nil
	vu.rt, vu.Data, vu.broken, vu.scriptSeeded = rt, nil, false, false
	vu.instances = make(map[*goModule]*goInstance, len(vu.program.goModules))
	vu.metrics = nil
	vu.group, vu.own, vu.tags = "", nil, vu.base
	vu.quit, vu.timers = nil, timers{}
	vu.reseed("init", strconv.Itoa(vu.id))
	vu.installGlobals()
	vu.current.Store(rt)
}

// boot starts a runtime and runs the script's init code in it.
func (vu *VU) boot(ctx context.Context) error {
	vu.prepare()
	return vu.evaluate(ctx)
}

// evaluate runs the init code.
func (vu *VU) evaluate(ctx context.Context) error {
	vu.ctx, vu.iteration, vu.inInit = nil, Iteration{}, true
	stop := vu.watch(ctx)
	vu.program.booting.Store(vu.rt, vu)
	defer func() {
		stop()
		vu.program.booting.Delete(vu.rt)
		vu.inInit = false
	}()
	err := vu.evaluateMain()
	if vu.quit != nil {
		return vu.quit
	}
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: in init code: %w", ErrStopped, context.Cause(ctx))
		}
		return vu.scriptError(err)
	}
	vu.rt.ClearInterrupt()
	return nil
}

// evaluateMain runs the main module and everything it imports.
func (vu *VU) evaluateMain() (err error) {
	defer vu.recoverPanic(&err)
	promise := vu.rt.CyclicModuleRecordEvaluate(vu.program.main, vu.program.resolve)
	switch promise.State() {
	case sobek.PromiseStateRejected:
		return vu.rejection(promise)
	case sobek.PromiseStatePending:
		return fmt.Errorf("%w: top-level await", ErrNeverSettled)
	}
	if len(vu.rejected) > 0 {
		return vu.rejection(vu.rejected[0])
	}
	return nil
}

// rejection returns why a promise was rejected.
func (vu *VU) rejection(promise *sobek.Promise) error {
	reason := promise.Result()
	if err, ok := reason.Export().(error); ok {
		return err
	}
	if ex := vu.rt.Try(func() { panic(reason) }); ex != nil {
		return ex
	}
	return fmt.Errorf("%w: promise rejected", ErrScript)
}

// trackRejection remembers the promises that were rejected with nobody
// listening.
func (vu *VU) trackRejection(promise *sobek.Promise, op sobek.PromiseRejectionOperation) {
	if op == sobek.PromiseRejectionReject {
		vu.rejected = append(vu.rejected, promise)
		return
	}
	vu.rejected = slices.DeleteFunc(vu.rejected, func(p *sobek.Promise) bool { return p == promise })
}

// recoverPanic turns a Go panic into an error. The runtime that it unwound
// through cannot be trusted any more, so the VU is marked as broken.
func (vu *VU) recoverPanic(err *error) {
	x := recover()
	if x == nil {
		return
	}
	vu.broken = true
	*err = &panicError{x, string(debug.Stack())}
}

// scriptError makes the error of script code outside an iteration. An error
// that a module threw keeps its own kind as well.
func (vu *VU) scriptError(err error) error {
	if errors.Is(err, ErrConfig) {
		return err
	}
	if ex := vu.exception(err); ex != nil {
		err = ex
	}
	return fmt.Errorf("%w: %w", ErrScript, err)
}

// export returns a binding of the main module as this VU sees it.
func (vu *VU) export(name string) (sobek.Value, bool) {
	if name == "" {
		return nil, false
	}
	binding, ambiguous := vu.program.main.ResolveExport(name)
	if binding == nil || ambiguous {
		return nil, false
	}
	instance := vu.rt.GetModuleInstance(binding.Module)
	if instance == nil {
		return nil, false
	}
	v := instance.GetBindingValue(binding.BindingName)
	return v, v != nil
}

// functions are the names of the exported functions.
func (vu *VU) functions() []string {
	return slices.DeleteFunc(exportsOf(vu.program.main), func(name string) bool {
		_, ok := vu.function(name)
		return !ok
	})
}

// function returns an exported function of the main module.
func (vu *VU) function(name string) (sobek.Callable, bool) {
	v, ok := vu.export(name)
	if !ok {
		return nil, false
	}
	return sobek.AssertFunction(v)
}
