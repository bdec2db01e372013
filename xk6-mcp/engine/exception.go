package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// goErrorKey is the hidden property that ties a thrown object to its Go error.
var goErrorKey = sobek.NewSymbol("engine.goError")

// maxCauses bounds how far a chain of causes is followed.
const maxCauses = 8

// Exception is what escaped from a script.
type Exception struct {
	// Message is the thrown value as a string: "TypeError: x is not a function".
	Message string
	// Stack is one frame a line, innermost first, without the message.
	Stack string
	// File, Line and Column are the innermost frame in a script, Line and
	// Column from 1; File is empty when there is none.
	File         string
	Line, Column int
	// GoErr is the error that a module threw with VU.Throw, also when the
	// script caught it and threw it again, or threw another Error with it as
	// its cause. It is nil for an exception of the script's own.
	GoErr error
}

// Error returns the position and the message.
func (e *Exception) Error() string {
	if e.File == "" {
		return e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// maxCallers bounds how many callers a message names.
const maxCallers = 5

// callers is the end of a message about an exception out of a nested call: who
// called the function that threw, the innermost first. It is empty when the
// outermost function threw itself.
func (e *Exception) callers() string {
	var frames []string
	for frame := range strings.SplitSeq(e.Stack, "\n") {
		if !strings.HasSuffix(frame, " (native)") {
			frames = append(frames, strings.TrimPrefix(frame, "at "))
		}
	}
	if len(frames) < 2 {
		return ""
	}
	return "; called from " + strings.Join(frames[1:min(len(frames), 1+maxCallers)], ", ")
}

// Unwrap returns GoErr.
func (e *Exception) Unwrap() error { return e.GoErr }

// boxedError keeps a Go error out of a script's reach while the script holds
// the object that stands for it.
type boxedError struct{ err error }

// NewError makes a JavaScript Error for err. Its name is name ("Error" when
// empty), its message is err's, and properties, which may be nil, become
// further own properties as VU.Value makes them. The Go error comes back as
// Exception.GoErr when the object is thrown and escapes.
func (vu *VU) NewError(err error, name string, properties map[string]any) *sobek.Object {
	object := vu.rt.NewGoError(err)
	if deleteErr := object.Delete("value"); deleteErr != nil {
		panic(deleteErr) // unreachable: the property was just set
	}
	if name == "" {
		name = "Error"
	}
	define(object, "name", vu.rt.ToValue(name))
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		setOwn(object, key, vu.Value(key, properties[key]))
	}
	box := vu.rt.ToValue(&boxedError{err})
	if err := object.DefineDataPropertySymbol(goErrorKey, box, sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_FALSE); err != nil {
		panic(err) // unreachable: the object is fresh
	}
	return object
}

// Throw throws the Error that NewError makes. It does not return, and must be
// called from a function that the script called.
func (vu *VU) Throw(err error, name string, properties map[string]any) {
	panic(vu.NewError(err, name, properties))
}

// throwType throws a TypeError.
func (vu *VU) throwType(format string, args ...any) {
	panic(vu.rt.NewTypeError(append([]any{format}, args...)...))
}

// panicError is a Go panic that came out of a call into a script.
type panicError struct {
	value any
	stack string
}

func (e *panicError) Error() string { return fmt.Sprintf("%v: %v", ErrPanic, e.value) }

func (e *panicError) Unwrap() []error {
	if cause, ok := e.value.(error); ok {
		return []error{ErrPanic, cause}
	}
	return []error{ErrPanic}
}

// exception describes an error of the runtime; nil for any other error.
func (vu *VU) exception(err error) *Exception {
	var overflow *sobek.StackOverflowError
	var thrown *sobek.Exception
	switch {
	case errors.As(err, &overflow):
		return vu.describe("RangeError: maximum call stack size exceeded", overflow.Stack())
	case errors.As(err, &thrown):
		e := vu.describe(vu.text(thrown.Value()), thrown.Stack())
		e.GoErr = vu.goError(thrown.Value())
		return e
	}
	return nil
}

func (vu *VU) describe(message string, stack []sobek.StackFrame) *Exception {
	e := &Exception{Message: message}
	var text strings.Builder
	for _, frame := range stack {
		position := frame.Position()
		if position.Filename == "" {
			fmt.Fprintf(&text, "at %s (native)\n", frame.FuncName())
			continue
		}
		position.Column += vu.program.columnOffset(position.Filename)
		fmt.Fprintf(&text, "at %s (%s:%d:%d)\n", frame.FuncName(), position.Filename, position.Line, position.Column)
		if e.File == "" {
			e.File, e.Line, e.Column = position.Filename, position.Line, position.Column
		}
	}
	e.Stack = strings.TrimSuffix(text.String(), "\n")
	return e
}

// text is a thrown value as a string. Turning it into one may throw again.
func (vu *VU) text(v sobek.Value) (text string) {
	if ex := vu.rt.Try(func() { text = v.String() }); ex != nil {
		return "a value that cannot be shown"
	}
	return text
}

// goError finds the Go error behind a thrown value or one of its causes.
func (vu *VU) goError(v sobek.Value) (err error) {
	for range maxCauses {
		object, ok := v.(*sobek.Object)
		if !ok {
			return nil
		}
		ex := vu.rt.Try(func() {
			if box := object.GetSymbol(goErrorKey); box != nil {
				if boxed, ok := box.Export().(*boxedError); ok {
					err = boxed.err
				}
			}
			v = object.Get("cause")
		})
		if ex != nil || err != nil {
			return err
		}
	}
	return nil
}
