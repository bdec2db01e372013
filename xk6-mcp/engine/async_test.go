package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/engine"
)

// gates is a module whose call(name) starts a call that ends once open(name) has
// been called, or with its context.
type gates struct {
	mu    sync.Mutex
	gates map[string]chan struct{}
	begun chan string // a call has begun to wait
	done  []string
}

func (g *gates) gate(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gates[name] == nil {
		g.gates[name] = make(chan struct{})
	}
	return g.gates[name]
}

func (g *gates) Name() string { return "k6/x/gates" }

func (g *gates) Instantiate(vu *engine.VU) (map[string]any, error) {
	return map[string]any{
		"open": func(call sobek.FunctionCall) sobek.Value {
			close(g.gate(call.Argument(0).String()))
			return sobek.Undefined()
		},
		"call": func(call sobek.FunctionCall) sobek.Value { return g.call(vu, call.Argument(0).String()) },
	}, nil
}

func (g *gates) call(vu *engine.VU, name string) sobek.Value {
	ended := ""
	return vu.Async(engine.AsyncCall{
		Work: func(ctx context.Context) {
			if name == "panic" {
				panic("a bug")
			}
			if g.begun != nil {
				g.begun <- name
			}
			select {
			case <-g.gate(name):
				ended = name
			case <-ctx.Done():
				ended = name + " cut"
			}
		},
		Done: func() { g.done = append(g.done, ended) },
		Value: func() (any, *sobek.Object) {
			if strings.HasPrefix(name, "bad") {
				return nil, vu.NewError(errors.New(name), "BadError", nil)
			}
			return name, nil
		},
	})
}

func TestAsync(t *testing.T) {
	tests := []struct{ name, body, want, done string }{
		{"awaited", `const p = call('a'); open('a'); return await p`, "a", "a"},
		{"two at once, the second first", `const a = call('a'), b = call('b'); open('b');
			const first = await Promise.race([a, b]); open('a'); return first + await a`, "ba", "b a"},
		{"all", `const p = Promise.all([call('a'), call('b')]); open('b'); open('a'); return (await p).join('')`, "ab", "any"},
		{"not awaited", `call('a'); open('a'); return 'over'`, "over", "a"},
		{"opened by a timer", `setTimeout(() => open('a'), 1); return await call('a')`, "a", "a"},
		{"a timer due meanwhile", `let s = ''; setTimeout(() => { s += 't'; open('a') }, 1); const a = await call('a'); return s + a`, "ta", "a"},
		{"caught", `open('bad'); try { await call('bad') } catch (e) { return e.name + ' ' + e.message }`, "BadError bad", "bad"},
		{"escaped", `open('bad'); await call('bad')`, "threw BadError: bad", "bad"},
		{"nobody looks at the rejection", `open('bad'); call('bad'); return 1`, "threw BadError: bad", "bad"},
		{"thrown meanwhile: the call is followed to its end", `call('a'); open('a'); throw new Error('x')`, "threw Error: x", "a"},
		{"panicked", `await call('panic')`, "threw engine: native code panicked: a bug", ""},
		{"panicked after a throw", `call('panic'); throw 1`, "threw engine: native code panicked: a bug", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			module := &gates{gates: map[string]chan struct{}{}}
			got := outcome(t, `import {call, open} from 'k6/x/gates'; export default async function () { `+tt.body+` }`, engine.RunOptions{}, module)
			text := ""
			switch {
			case got.Exception != nil:
				text = "threw " + got.Exception.Message
			case got.Err != nil:
				text = "threw " + got.Err.Error()
			default:
				text = got.Value.String()
			}
			done := strings.Join(module.done, " ")
			if text != tt.want || (done != tt.done && tt.done != "any") {
				t.Errorf("%q, done %q; want %q, %q", text, done, tt.want, tt.done)
			}
		})
	}
}

// TestAsyncIsInterrupted stops the run while a call waits: it is still done, and
// the script does not go on.
func TestAsyncIsInterrupted(t *testing.T) {
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	module := &gates{gates: map[string]chan struct{}{}, begun: make(chan string)}
	go func() {
		<-module.begun
		cancel()
	}()
	got := outcome(t, `import {call, open} from 'k6/x/gates'; export default async function () { await call('a'); call('b') }`,
		engine.RunOptions{Stop: stop}, module)
	if !got.Interrupted || strings.Join(module.done, " ") != "a cut" {
		t.Errorf("%+v, done %q", got, module.done)
	}
}
