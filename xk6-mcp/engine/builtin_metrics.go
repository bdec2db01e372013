package engine

import (
	"fmt"
	"math"
	"reflect"

	"github.com/grafana/sobek"
)

// metricsModule is the built-in module "k6/metrics".
type metricsModule struct{}

// Name implements Module.
func (metricsModule) Name() string { return "k6/metrics" }

// Instantiate implements Module.
func (metricsModule) Instantiate(vu *VU) (map[string]any, error) {
	add := vu.Value("add", vu.addToMetric)
	classes := make(map[string]any, 4)
	for name, kind := range map[string]MetricType{"Counter": Counter, "Gauge": Gauge, "Rate": Rate, "Trend": Trend} {
		classes[name] = vu.metricClass(name, kind, add)
	}
	return classes, nil
}

// metricClass makes the class of one type of metric: new Trend(name, isTime?)
// with the property name and the method add.
func (vu *VU) metricClass(class string, kind MetricType, add sobek.Value) *sobek.Object {
	construct := func(call sobek.ConstructorCall) *sobek.Object {
		if !vu.inInit {
			vu.throwType("new %s: metrics must be declared in init code", class)
		}
		name := call.Argument(0).String()
		m, err := vu.program.metrics.register(name, kind, call.Argument(1).ToBoolean())
		if err != nil {
			vu.Throw(err, "TypeError", nil)
		}
		if vu.metrics == nil {
			vu.metrics = make(map[*sobek.Object]*Metric)
		}
		vu.metrics[call.This] = m
		setOwn(call.This, "name", vu.rt.ToValue(name))
		return nil
	}
	object := vu.Value(class, construct).(*sobek.Object)
	define(object.Get("prototype").(*sobek.Object), "add", add)
	return object
}

// addToMetric is metric.add(value, tags?).
func (vu *VU) addToMetric(call sobek.FunctionCall) sobek.Value {
	object, _ := call.This.(*sobek.Object)
	m := vu.metrics[object]
	if m == nil {
		vu.throwType("add: called on something that is no metric")
	}
	if vu.inInit {
		vu.throwType("metric %q: add must not be called in init code", m.name)
	}
	value, ok := sampleValue(call.Argument(0))
	if !ok {
		vu.refuseValue("metric %q: want a finite number or a boolean, got %s", m.name, call.Argument(0))
		return sobek.Undefined()
	}
	vu.Emit(m, value, vu.tagsOf("metric "+m.name, call.Argument(1)))
	return sobek.Undefined()
}

// refuseValue throws when the options say so, and otherwise warns: the value is
// left out.
func (vu *VU) refuseValue(format string, args ...any) {
	if vu.program.declared.rest.Throw {
		vu.throwType(format, args...)
	}
	vu.say(LevelWarn, fmt.Sprintf(format, args...))
}

func sampleValue(v sobek.Value) (float64, bool) {
	if t := v.ExportType(); t != nil && t.Kind() == reflect.Bool {
		if v.ToBoolean() {
			return 1, true
		}
		return 0, true
	}
	value := v.ToFloat()
	return value, sobek.IsNumber(v) && !math.IsNaN(value) && !math.IsInf(value, 0)
}
