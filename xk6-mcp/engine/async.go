package engine

import (
	"context"
	"errors"

	"github.com/grafana/sobek"
)

// AsyncCall is a call that runs beside the script: the script gets a promise and
// goes on.
type AsyncCall struct {
	// Work does what takes time, on a goroutine of its own. It must end soon after
	// its context has, and must not touch the VU.
	Work func(ctx context.Context)
	// Done is called on the VU's goroutine once Work has ended, also when the
	// script cannot go on: what must be recorded is recorded here.
	Done func()
	// Value is what the promise is fulfilled with or, where thrown is not nil,
	// rejected with. It is called after Done, and only while the script goes on.
	Value func() (value any, thrown *sobek.Object)
}

// asyncs are the calls that run beside a VU's script.
type asyncs struct {
	running int
	// ended takes in the calls whose work has ended. Each waits to be taken: the
	// VU takes all of them before its iteration is over.
	ended chan *async
}

// async is one of them.
type async struct {
	AsyncCall
	resolve, reject func(any) error
	panicked        any // what Work panicked with
}

// Async starts a call and returns its promise. The event loop settles it; an
// iteration is not over before each of its calls is, also when it throws
// meanwhile: what has been sent is followed to its end.
func (vu *VU) Async(c AsyncCall) sobek.Value {
	promise, resolve, reject := vu.rt.NewPromise()
	if vu.asyncs.ended == nil {
		vu.asyncs.ended = make(chan *async)
	}
	a, ctx, ended := &async{AsyncCall: c, resolve: resolve, reject: reject}, vu.ctx, vu.asyncs.ended
	vu.asyncs.running++
	go func() {
		defer func() {
			a.panicked = recover()
			ended <- a
		}()
		a.Work(ctx)
	}()
	return vu.rt.ToValue(promise)
}

// turn is one turn of the event loop: it settles the next call that ends, or
// calls the next timer, whichever comes first.
func (vu *VU) turn() error {
	if vu.asyncs.running == 0 {
		return vu.fire()
	}
	a, err := vu.awaitAsync()
	switch {
	case err != nil:
		return err
	case a == nil:
		return vu.fire()
	}
	vu.take(a)
	value, thrown := a.Value()
	if thrown != nil {
		return a.reject(thrown)
	}
	return a.resolve(value)
}

// take notes that a call has ended. A panic of its work goes on here, where the
// iteration catches it.
func (vu *VU) take(a *async) {
	vu.asyncs.running--
	if a.panicked != nil {
		panic(a.panicked)
	}
	a.Done()
}

// awaitAsync waits until a call has ended, or until a timer is due: then there is
// none.
func (vu *VU) awaitAsync() (ended *async, err error) {
	err = vu.Block(func(ctx context.Context) error {
		due, stop := vu.nextDue(ctx)
		defer stop()
		select {
		case ended = <-vu.asyncs.ended:
			return nil
		case <-due:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	return ended, err
}

// nextDue is closed when the next timer is due; never, without one. stop must be
// called.
func (vu *VU) nextDue(ctx context.Context) (due <-chan struct{}, stop func()) {
	if len(vu.timers.pending) == 0 {
		return nil, func() {}
	}
	wait := vu.timers.pending[0].due.Sub(vu.program.clock.Now())
	ctx, cancel := context.WithCancel(ctx)
	slept := make(chan struct{})
	go func() {
		defer close(slept)
		_ = vu.program.clock.Sleep(ctx, wait) // an end that comes early is seen elsewhere
	}()
	return slept, func() {
		cancel()
		<-slept
	}
}

// drain waits for the calls that still run when the script cannot go on. They end
// by themselves, or with the VU's context.
func (vu *VU) drain() (err error) {
	for vu.asyncs.running > 0 {
		err = errors.Join(err, vu.drainOne())
	}
	return err
}

func (vu *VU) drainOne() (err error) {
	defer vu.recoverPanic(&err)
	vu.take(<-vu.asyncs.ended)
	return nil
}
