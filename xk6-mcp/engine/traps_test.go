package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/engine"
)

// outcome runs one iteration of a script and returns how it ended.
func outcome(t *testing.T, script string, o engine.RunOptions, modules ...engine.Module) engine.IterationResult {
	t.Helper()
	var got engine.IterationResult
	p := load(t, script, modules...)
	o.Hooks.After = func(_ *engine.VU, r engine.IterationResult) bool { got = r; return false }
	if _, err := p.Run(t.Context(), o); err != nil && !errors.Is(err, engine.ErrStopped) {
		t.Fatal(err)
	}
	return got
}

func TestEndlessRecursionIsBounded(t *testing.T) {
	got := outcome(t, `export default () => { const f = () => f(); try { f() } catch (e) { } }`, engine.RunOptions{})
	if got.Exception == nil || !strings.Contains(got.Exception.Message, "maximum call stack") {
		t.Errorf("%+v", got)
	}
}

func TestCatastrophicRegexpIsBounded(t *testing.T) {
	got := outcome(t, `export default () => /(?!z)^(a+)+$/.test('a'.repeat(40) + '!')`, engine.RunOptions{})
	if got.Err != nil || got.Value.ToBoolean() || got.Duration > 10*time.Second {
		t.Errorf("%+v", got)
	}
}

// TestBusyScriptsAreInterrupted stops scripts that never wait. The stop comes
// once the script is inside its loop.
func TestBusyScriptsAreInterrupted(t *testing.T) {
	tests := []struct{ name, script string }{
		{"loop", `for (;;) {}`},
		{"loop that catches", `for (;;) { try { throw 1 } catch (e) {} finally {} }`},
		{"finally", `try { for (;;) {} } finally { call('late') }`},
		{"microtasks", `const again = () => Promise.resolve().then(again); again()`},
		{"inside a check", `check(1, {a: () => { for (;;) {} }})`},
		{"inside a group", `group('g', () => { for (;;) {} })`},
		{"async", `return (async () => { await null; for (;;) {} })()`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stop, cancel := context.WithCancel(t.Context())
			defer cancel()
			var late atomic.Bool
			module := &probe{on: func(_ *engine.VU, name string) sobek.Value {
				late.Store(name == "late")
				cancel()
				return sobek.Undefined()
			}}
			got := outcome(t, `import {call} from 'k6/x/probe'; import {check, group} from 'k6';
				export default function () { call('now'); `+tt.script+` }`, engine.RunOptions{Stop: stop}, module)
			if !got.Interrupted || !errors.Is(got.Err, engine.ErrInterrupted) || late.Load() {
				t.Errorf("%+v, late %v", got, late.Load())
			}
		})
	}
}

func TestBusyInitCodeIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	module := &probe{on: func(*engine.VU, string) sobek.Value { cancel(); return sobek.Undefined() }}
	_, err := files(t, engine.LoadOptions{Context: ctx, Modules: []engine.Module{module}}, "main.js",
		`import {call} from 'k6/x/probe'; call(''); for (;;) {}`)
	if !errors.Is(err, engine.ErrStopped) {
		t.Errorf("%v", err)
	}
}

// TestBlockCannotBeSurvived lets a native ignore that its wait was cut short:
// the script must not go on, and must not be able to catch it.
func TestBlockCannotBeSurvived(t *testing.T) {
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	var later atomic.Int32
	module := &probe{on: func(vu *engine.VU, name string) sobek.Value {
		if name == "later" {
			later.Add(1)
			return sobek.Undefined()
		}
		cancel()
		_ = vu.Block(func(ctx context.Context) error { <-ctx.Done(); return nil })
		return vu.Runtime().ToValue("fine")
	}}
	got := outcome(t, `import {call} from 'k6/x/probe';
		export default function () { try { call('wait'); call('later') } catch (e) { call('later') } finally { call('later') } }`,
		engine.RunOptions{Stop: stop}, module)
	if !got.Interrupted || later.Load() != 0 {
		t.Errorf("%+v, %d calls went on", got, later.Load())
	}
}

func TestBlockInInitCode(t *testing.T) {
	var got error
	module := &probe{on: func(vu *engine.VU, _ string) sobek.Value {
		if vu.InInit() && vu.Context() == nil {
			got = vu.Block(func(context.Context) error { return nil })
		}
		return sobek.Undefined()
	}}
	load(t, `import {call} from 'k6/x/probe'; call(''); export default () => {}`, module)
	if !errors.Is(got, engine.ErrInit) {
		t.Errorf("%v", got)
	}
}

// TestGoPanicCostsOneIteration checks that a VU goes on with a new runtime
// after native code has panicked.
func TestGoPanicCostsOneIteration(t *testing.T) {
	cause := errors.New("a bug")
	module := &probe{on: func(vu *engine.VU, _ string) sobek.Value {
		if vu.Iteration().InTest == 1 {
			panic(cause)
		}
		return sobek.Undefined()
	}}
	p := load(t, `import {call} from 'k6/x/probe'; let n = 0; export const options = {iterations: 3};
		export function setup() { return 7 }
		export default (data) => { call(''); return data * 10 + ++n }`, module)
	var values []string
	var failed []error
	result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(_ *engine.VU, r engine.IterationResult) bool {
		if r.Err != nil {
			failed = append(failed, r.Err)
			return false
		}
		values = append(values, r.Value.String())
		return false
	}}})
	if got := strings.Join(values, " "); got != "71 71" {
		t.Errorf("values %s, want 71 71: the second from a new runtime", got)
	}
	if len(failed) != 1 || !errors.Is(failed[0], engine.ErrPanic) || !errors.Is(failed[0], cause) {
		t.Errorf("failed %v", failed)
	}
	if len(result.Errors) != 1 || !strings.Contains(result.Errors[0].Stack, "traps_test.go") {
		t.Errorf("errors %+v, want the Go stack", result.Errors)
	}
}

func TestGoPanicWhileLoading(t *testing.T) {
	module := &probe{on: func(*engine.VU, string) sobek.Value { panic("a bug") }}
	_, err := files(t, engine.LoadOptions{Modules: []engine.Module{module}}, "main.js", `import {call} from 'k6/x/probe'; call('')`)
	if !errors.Is(err, engine.ErrPanic) || !errors.Is(err, engine.ErrScript) {
		t.Errorf("%v", err)
	}
}

// TestStacksAreReadable looks for the names of natives and no program counters.
func TestStacksAreReadable(t *testing.T) {
	module := &probe{on: func(vu *engine.VU, _ string) sobek.Value {
		vu.Throw(errors.New("no"), "", nil)
		return nil
	}}
	p, err := files(t, engine.LoadOptions{Modules: []engine.Module{module}}, "main.js",
		"import {group} from 'k6';\nimport {inner} from './lib.js';\nexport default function work() {\n  group('g', inner);\n}",
		"lib.js", "import {call} from 'k6/x/probe';\nexport function inner() {\n  call('');\n}")
	if err != nil {
		t.Fatal(err)
	}
	var got *engine.Exception
	run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(_ *engine.VU, r engine.IterationResult) bool { got = r.Exception; return false }}})
	want := "at call (native)\nat inner (lib.js:3:7)\nat group (native)\nat work (main.js:4:8)"
	if got == nil || !strings.HasPrefix(got.Stack, want) {
		t.Errorf("%+v\nwant %s", got, want)
	}
}
