package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/grafana/sobek"
)

// groupSeparator stands between the names in the path of nested groups.
const groupSeparator = "::"

// k6Module is the built-in module "k6".
type k6Module struct{}

// Name implements Module.
func (k6Module) Name() string { return "k6" }

// Instantiate implements Module.
func (k6Module) Instantiate(vu *VU) (map[string]any, error) {
	return map[string]any{
		"check":      vu.check,
		"group":      vu.runGroup,
		"sleep":      vu.sleep,
		"fail":       vu.fail,
		"randomSeed": vu.randomSeed,
	}, nil
}

// check is check(value, {name: condition}, tags?): one sample of the metric
// checks for each condition, and whether all of them hold.
func (vu *VU) check(call sobek.FunctionCall) sobek.Value {
	vu.notInInit("check")
	conditions, ok := call.Argument(1).(*sobek.Object)
	if !ok {
		vu.throwType("check: want an object of conditions, got %s", call.Argument(1))
	}
	tags := vu.tagsOf("check", call.Argument(2))
	all := true
	for _, name := range conditions.Keys() {
		holds, err := vu.holds(name, conditions.Get(name), call.Argument(0))
		vu.passInterrupt(err)
		value := 0.0
		if holds {
			value = 1
		}
		vu.Emit(vu.program.builtins.checks, value, mergeTags(tags, map[string]string{"check": name}))
		if err != nil {
			panic(err)
		}
		all = all && holds
	}
	return vu.rt.ToValue(all)
}

// holds evaluates one condition: a function of the value, or a value.
func (vu *VU) holds(name string, condition, value sobek.Value) (bool, error) {
	fn, ok := sobek.AssertFunction(condition)
	if !ok {
		return condition.ToBoolean(), nil
	}
	result, err := fn(sobek.Undefined(), value)
	if err != nil {
		return false, err
	}
	if _, ok := asPromise(result); ok {
		vu.throwType("check %q: an async function is not supported, its promise would always count as true", name)
	}
	return result.ToBoolean(), nil
}

// runGroup is group(name, fn): it calls fn, tags what is emitted meanwhile
// with the group's path, and measures it.
func (vu *VU) runGroup(call sobek.FunctionCall) sobek.Value {
	vu.notInInit("group")
	name := call.Argument(0).String()
	if strings.Contains(name, groupSeparator) {
		vu.throwType("group: the name must not contain %q, got %q", groupSeparator, name)
	}
	fn, ok := sobek.AssertFunction(call.Argument(1))
	if !ok {
		vu.throwType("group %q: want a function, got %s", name, call.Argument(1))
	}
	leave := vu.enterGroup(vu.group + groupSeparator + name)
	defer leave()
	start := vu.program.clock.Now()
	result, err := fn(sobek.Undefined())
	vu.passInterrupt(err)
	vu.Emit(vu.program.builtins.group, millis(vu.program.clock.Since(start)), nil)
	if err != nil {
		panic(err)
	}
	if _, ok := asPromise(result); ok {
		vu.throwType("group %q: an async function is not supported", name)
	}
	return result
}

// sleep is sleep(seconds).
func (vu *VU) sleep(call sobek.FunctionCall) sobek.Value {
	vu.notInInit("sleep")
	seconds := call.Argument(0).ToFloat()
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		vu.throwType("sleep: want a number of seconds, got %s", call.Argument(0))
	}
	pause := time.Duration(seconds * float64(time.Second))
	err := vu.Block(func(ctx context.Context) error { return vu.program.clock.Sleep(ctx, pause) })
	if err != nil {
		vu.Throw(err, "", nil) // only a stop ends a pause early, and the runtime is interrupted
	}
	return sobek.Undefined()
}

// fail is fail(message): it throws an Error.
func (vu *VU) fail(call sobek.FunctionCall) sobek.Value {
	message := "fail() was called"
	if given := call.Argument(0); !sobek.IsUndefined(given) {
		message = given.String()
	}
	panic(vu.plainError(message))
}

// randomSeed is randomSeed(n). In an iteration it lasts until the next one,
// which has its own seed again; in init code it lasts for the VU's whole life.
func (vu *VU) randomSeed(call sobek.FunctionCall) sobek.Value {
	vu.random = rand.New(rand.NewPCG(uint64(call.Argument(0).ToInteger()), 0))
	if vu.inInit {
		vu.scriptSeeded = true
	}
	return sobek.Undefined()
}

// plainError makes an Error that stands for no Go error.
func (vu *VU) plainError(message string) *sobek.Object {
	object := vu.rt.NewGoError(errors.New(message))
	if err := object.Delete("value"); err != nil {
		panic(err) // unreachable: the property was just set
	}
	define(object, "name", vu.rt.ToValue("Error"))
	return object
}

// passInterrupt lets an interrupt go on its way before anything is measured.
func (vu *VU) passInterrupt(err error) {
	if err != nil && vu.ctx.Err() != nil {
		panic(err)
	}
}

// notInInit throws when the script is still in its init code.
func (vu *VU) notInInit(name string) {
	if vu.inInit {
		vu.throwType("%s must not be called in init code", name)
	}
}

// tagsOf reads an object of tags; undefined and null mean none.
func (vu *VU) tagsOf(where string, v sobek.Value) map[string]string {
	if sobek.IsUndefined(v) || sobek.IsNull(v) {
		return nil
	}
	object, ok := v.(*sobek.Object)
	if !ok {
		vu.throwType("%s: want an object of tags, got %s", where, v)
	}
	keys := object.Keys()
	tags := make(map[string]string, len(keys))
	for _, key := range keys {
		tags[key] = object.Get(key).String()
	}
	return tags
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
