package engine_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/dlclark/regexp2"
	"github.com/grafana/sobek"
	"go.uber.org/goleak"

	"mcpstorm/xk6-mcp/engine"
)

func TestMain(m *testing.M) {
	regexp2.StopTimeoutClock()
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

// files loads main.js of a set of files, given as name, text, name, text.
func files(t *testing.T, o engine.LoadOptions, pairs ...string) (*engine.Program, error) {
	t.Helper()
	system := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		system[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	o.FS = system
	return engine.Load(pairs[0], o)
}

// load loads one script that must be right.
func load(t *testing.T, script string, modules ...engine.Module) *engine.Program {
	t.Helper()
	p, err := files(t, engine.LoadOptions{Modules: modules}, "main.js", script)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return p
}

// run runs a program that must end cleanly.
func run(t *testing.T, p *engine.Program, o engine.RunOptions) *engine.Result {
	t.Helper()
	result, err := p.Run(context.Background(), o)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return result
}

// printed runs a script for one iteration and returns what it printed. An
// exception is printed too.
func printed(t *testing.T, pairs ...string) string {
	t.Helper()
	var out bytes.Buffer
	p, err := files(t, engine.LoadOptions{Console: &out}, pairs...)
	if err != nil {
		return "load: " + err.Error()
	}
	run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(_ *engine.VU, r engine.IterationResult) bool {
		if r.Err != nil {
			out.WriteString("threw " + r.Err.Error())
		}
		return false
	}}})
	return strings.TrimSpace(out.String())
}

// probe is a module for tests: k6/x/probe.
type probe struct {
	mu    sync.Mutex
	calls map[string][]string
	// on is called by probe.call(name) inside the VU.
	on func(vu *engine.VU, name string) sobek.Value
	// exports are added to the module's own.
	exports func(vu *engine.VU) map[string]any
}

func (p *probe) Name() string { return "k6/x/probe" }

func (p *probe) Instantiate(vu *engine.VU) (map[string]any, error) {
	exports := map[string]any{
		"note": func(call sobek.FunctionCall) sobek.Value {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.calls == nil {
				p.calls = make(map[string][]string)
			}
			key := call.Argument(0).String()
			p.calls[key] = append(p.calls[key], call.Argument(1).String())
			return sobek.Undefined()
		},
		"call": func(call sobek.FunctionCall) sobek.Value {
			if p.on == nil {
				return sobek.Undefined()
			}
			return p.on(vu, call.Argument(0).String())
		},
	}
	if p.exports != nil {
		for name, v := range p.exports(vu) {
			exports[name] = v
		}
	}
	return exports, nil
}

func (p *probe) noted(key string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[key]
}
