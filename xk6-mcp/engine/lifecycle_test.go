package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

func TestSetupDataIsCopied(t *testing.T) {
	module := &probe{}
	p := load(t, `import {note} from 'k6/x/probe';
		export const options = {scenarios: {s: {executor: 'per-vu-iterations', vus: 3, iterations: 2}}};
		export async function setup() { return {n: 1, f() {}} }
		export default function (data) { data.n += 1; note('vu', data.n + typeof data.f) }
		export function teardown(data) { note('teardown', JSON.stringify(data) + __VU) }`, module)
	run(t, p, engine.RunOptions{})
	got := module.noted("vu")
	slices.Sort(got)
	if want := strings.Fields("2undefined 2undefined 2undefined 3undefined 3undefined 3undefined"); !slices.Equal(got, want) {
		t.Errorf("VUs saw %q, want %q", got, want)
	}
	if got := module.noted("teardown"); !slices.Equal(got, []string{`{"n":1}0`}) {
		t.Errorf("teardown saw %q", got)
	}
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		name, script string
		kind         error
		code         int
		ran          string // what noted that it ran
	}{
		{"clean", `export default () => note('ran', 'vu')`, nil, 0, "vu"},
		{"an exception in an iteration", `export default () => { note('ran', 'vu'); null.x }`, nil, 0, "vu"},
		{"setup throws", `export function setup() { throw new Error('s') } export default () => note('ran', 'vu'); export function teardown() { note('ran', 'teardown') }`, engine.ErrScript, 107, ""},
		{"setup hangs", `export const options = {setupTimeout: '2s'}; export function setup() { sleep(60) } export default () => note('ran', 'vu')`, engine.ErrSetupTimeout, 100, ""},
		{"teardown throws", `export default () => note('ran', 'vu'); export function teardown() { throw 1 }`, engine.ErrScript, 107, "vu"},
		{"teardown hangs", `export const options = {teardownTimeout: 500}; export default () => note('ran', 'vu'); export function teardown() { sleep(60) }`, engine.ErrTeardownTimeout, 101, "vu"},
		{"setup result is no JSON", `export function setup() { const a = {}; a.a = a; return a } export default () => note('ran', 'vu')`, engine.ErrScript, 107, ""},
		{"init of a VU throws", `if (__VU > 0) throw new Error('only here'); export default () => note('ran', 'vu')`, engine.ErrScript, 107, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				module := &probe{}
				p := load(t, `import {note} from 'k6/x/probe'; import {sleep} from 'k6'; `+tt.script, module)
				result, err := p.Run(t.Context(), engine.RunOptions{})
				if !errors.Is(err, tt.kind) || engine.ExitCode(err) != tt.code {
					t.Errorf("err %v, code %d, want %v, %d", err, engine.ExitCode(err), tt.kind, tt.code)
				}
				if got := strings.Join(module.noted("ran"), " "); got != tt.ran {
					t.Errorf("ran %q, want %q", got, tt.ran)
				}
				if result == nil {
					t.Error("no result")
				}
			})
		})
	}
}

func TestExitCodeOrder(t *testing.T) {
	tests := []struct {
		err  error
		code int
	}{
		{nil, 0},
		{errors.New("other"), 2},
		{errors.Join(engine.ErrTeardownTimeout, engine.ErrStopped), 105},
		{errors.Join(engine.ErrScript, fmt.Errorf("x: %w", engine.ErrConfig)), 104},
		{errors.Join(engine.ErrSetupTimeout, engine.ErrScript), 107},
	}
	for _, tt := range tests {
		if code := engine.ExitCode(tt.err); code != tt.code {
			t.Errorf("ExitCode(%v) = %d, want %d", tt.err, code, tt.code)
		}
	}
}

func TestStopDuringSetup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {sleep} from 'k6'; export function setup() { sleep(30) } export default () => {}`)
		stop, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, err := p.Run(t.Context(), engine.RunOptions{Stop: stop})
		if !errors.Is(err, engine.ErrStopped) || !result.Stopped || result.Scenarios[0].Dropped != 1 {
			t.Errorf("err %v, result %+v", err, result)
		}
	})
}

func TestStopAfterTheLastIterationIsNoStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {sleep} from 'k6'; export default () => {}; export function teardown() { sleep(10) }`)
		stop, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if result, err := p.Run(t.Context(), engine.RunOptions{Stop: stop}); err != nil || result.Stopped {
			t.Errorf("err %v", err)
		}
	})
}

func TestInitCodePrintsOnce(t *testing.T) {
	var out bytes.Buffer
	p, err := files(t, engine.LoadOptions{Console: &out}, "main.js", `console.log('init'); export const options = {vus: 5}; export default () => {}; export function setup() {}`)
	if err != nil {
		t.Fatal(err)
	}
	run(t, p, engine.RunOptions{})
	if out.String() != "init\n" {
		t.Errorf("printed %q, want one line", out.String())
	}
}

// An exception out of a nested call says how it was reached.
func TestErrorNamesItsCallers(t *testing.T) {
	p := load(t, "const c = (x) => x.y.z;\nfunction b(x) { return [x].map(c); }\nexport default function () { b({}); }")
	result := run(t, p, engine.RunOptions{})
	want := "main.js:1:22: TypeError: Cannot read property 'z' of undefined; called from b (main.js:2:31), default (main.js:3:31)"
	if len(result.Errors) != 1 || result.Errors[0].Text != want {
		t.Errorf("got %+v, want %q", result.Errors, want)
	}
}

// TestRunTwice runs one program twice, as the arms of a run do.
func TestRunTwice(t *testing.T) {
	p := load(t, `import {Counter} from 'k6/metrics'; const c = new Counter('c'); let n = 0;
		export const options = {vus: 2, iterations: 4}; export default () => c.add(++n)`)
	first, second := run(t, p, engine.RunOptions{}), run(t, p, engine.RunOptions{})
	for _, r := range []*engine.Result{first, second} {
		if got := summary(t, r, "iterations")["count"]; got != 4 {
			t.Errorf("iterations %v, want 4", got)
		}
	}
}

func TestErrorsAreCountedTogether(t *testing.T) {
	p := load(t, "export const options = {iterations: 5};\nexport default () => {\n  if (__ITER % 2) throw new Error('odd');\n  null.x;\n}")
	result := run(t, p, engine.RunOptions{})
	if result.Scenarios[0].Failed != 5 || len(result.Errors) != 2 {
		t.Fatalf("failed %d, errors %+v", result.Scenarios[0].Failed, result.Errors)
	}
	if e := result.Errors[0]; e.Count != 3 || !strings.HasPrefix(e.Text, "main.js:4:8: TypeError") || e.Stack == "" {
		t.Errorf("%+v", e)
	}
}
