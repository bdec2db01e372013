package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// refusedGlobals are functions of k6 and of other hosts that a script may look
// for. Calling one says so, instead of "not defined".
var refusedGlobals = []string{"require"}

var knownGlobals = []string{
	"__ENV", "__VU", "__ITER", "console", "global", "open", "setTimeout", "setInterval", "clearTimeout", "clearInterval",
}

// consoleLevels are the methods of console.
var consoleLevels = []struct {
	method string
	level  Level
}{
	{"log", LevelInfo}, {"info", LevelInfo}, {"debug", LevelDebug}, {"warn", LevelWarn}, {"error", LevelError},
}

// installGlobals defines the globals of the dialect.
func (vu *VU) installGlobals() {
	env := vu.rt.NewObject()
	for _, key := range slices.Sorted(maps.Keys(vu.env)) {
		setOwn(env, key, vu.rt.ToValue(vu.env[key]))
	}
	vu.setGlobal("__ENV", env)
	vu.setGlobal("__VU", vu.id)
	vu.setGlobal("__ITER", 0)
	vu.setGlobal("global", vu.rt.GlobalObject())
	vu.setGlobal("console", vu.console())
	vu.setGlobal("open", vu.Value("open", vu.open))
	for name, fn := range vu.timerFunctions() {
		vu.setGlobal(name, vu.Value(name, fn))
	}
	for _, name := range refusedGlobals {
		vu.setGlobal(name, vu.refusal(name))
	}
	vu.rt.SetImportModuleDynamically(vu.refuseImport)
}

// setGlobal sets a global. It can fail only for __ITER, in a script that froze
// its own globals and so asked to keep the old value.
func (vu *VU) setGlobal(name string, v any) { _ = vu.rt.Set(name, v) }

// refusal is a global that is not there yet.
func (vu *VU) refusal(name string) func(sobek.FunctionCall) sobek.Value {
	return func(sobek.FunctionCall) sobek.Value {
		vu.Throw(notSupported(fmt.Sprintf("function %q", name), knownGlobals), "", nil)
		return nil
	}
}

// refuseImport is import(), which is not there yet.
func (vu *VU) refuseImport(referrer any, specifier sobek.Value, payload any) {
	err := notSupported(fmt.Sprintf("import(%q)", specifier), []string{"import … from"})
	vu.rt.FinishLoadingImportModule(referrer, specifier, payload, nil, vu.NewError(err, "", nil))
}

// console makes the console. Its lines go to LoadOptions.Console.
func (vu *VU) console() *sobek.Object {
	methods := make(map[string]any, len(consoleLevels))
	for _, level := range consoleLevels {
		methods[level.method] = func(call sobek.FunctionCall) sobek.Value {
			vu.print(level.level, call.Arguments)
			return sobek.Undefined()
		}
	}
	return vu.Value("console", methods).(*sobek.Object)
}

// print writes the values that the script gave.
func (vu *VU) print(level Level, args []sobek.Value) {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = vu.show(arg)
	}
	vu.say(level, strings.Join(words, " "))
}

// say writes one line. Init code runs once more for every VU, so only its first
// run, while loading, is shown.
func (vu *VU) say(level Level, text string) {
	if vu.inInit && vu.output != nil {
		return
	}
	vu.program.console.line(ConsoleLine{vu.program.clock.Now(), level, text})
}

// show is a value as console prints it: objects as JSON, errors by their stack.
func (vu *VU) show(v sobek.Value) string {
	object, ok := v.(*sobek.Object)
	if !ok {
		return v.String()
	}
	if _, callable := sobek.AssertFunction(v); callable || object.ClassName() == "Error" {
		return v.String()
	}
	text, err := object.MarshalJSON()
	if err != nil {
		return v.String()
	}
	return string(text)
}
