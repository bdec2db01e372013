package engine

import (
	"fmt"
	"sync"

	"github.com/grafana/sobek"
)

// sharedArrays are the arrays of a program that all VUs share, as the JSON of
// their elements.
type sharedArrays struct {
	mu     sync.Mutex
	byName map[string][]string
}

// dataModule is the built-in module "k6/data".
type dataModule struct{}

// Name implements Module.
func (dataModule) Name() string { return "k6/data" }

// Instantiate implements Module.
func (dataModule) Instantiate(vu *VU) (map[string]any, error) {
	vu.freezer, _ = sobek.AssertFunction(vu.rt.Get("Object").(*sobek.Object).Get("freeze"))
	class := vu.Value("SharedArray", vu.newSharedArray).(*sobek.Object)
	prototype := class.Get("prototype").(*sobek.Object)
	array := vu.rt.Get("Array").(*sobek.Object).Get("prototype").(*sobek.Object)
	if err := prototype.SetPrototype(array); err != nil {
		return nil, err
	}
	return map[string]any{"SharedArray": class}, nil
}

// newSharedArray is new SharedArray(name, fn). The function runs once in the
// program's life; every read of an element gives a copy of its own, frozen through
// and through, so that no change of it is lost in silence.
func (vu *VU) newSharedArray(call sobek.ConstructorCall) *sobek.Object {
	if !vu.inInit {
		vu.throwType("new SharedArray: shared arrays must be made in init code")
	}
	name := call.Argument(0).String()
	fn, ok := sobek.AssertFunction(call.Argument(1))
	if name == "" || !ok {
		vu.throwType("new SharedArray: want a name and a function, got %q and %s", name, call.Argument(1))
	}
	if vu.sharing {
		vu.throwType("SharedArray %q: must not be made inside the function of another", name)
	}
	array := vu.rt.NewDynamicArray(&sharedArray{vu, name, vu.shared(name, fn)})
	if err := array.SetPrototype(call.This.Prototype()); err != nil {
		panic(err)
	}
	return array
}

// shared returns the elements of a name, and makes them when it is new.
func (vu *VU) shared(name string, fn sobek.Callable) []string {
	arrays := &vu.program.shared
	arrays.mu.Lock()
	defer arrays.mu.Unlock()
	if elements, ok := arrays.byName[name]; ok {
		return elements
	}
	vu.sharing = true
	defer func() { vu.sharing = false }()
	result, err := fn(sobek.Undefined())
	if err != nil {
		panic(err)
	}
	elements := vu.elements(name, result)
	if arrays.byName == nil {
		arrays.byName = make(map[string][]string)
	}
	arrays.byName[name] = elements
	return elements
}

func (vu *VU) elements(name string, v sobek.Value) []string {
	object, ok := v.(*sobek.Object)
	if !ok || object.ClassName() != "Array" {
		vu.throwType("SharedArray %q: want the function to return an array, got %s", name, v)
	}
	elements := make([]string, object.Get("length").ToInteger())
	for i := range elements {
		text, err := vu.stringify(object.Get(fmt.Sprint(i)))
		if err != nil {
			vu.throwType("SharedArray %q: element %d is no JSON: %s", name, i, err)
		}
		if text == "" {
			text = "null"
		}
		elements[i] = text
	}
	return elements
}

// sharedArray is a VU's view of a shared array.
type sharedArray struct {
	vu       *VU
	name     string
	elements []string
}

var _ sobek.DynamicArray = (*sharedArray)(nil)

// Len implements sobek.DynamicArray.
func (a *sharedArray) Len() int { return len(a.elements) }

// Get implements sobek.DynamicArray.
func (a *sharedArray) Get(i int) sobek.Value {
	if i < 0 || i >= len(a.elements) {
		return nil
	}
	v, err := a.vu.json("parse", a.vu.rt.ToValue(a.elements[i]))
	if err != nil {
		panic(err)
	}
	a.vu.freeze(v)
	return v
}

// Set implements sobek.DynamicArray: shared arrays are read-only.
func (a *sharedArray) Set(int, sobek.Value) bool { return a.refuse() }

// SetLen implements sobek.DynamicArray: shared arrays are read-only.
func (a *sharedArray) SetLen(int) bool { return a.refuse() }

// refuse throws what a change of the array is.
func (a *sharedArray) refuse() bool {
	a.vu.throwType("SharedArray %q is read-only: change a copy, such as Array.from(it)", a.name)
	return false
}

// freeze makes a value that was read from JSON read-only, with all that is in it.
func (vu *VU) freeze(v sobek.Value) {
	object, ok := v.(*sobek.Object)
	if !ok {
		return
	}
	for _, key := range object.Keys() {
		vu.freeze(object.Get(key))
	}
	if _, err := vu.freezer(sobek.Undefined(), object); err != nil {
		panic(err)
	}
}
