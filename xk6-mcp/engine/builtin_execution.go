package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/grafana/sobek"
)

// executionModule is the built-in module "k6/execution". All of its properties
// are read when the script reads them.
type executionModule struct{}

// Name implements Module.
func (executionModule) Name() string { return "k6/execution" }

// Instantiate implements Module.
func (executionModule) Instantiate(vu *VU) (map[string]any, error) {
	return map[string]any{
		"instance": vu.instanceInfo(),
		"scenario": vu.scenarioInfo(),
		"vu":       vu.vuInfo(),
		"test":     vu.testInfo(),
	}, nil
}

// getters makes an object whose properties are computed on every read.
func (vu *VU) getters(list map[string]func() any) *sobek.Object {
	object := vu.rt.NewObject()
	for _, name := range slices.Sorted(maps.Keys(list)) {
		read := list[name]
		getter := vu.Value(name, func(sobek.FunctionCall) sobek.Value { return vu.rt.ToValue(read()) })
		if err := object.DefineAccessorProperty(name, getter, nil, sobek.FLAG_FALSE, sobek.FLAG_TRUE); err != nil {
			panic(err) // unreachable: the object is fresh
		}
	}
	return object
}

// underWay returns the run, and throws where there is none yet.
func (vu *VU) underWay(what string) *run {
	if vu.inInit || vu.run == nil {
		vu.throwType("%s is not known in init code", what)
	}
	return vu.run
}

func (vu *VU) instanceInfo() *sobek.Object {
	sum := func(count func(s *scenarioRun) int64) func() any {
		return func() any {
			total := int64(0)
			for _, s := range vu.underWay("exec.instance").scenarios {
				total += count(s)
			}
			return total
		}
	}
	return vu.getters(map[string]func() any{
		"iterationsCompleted":   sum(func(s *scenarioRun) int64 { return s.completed.Load() }),
		"iterationsInterrupted": sum(func(s *scenarioRun) int64 { return s.cutShort.Load() }),
		"vusActive":             func() any { return vu.underWay("exec.instance").running.Load() },
		"vusInitialized":        func() any { return vu.underWay("exec.instance").made.Load() },
		"currentTestRunDuration": func() any {
			r := vu.underWay("exec.instance")
			if r.started.IsZero() { // in setup
				return 0
			}
			return millis(vu.program.clock.Since(r.started))
		},
	})
}

func (vu *VU) scenarioInfo() *sobek.Object {
	of := func(read func(s *scenarioRun) any) func() any {
		return func() any {
			if vu.inInit || vu.scenario == nil {
				vu.throwType("exec.scenario is not known in init code, setup and teardown")
			}
			return read(vu.scenario)
		}
	}
	number := func(*scenarioRun) any { return vu.iteration.InTest }
	return vu.getters(map[string]func() any{
		"name":                of(func(s *scenarioRun) any { return s.Name }),
		"executor":            of(func(s *scenarioRun) any { return s.Executor }),
		"startTime":           of(func(s *scenarioRun) any { return s.begun.Load().UnixMilli() }),
		"progress":            of(func(s *scenarioRun) any { return s.share() }),
		"iterationInInstance": of(number),
		"iterationInTest":     of(number),
	})
}

func (vu *VU) vuInfo() *sobek.Object {
	tags := vu.rt.NewDynamicObject(&tagObject{vu})
	id := func() any { return vu.id }
	nth := func() any { return vu.iteration.InVU }
	metrics := vu.getters(map[string]func() any{
		"tags": func() any { return tags },
		"metadata": func() any {
			vu.Throw(notSupported("exec.vu.metrics.metadata", []string{"exec.vu.metrics.tags"}), "", nil)
			return nil
		},
	})
	return vu.getters(map[string]func() any{
		"idInInstance":        id,
		"idInTest":            id,
		"iterationInInstance": nth,
		"iterationInScenario": nth,
		"metrics":             func() any { return metrics },
		"tags":                func() any { return tags },
	})
}

func (vu *VU) testInfo() *sobek.Object {
	object := vu.getters(map[string]func() any{"options": func() any { return vu.optionsValue() }})
	setOwn(object, "abort", vu.Value("abort", vu.abortTest))
	setOwn(object, "fail", vu.Value("fail", vu.failTest))
	return object
}

// optionsValue is the script's options after all shortcuts, as they would be
// declared in full.
func (vu *VU) optionsValue() sobek.Value {
	if vu.run == nil {
		vu.throwType("exec.test.options is not known while the script is being loaded")
	}
	text, err := json.Marshal(vu.program.Options())
	if err == nil {
		var v sobek.Value
		if v, err = vu.json("parse", vu.rt.ToValue(string(text))); err == nil {
			return v
		}
	}
	panic(err)
}

// abortTest is exec.test.abort(message?): it ends the iteration at once, in a
// way that the script cannot catch, and the run as a stop from outside does.
func (vu *VU) abortTest(call sobek.FunctionCall) sobek.Value {
	vu.quit = withMessage(ErrAborted, call.Argument(0))
	if vu.run != nil {
		vu.run.stop(vu.quit)
	}
	vu.rt.Interrupt(vu.quit)
	return sobek.Undefined()
}

// failTest is exec.test.fail(message?): the run goes on, and has failed.
func (vu *VU) failTest(call sobek.FunctionCall) sobek.Value {
	vu.underWay("exec.test.fail").mark(withMessage(ErrFailed, call.Argument(0)))
	return sobek.Undefined()
}

func withMessage(kind error, message sobek.Value) error {
	if sobek.IsUndefined(message) {
		return kind
	}
	return fmt.Errorf("%w: %s", kind, message)
}

// tagObject is exec.vu.metrics.tags: the tags of the VU's samples. What the
// script sets stays for the VU's whole life.
type tagObject struct{ vu *VU }

var _ sobek.DynamicObject = (*tagObject)(nil)

// Get implements sobek.DynamicObject.
func (t *tagObject) Get(key string) sobek.Value {
	if value, ok := t.vu.tags[key]; ok {
		return t.vu.rt.ToValue(value)
	}
	return nil
}

// Set implements sobek.DynamicObject. A tag is a string, a number or a boolean.
func (t *tagObject) Set(key string, v sobek.Value) bool {
	if _, isObject := v.(*sobek.Object); isObject || sobek.IsUndefined(v) || sobek.IsNull(v) {
		t.vu.refuseValue("exec.vu.metrics.tags.%s: want a string, a number or a boolean, got %s", key, v)
		return true
	}
	t.vu.own = mergeTags(t.vu.own, map[string]string{key: v.String()})
	t.vu.retag()
	return true
}

// Has implements sobek.DynamicObject.
func (t *tagObject) Has(key string) bool { _, ok := t.vu.tags[key]; return ok }

// Delete implements sobek.DynamicObject. Only what the script set can go.
func (t *tagObject) Delete(key string) bool {
	t.vu.own = maps.Clone(t.vu.own)
	delete(t.vu.own, key)
	t.vu.retag()
	return true
}

// Keys implements sobek.DynamicObject.
func (t *tagObject) Keys() []string { return slices.Sorted(maps.Keys(t.vu.tags)) }
