package engine

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/grafana/sobek"
)

// Module is a JavaScript module written in Go.
type Module interface {
	// Name is what a script imports, such as "k6/x/mcp".
	Name() string
	// Instantiate makes the exports for one VU. It is called while the VU is in
	// init code, from the goroutine that starts the VU, at most once for each
	// start of it, and must return the same names every time. The key "default"
	// is the default export; without it, the default export is an object of all
	// the others. See VU.Value for what the values can be.
	Instantiate(vu *VU) (map[string]any, error)
}

var _ sobek.ModuleRecord = (*goModule)(nil)

// goModule lets the JavaScript engine see a Module as a module record. One
// record is shared by all runtimes.
type goModule struct {
	program *Program
	module  Module
	names   []string // what it exports, known from its first instance
}

// Link implements sobek.ModuleRecord. There is nothing to link.
func (m *goModule) Link() error { return nil }

// ResolveExport implements sobek.ModuleRecord.
func (m *goModule) ResolveExport(name string, _ ...sobek.ResolveSetElement) (*sobek.ResolvedBinding, bool) {
	if !slices.Contains(m.names, name) {
		return nil, false
	}
	return &sobek.ResolvedBinding{Module: m, BindingName: name}, false
}

// GetExportedNames implements sobek.ModuleRecord.
func (m *goModule) GetExportedNames(callback func([]string), _ ...sobek.ModuleRecord) bool {
	callback(m.names)
	return true
}

// Evaluate implements sobek.ModuleRecord.
func (m *goModule) Evaluate(rt *sobek.Runtime) *sobek.Promise {
	promise, resolve, reject := rt.NewPromise()
	settle := resolve
	var result any
	if vu, ok := m.program.booting.Load(rt); !ok {
		settle, result = reject, fmt.Errorf("%w: module %q", ErrInit, m.module.Name())
	} else if instance, err := vu.(*VU).instance(m); err != nil {
		settle, result = reject, err
	} else {
		result = instance
	}
	if err := settle(result); err != nil {
		panic(err)
	}
	return promise
}

// goInstance is a module in one runtime. Exports become JavaScript values when
// they are first used.
type goInstance struct {
	vu      *VU
	exports map[string]any
	values  map[string]sobek.Value
}

// GetBindingValue implements sobek.ModuleInstance.
func (i *goInstance) GetBindingValue(name string) sobek.Value {
	if v, ok := i.values[name]; ok {
		return v
	}
	var v sobek.Value
	if export, ok := i.exports[name]; ok {
		v = i.vu.Value(name, export)
	} else if name == defaultExec {
		v = i.vu.Value(name, i.exports)
	}
	i.values[name] = v
	return v
}

// instance returns the VU's instance of a module and makes it when needed.
func (vu *VU) instance(m *goModule) (*goInstance, error) {
	if i := vu.instances[m]; i != nil {
		return i, nil
	}
	exports, err := m.module.Instantiate(vu)
	if err != nil {
		return nil, fmt.Errorf("module %q: %w", m.module.Name(), err)
	}
	if m.names == nil {
		m.names = exportedNames(exports)
	}
	i := &goInstance{vu: vu, exports: exports, values: make(map[string]sobek.Value, len(exports))}
	vu.instances[m] = i
	return i, nil
}

func exportedNames(exports map[string]any) []string {
	names := slices.Collect(maps.Keys(exports))
	if _, ok := exports[defaultExec]; !ok {
		names = append(names, defaultExec)
	}
	slices.Sort(names)
	return names
}

// Value makes a JavaScript value of a Go value. Functions of the raw
// signatures func(sobek.FunctionCall) sobek.Value and
// func(sobek.ConstructorCall) *sobek.Object get the name under which stack
// traces show them; a map[string]any becomes a plain object, value by value;
// a sobek.Value is itself, and anything else is as sobek's ToValue makes it.
// Other kinds of Go function work and are several times slower.
func (vu *VU) Value(name string, v any) sobek.Value {
	if members, ok := v.(map[string]any); ok {
		object := vu.rt.NewObject()
		for _, key := range slices.Sorted(maps.Keys(members)) {
			setOwn(object, key, vu.Value(key, members[key]))
		}
		return object
	}
	value := vu.rt.ToValue(v)
	if object, ok := value.(*sobek.Object); ok && reflect.TypeOf(v).Kind() == reflect.Func {
		define(object, "name", vu.rt.ToValue(name))
	}
	return value
}

// setOwn sets an enumerable property of an object that the engine itself made.
func setOwn(object *sobek.Object, key string, v sobek.Value) {
	if err := object.Set(key, v); err != nil {
		panic(err) // unreachable: the object is fresh and extensible
	}
}

// define sets a property that loops and JSON do not see.
func define(object *sobek.Object, key string, v sobek.Value) {
	if err := object.DefineDataProperty(key, v, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_FALSE); err != nil {
		panic(err) // unreachable: the property is configurable
	}
}
