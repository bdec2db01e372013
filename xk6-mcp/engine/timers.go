package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/grafana/sobek"
)

// minInterval keeps an interval from filling all of a VU's time.
const minInterval = time.Millisecond

// timer is a function of the script that is to be called later.
type timer struct {
	id    int64
	due   time.Time
	every time.Duration // 0 for once
	fn    sobek.Callable
	args  []sobek.Value
}

// timers are a VU's event loop: what is still to be called, the next first.
// An iteration ends when nothing is left; its timers do not outlive it.
type timers struct {
	last    int64
	pending []*timer
}

func (t *timers) add(x *timer) {
	i, _ := slices.BinarySearchFunc(t.pending, x, func(a, b *timer) int {
		return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.id, b.id))
	})
	t.pending = slices.Insert(t.pending, i, x)
}

func (t *timers) remove(id int64) {
	t.pending = slices.DeleteFunc(t.pending, func(x *timer) bool { return x.id == id })
}

// timersModule is the built-in module "k6/timers". Its functions are globals too.
type timersModule struct{}

// Name implements Module.
func (timersModule) Name() string { return "k6/timers" }

// Instantiate implements Module.
func (timersModule) Instantiate(vu *VU) (map[string]any, error) { return vu.timerFunctions(), nil }

func (vu *VU) timerFunctions() map[string]any {
	return map[string]any{
		"setTimeout":    func(call sobek.FunctionCall) sobek.Value { return vu.setTimer("setTimeout", call) },
		"setInterval":   func(call sobek.FunctionCall) sobek.Value { return vu.setTimer("setInterval", call) },
		"clearTimeout":  vu.clearTimer,
		"clearInterval": vu.clearTimer,
	}
}

// setTimer is setTimeout and setInterval(fn, milliseconds, ...arguments).
func (vu *VU) setTimer(name string, call sobek.FunctionCall) sobek.Value {
	vu.notInInit(name)
	fn, ok := sobek.AssertFunction(call.Argument(0))
	if !ok {
		vu.throwType("%s: want a function, got %s", name, call.Argument(0))
	}
	delay := pause(call.Argument(1))
	t := &timer{id: vu.timers.last + 1, fn: fn}
	if name == "setInterval" {
		delay = max(delay, minInterval)
		t.every = delay
	}
	if len(call.Arguments) > 2 {
		t.args = call.Arguments[2:]
	}
	t.due = vu.program.clock.Now().Add(delay)
	vu.timers.last = t.id
	vu.timers.add(t)
	return vu.rt.ToValue(t.id)
}

// pause reads a number of milliseconds; what is no such number is zero.
func pause(v sobek.Value) time.Duration {
	millis := v.ToFloat()
	if math.IsNaN(millis) || millis <= 0 {
		return 0
	}
	return time.Duration(min(millis*float64(time.Millisecond), float64(1000*time.Hour)))
}

func (vu *VU) clearTimer(call sobek.FunctionCall) sobek.Value {
	vu.timers.remove(call.Argument(0).ToInteger())
	return sobek.Undefined()
}

// fire waits for the next timer and calls it.
func (vu *VU) fire() error {
	t := vu.timers.pending[0]
	wait := t.due.Sub(vu.program.clock.Now())
	if err := vu.Block(func(ctx context.Context) error { return vu.program.clock.Sleep(ctx, wait) }); err != nil {
		return err
	}
	vu.timers.remove(t.id)
	if t.every > 0 {
		t.due = t.due.Add(t.every)
		vu.timers.add(t)
	}
	_, err := t.fn(sobek.Undefined(), t.args...)
	return err
}
