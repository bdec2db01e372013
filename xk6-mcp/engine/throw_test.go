package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/engine"
)

// refusal is a Go error as a module would throw it.
type refusal struct{ op string }

func (r *refusal) Error() string { return "refused " + r.op }

// thrower throws a refusal with properties.
func thrower() *probe {
	return &probe{on: func(vu *engine.VU, op string) sobek.Value {
		vu.Throw(&refusal{op}, "McpError", map[string]any{"told": "unknown", "op": op, "cause": map[string]any{"class": "reset"}})
		return nil
	}}
}

func TestThrownErrorsComeBack(t *testing.T) {
	tests := []struct {
		name, script, message string
		found                 bool
	}{
		{"uncaught", `call('o1')`, "McpError: refused o1", true},
		{"rethrown", `try { call('o1') } catch (e) { throw e }`, "McpError: refused o1", true},
		{"through finally", `try { call('o1') } finally { 1 }`, "McpError: refused o1", true},
		{"through a group", `group('g', () => call('o1'))`, "McpError: refused o1", true},
		{"through a check", `check(1, {a: () => call('o1')})`, "McpError: refused o1", true},
		{"through a promise", `return Promise.resolve().then(() => call('o1'))`, "McpError: refused o1", true},
		{"kept for later", `let kept; try { call('o1') } catch (e) { kept = e } throw kept`, "McpError: refused o1", true},
		{"as a cause", `try { call('o1') } catch (e) { throw new Error('outer', {cause: e}) }`, "Error: outer", true},
		{"caught", `try { call('o1') } catch (e) { }`, "", false},
		{"another error", `try { call('o1') } catch (e) { throw new TypeError('mine') }`, "TypeError: mine", false},
		{"a forged object", `throw {name: 'McpError', message: 'refused', told: 'unknown'}`, "[object Object]", false},
		{"a getter that throws", `throw {get cause() { throw 1 }}`, "[object Object]", false},
		{"a value that cannot be shown", `throw {toString() { throw 1 }}`, "a value that cannot be shown", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := outcome(t, `import {call} from 'k6/x/probe'; import {check, group} from 'k6'; export default function () { `+tt.script+` }`, engine.RunOptions{}, thrower())
			var found *refusal
			if errors.As(got.Err, &found) != tt.found || tt.found && found.op != "o1" {
				t.Errorf("errors.As gives %v, want found %v", found, tt.found)
			}
			switch {
			case tt.message == "" && got.Err != nil:
				t.Errorf("err %v", got.Err)
			case tt.message != "" && (got.Exception == nil || got.Exception.Message != tt.message):
				t.Errorf("exception %+v, want %s", got.Exception, tt.message)
			case tt.found && (got.Exception.GoErr == nil || got.Exception.File != "main.js"):
				t.Errorf("exception %+v", got.Exception)
			}
		})
	}
}

func TestThrownErrorsLookLikeErrors(t *testing.T) {
	got := outcome(t, `import {call} from 'k6/x/probe'; export default function () {
		try { call('o1') } catch (e) {
			return [e instanceof Error, e.name, e.message, e.told, e.op, e.cause.class, Object.keys(e).join('+'), String(e), e.value === undefined, e.stack.includes('main.js:2')].join()
		} }`, engine.RunOptions{}, thrower())
	if want := "true,McpError,refused o1,unknown,o1,reset,cause+op+told,McpError: refused o1,true,true"; got.Err != nil || got.Value.String() != want {
		t.Errorf("got  %v %v\nwant %s", got.Value, got.Err, want)
	}
}

func TestModuleErrorKeepsItsKindInInitCode(t *testing.T) {
	unknownRole := errors.Join(engine.ErrConfig, errors.New("no such server"))
	module := &probe{on: func(vu *engine.VU, _ string) sobek.Value { vu.Throw(unknownRole, "", nil); return nil }}
	_, err := files(t, engine.LoadOptions{Modules: []engine.Module{module}}, "main.js", `import {call} from 'k6/x/probe'; call('')`)
	if engine.ExitCode(err) != 104 || !strings.Contains(err.Error(), "no such server") {
		t.Errorf("%v", err)
	}
}

// TestModuleExports goes through the kinds of export that a module can have.
func TestModuleExports(t *testing.T) {
	module := &probe{exports: func(vu *engine.VU) map[string]any {
		return map[string]any{
			"default": map[string]any{
				"nested":  map[string]any{"n": 3},
				"typed":   func(n int) int { return n + 1 },
				"failing": func() (int, error) { return 0, errors.New("go") },
			},
			"Class": func(call sobek.ConstructorCall) *sobek.Object {
				if err := call.This.Set("x", call.Argument(0)); err != nil {
					panic(err)
				}
				return nil
			},
			"id": vu.ID(),
		}
	}}
	got := outcome(t, `import probe, {Class, id, call} from 'k6/x/probe';
		export default function () {
			let thrown; try { probe.failing() } catch (e) { thrown = e.name }
			return [probe.nested.n, probe.typed(1), new Class(5).x, Class.name, call.name, id, thrown].join() }`, engine.RunOptions{}, module)
	if want := "3,2,5,Class,call,1,GoError"; got.Err != nil || got.Value.String() != want {
		t.Errorf("got %v %v, want %s", got.Value, got.Err, want)
	}
}
