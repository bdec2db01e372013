package community_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"mcpstorm/xk6-mcp/community"
	"mcpstorm/xk6-mcp/engine"
)

// module exports the classes alone, as k6/x/mcp does among others.
type module struct{ clients *community.Clients }

func (module) Name() string { return "k6/x/mcp" }

func (m module) Instantiate(vu *engine.VU) (map[string]any, error) {
	classes, err := m.clients.Exports(vu)
	return map[string]any{"default": classes}, err
}

// console is what scripts and server processes print. It calls then once on is
// there.
type console struct {
	on   string
	then func()

	mu   sync.Mutex
	text bytes.Buffer
}

func (c *console) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(data)
	if c.on != "" && strings.Contains(c.text.String(), c.on) {
		c.on = ""
		c.then()
	}
	return len(data), nil
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// ran is what became of a script.
type ran struct {
	*engine.Result
	samples []engine.Sample
	printed string
}

// run runs a script to its end. The module is imported by it already.
func run(t *testing.T, script string) ran {
	t.Helper()
	r, err := runUntil(t, t.Context(), &console{}, script)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func runUntil(t *testing.T, stop context.Context, printed *console, script string) (ran, error) {
	t.Helper()
	clients := community.New(community.Options{Console: printed})
	program, err := engine.Load("script.js", engine.LoadOptions{
		Source: []byte("import mcp from 'k6/x/mcp';\n" + script), Modules: []engine.Module{module{clients}}, Console: printed,
	})
	if err != nil {
		return ran{}, err
	}
	var samples []engine.Sample
	result, err := program.Run(context.WithoutCancel(stop), engine.RunOptions{
		Stop: stop, Hooks: engine.Hooks{Sample: func(s engine.Sample) { samples = append(samples, s) }},
	})
	clients.Close()
	return ran{result, samples, printed.String()}, err
}

// counted adds up the samples of a metric by their method.
func (r ran) counted(metric string) map[string]float64 {
	sums := map[string]float64{}
	for _, s := range r.samples {
		if s.Metric.Name() == metric {
			sums[s.Tags["method"]] += s.Value
		}
	}
	return sums
}

// failure is the one way in which iterations failed.
func (r ran) failure(t *testing.T) string {
	t.Helper()
	if len(r.Errors) != 1 {
		t.Fatalf("%d kinds of error, want 1: %+v\n%s", len(r.Errors), r.Errors, r.printed)
	}
	return r.Errors[0].Text
}

// wantAll fails the test unless a text holds all parts.
func wantAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}
