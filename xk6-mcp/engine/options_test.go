package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpstorm/xk6-mcp/engine"
)

const twoFunctions = "export default function () {}\nexport function other() {}\n"

func withOptions(options string) string { return twoFunctions + "export const options = " + options }

// scenario is a scenario with the documented defaults.
func scenario(name, executor string, vus int, iterations int64) engine.Scenario {
	return engine.Scenario{
		Name: name, Executor: executor, VUs: vus, Iterations: iterations,
		MaxDuration: 10 * time.Minute, GracefulStop: 30 * time.Second, Exec: "default",
	}
}

func TestOptions(t *testing.T) {
	full := scenario("z", engine.PerVUIterations, 3, 4)
	full.MaxDuration, full.GracefulStop, full.StartTime = 90*time.Second, 0, 1500*time.Millisecond
	full.Exec, full.Env, full.Tags = "other", map[string]string{"A": "1"}, map[string]string{"b": "2"}
	overridden := full
	overridden.VUs = 2
	fullText := `{scenarios: {z: {executor: 'per-vu-iterations', vus: 3, iterations: 4, maxDuration: '1m30s', gracefulStop: 0,
		startTime: 1500, exec: 'other', env: {A: '1'}, tags: {b: '2'}}, a: {executor: 'shared-iterations'}}}`
	tests := []struct {
		name   string
		script string
		flags  string
		want   []engine.Scenario
	}{
		{"nothing", twoFunctions, "", []engine.Scenario{scenario("default", engine.SharedIterations, 1, 1)}},
		{"vus and iterations", withOptions("{vus: 3, iterations: 7}"), "", []engine.Scenario{scenario("default", engine.SharedIterations, 3, 7)}},
		{"vus alone", withOptions("{vus: 3}"), "", []engine.Scenario{scenario("default", engine.SharedIterations, 3, 3)}},
		{"iterations alone", withOptions("{iterations: 7}"), "", []engine.Scenario{scenario("default", engine.SharedIterations, 1, 7)}},
		{"scenarios in order", withOptions(fullText), "", []engine.Scenario{full, scenario("a", engine.SharedIterations, 1, 1)}},
		{"duration", withOptions("{vus: 3, duration: '2s'}"), "vus=2", []engine.Scenario{{
			Name: "default", Executor: engine.ConstantVUs, VUs: 2, Duration: 2 * time.Second, GracefulStop: 30 * time.Second, Exec: "default",
		}}},
		{"duration and iterations", withOptions("{iterations: 5, duration: 2000}"), "", []engine.Scenario{{
			Name: "default", Executor: engine.SharedIterations, VUs: 1, Iterations: 5, MaxDuration: 2 * time.Second, GracefulStop: 30 * time.Second, Exec: "default",
		}}},
		{"stages", withOptions("{stages: [{duration: '1m', target: 7}, {duration: 0, target: 0}], vus: 4}"), "", []engine.Scenario{{
			Name: "default", Executor: engine.RampingVUs, VUs: 7, StartVUs: 4, Stages: []engine.Stage{{Duration: time.Minute, Target: 7}, {}},
			GracefulStop: 30 * time.Second, GracefulRampDown: 30 * time.Second, Exec: "default",
		}}},
		{"arrival rate", withOptions("{scenarios: {s: {executor: 'constant-arrival-rate', rate: 5, duration: '2s', preAllocatedVUs: 1}}}"), "vus=2", []engine.Scenario{{
			Name: "s", Executor: engine.ConstantArrivalRate, Rate: 5, Duration: 2 * time.Second, TimeUnit: time.Second, VUs: 2, MaxVUs: 2, GracefulStop: 30 * time.Second, Exec: "default",
		}}},
		{"a shortcut replaces scenarios", withOptions("{scenarios: {s: {executor: 'constant-vus', duration: '2s'}, t: {executor: 'shared-iterations'}}}"), "duration=1m", []engine.Scenario{
			{Name: "default", Executor: engine.ConstantVUs, VUs: 1, Duration: time.Minute, GracefulStop: 30 * time.Second, Exec: "default"},
		}},
		{"override a duration that is not there", withOptions("{vus: 2}"), "duration=1m", []engine.Scenario{{
			Name: "default", Executor: engine.ConstantVUs, VUs: 2, Duration: time.Minute, GracefulStop: 30 * time.Second, Exec: "default",
		}}},
		{"override nothing", twoFunctions, "vus=2", []engine.Scenario{scenario("default", engine.SharedIterations, 2, 2)}},
		{"override vus keeps iterations", withOptions("{vus: 3, iterations: 7}"), "vus=2", []engine.Scenario{scenario("default", engine.SharedIterations, 2, 7)}},
		{"override iterations", withOptions("{vus: 3}"), "iterations=5", []engine.Scenario{scenario("default", engine.SharedIterations, 3, 5)}},
		{"override every scenario", withOptions(fullText), "vus=2", []engine.Scenario{overridden, scenario("a", engine.SharedIterations, 2, 1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layered(t, tt.script, nil, settings(t, tt.flags))
			if diff := cmp.Diff(tt.want, p.Options().Scenarios, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOptionsRefused(t *testing.T) {
	scenarioOf := func(fields string) string { return "{scenarios: {x: {" + fields + "}}}" }
	tests := []struct{ name, options, want string }{
		{"unknown executor", scenarioOf("executor: 'externally-controlled'"), `not supported yet: executor "externally-controlled" in scenario "x"; known: shared-iterations, per-vu-iterations, constant-vus`},
		{"mistyped executor", scenarioOf("executor: 'constant-vu', duration: '1s'"), `; did you mean "constant-vus"?`},
		{"mistyped option", "{threshold: {}}", `not supported yet: option "threshold"; known: scenarios, thresholds, vus, iterations, duration, stages, setupTimeout, teardownTimeout, handleSummaryTimeout, tags, summaryTrendStats, summaryTimeUnit, systemTags, minIterationDuration, throw, noSetup, noTeardown, noThresholds; did you mean "thresholds"?`},
		{"option in the wrong case", scenarioOf("executor: 'constant-arrival-rate', preallocatedVUs: 1"), `did you mean "preAllocatedVUs"?`},
		{"option of another executor", scenarioOf("executor: 'constant-vus', rate: 1"), `not supported yet: option "rate" in scenario "x"; known: executor, gracefulStop, startTime, exec, env, tags, vus, duration`},
		{"duration missing", scenarioOf("executor: 'constant-vus'"), `scenario "x": duration is missing: constant-vus needs duration`},
		{"rate missing", scenarioOf("executor: 'constant-arrival-rate', duration: '1s', preAllocatedVUs: 1"), `rate is missing: constant-arrival-rate needs rate, duration, preAllocatedVUs`},
		{"stages missing", scenarioOf("executor: 'ramping-vus'"), `stages is missing`},
		{"no duration", scenarioOf("executor: 'constant-vus', duration: 0"), `duration: want more than zero, got 0`},
		{"no stages", "{stages: []}", "options.stages: want a list of {duration, target}, got []"},
		{"stages without time", "{stages: [{duration: 0, target: 5}]}", "options.stages: want stages that take some time"},
		{"stage without target", "{stages: [{duration: 1}]}", "options.stages[0]: want both duration and target"},
		{"mistyped stage", "{stages: [{duration: 1, taget: 1}]}", `option "taget" in options.stages[0]; known: duration, target; did you mean "target"?`},
		{"negative target", "{stages: [{duration: 1, target: -1}]}", "options.stages[0].target: want at least 0, got -1"},
		{"no VU at all", "{scenarios: {x: {executor: 'ramping-vus', startVUs: 0, stages: [{duration: 1, target: 0}]}}}", "no stage asks for a VU"},
		{"stages and duration", "{stages: [{duration: 1, target: 1}], duration: '1s'}", "stages cannot be combined with iterations or duration"},
		{"too few maxVUs", scenarioOf("executor: 'ramping-arrival-rate', stages: [{duration: 1, target: 1}], preAllocatedVUs: 5, maxVUs: 4"), `maxVUs: want at least preAllocatedVUs, 5, got 4`},
		{"no executor", scenarioOf("vus: 1"), `scenario "x": executor is missing`},
		{"unknown option", "{paused: true}", `not supported yet: option "paused"; known: scenarios, thresholds`},
		{"unknown scenario option", scenarioOf("executor: 'shared-iterations', rate: 3"), `not supported yet: option "rate" in scenario "x"; known: executor`},
		{"no scenarios", "{scenarios: {}}", "want at least one scenario"},
		{"both forms", "{vus: 1, scenarios: {x: {executor: 'shared-iterations'}}}", "scenarios cannot be combined with vus, iterations, duration or stages"},
		{"zero vus", scenarioOf("executor: 'shared-iterations', vus: 0"), `scenario "x": vus: want at least 1, got 0`},
		{"half a vu", "{vus: 1.5}", "options.vus: want a whole number, got 1.5"},
		{"text for a number", "{iterations: '5'}", `options.iterations: want a whole number, got "5"`},
		{"bad duration", scenarioOf("executor: 'shared-iterations', maxDuration: 'soon'"), `maxDuration: want a duration such as "1m30s", got "soon"`},
		{"negative duration", "{setupTimeout: -1}", "options.setupTimeout: want a duration of zero or more, got -1"},
		{"no function", scenarioOf("executor: 'shared-iterations', exec: 'gone'"), `scenario "x": the script exports no function "gone"`},
		{"empty function", scenarioOf("executor: 'shared-iterations', exec: ''"), `the script exports no function ""`},
		{"number in env", scenarioOf("executor: 'shared-iterations', env: {A: 1}"), `env: want an object of strings`},
		{"options are a list", "[]", "options: want an object, got []"},
		{"unknown trend stat", "{summaryTrendStats: ['mode']}", `a trend has no "mode"; known: avg, min, max, med, p(N), count`},
		{"threshold syntax", "{thresholds: {checks: ['rate is 1']}}", `threshold "checks": want a condition such as "p(95)<200", got "rate is 1"`},
		{"threshold number", "{thresholds: {checks: ['rate>x']}}", `want a number, got "x"`},
		{"threshold brace", "{thresholds: {'checks{a:b': ['rate>0']}}", "want a closing brace"},
		{"threshold tag", "{thresholds: {'checks{a}': ['rate>0']}}", `want tag:value, got "a"`},
		{"threshold abort", "{thresholds: {checks: [{threshold: 'rate>0', abortOnFail: 1}]}}", `threshold "checks": abortOnFail: want true or false, got 1`},
		{"threshold delay", "{thresholds: {checks: [{threshold: 'rate>0', delayAbortEval: 'x'}]}}", `threshold "checks": delayAbortEval: want a duration, got "x"`},
		{"mistyped threshold option", "{thresholds: {checks: [{threshold: 'rate>0', abortOnFial: true}]}}", `did you mean "abortOnFail"?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := files(t, engine.LoadOptions{}, "main.js", withOptions(tt.options))
			if !errors.Is(err, engine.ErrConfig) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if code := engine.ExitCode(err); code != 104 {
				t.Errorf("exit code %d, want 104", code)
			}
		})
	}
}

// TestOptionsRoundTrip loads what MarshalJSON wrote, and expects the same.
func TestOptionsRoundTrip(t *testing.T) {
	p := load(t, withOptions(`{scenarios: {
			a: {executor: 'constant-vus', vus: 3, duration: '1m'},
			b: {executor: 'ramping-vus', startVUs: 0, stages: [{duration: '10s', target: 5}], gracefulRampDown: '1s'},
			c: {executor: 'constant-arrival-rate', rate: 7, duration: '3s', timeUnit: '1m', preAllocatedVUs: 2},
			d: {executor: 'ramping-arrival-rate', startRate: 1, stages: [{duration: '4s', target: 9}, {duration: 0, target: 0}], preAllocatedVUs: 1, maxVUs: 8},
			e: {executor: 'per-vu-iterations', env: {A: 'b'}, tags: {c: 'd'}},
		}, thresholds: {checks: ['rate>0.5', {threshold: 'rate>0.1', abortOnFail: true, delayAbortEval: '5s'}]}}`))
	raw, err := json.Marshal(p.Options())
	if err != nil {
		t.Fatal(err)
	}
	again := load(t, withOptions(string(raw)))
	unexported := cmp.AllowUnexported(engine.Threshold{})
	byContent := cmp.FilterPath(func(p cmp.Path) bool {
		field, ok := p.Last().(cmp.StructField)
		return ok && strings.ToLower(field.Name()[:1]) == field.Name()[:1]
	}, cmp.Ignore())
	if diff := cmp.Diff(p.Options(), again.Options(), unexported, byContent); diff != "" {
		t.Error(diff)
	}
}

func TestPlanned(t *testing.T) {
	tests := []struct {
		name, fields string
		want         int64
	}{
		{"constant VUs", "executor: 'constant-vus', duration: '1s'", -1},
		{"ramping VUs", "executor: 'ramping-vus', stages: [{duration: '1s', target: 1}]", -1},
		{"1000 a second", "executor: 'constant-arrival-rate', rate: 1000, duration: '5s', preAllocatedVUs: 1", 5000},
		{"one every 3 s", "executor: 'constant-arrival-rate', rate: 1, timeUnit: '3s', duration: '10s', preAllocatedVUs: 1", 4},
		{"7 a minute for 30 s", "executor: 'constant-arrival-rate', rate: 7, timeUnit: '1m', duration: '30s', preAllocatedVUs: 1", 4},
		{"ramp", "executor: 'ramping-arrival-rate', stages: [{duration: '3s', target: 2000}, {duration: '3s', target: 0}], preAllocatedVUs: 1", 6000},
		{"jumps", "executor: 'ramping-arrival-rate', startRate: 10, stages: [{duration: '1s', target: 10}, {duration: 0, target: 50}, {duration: '1s', target: 50}], preAllocatedVUs: 1", 60},
		{"nothing arrives", "executor: 'ramping-arrival-rate', stages: [{duration: '1s', target: 0}], preAllocatedVUs: 1", 0},
		{"a huge rate", "executor: 'constant-arrival-rate', rate: 30000, duration: '240h', preAllocatedVUs: 1", 25_920_000_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := load(t, withOptions("{scenarios: {s: {"+tt.fields+"}}}"))
			if got := p.Options().Scenarios[0].Planned(); got != tt.want {
				t.Errorf("planned %d, want %d", got, tt.want)
			}
		})
	}
}

func TestOptionsMarshalAsDeclared(t *testing.T) {
	p := load(t, withOptions(`{scenarios: {b: {executor: 'shared-iterations'}, a: {executor: 'per-vu-iterations', vus: 2}},
		thresholds: {checks: ['rate>0.5', 'rate<=1'], iterations: ['count>0']}}`))
	raw, err := json.Marshal(p.Options())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"scenarios":{"b":{"executor":"shared-iterations","vus":1,"iterations":1,"maxDuration":"10m0s","gracefulStop":"30s","startTime":"0s","exec":"default"},` +
		`"a":{"executor":"per-vu-iterations","vus":2,"iterations":1,"maxDuration":"10m0s","gracefulStop":"30s","startTime":"0s","exec":"default"}},` +
		`"thresholds":{"checks":["rate\u003e0.5","rate\u003c=1"],"iterations":["count\u003e0"]},"setupTimeout":"1m0s","teardownTimeout":"1m0s","handleSummaryTimeout":"2m0s",` +
		`"summaryTrendStats":["avg","min","med","max","p(90)","p(95)"]}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
}

func TestExport(t *testing.T) {
	p := load(t, twoFunctions+`export const storm = {b: 1, a: [true, null], f() {}}; export let nothing;`)
	if raw, ok := p.Export("storm"); !ok || string(raw) != `{"b":1,"a":[true,null]}` {
		t.Errorf("storm = %s, %v", raw, ok)
	}
	for _, name := range []string{"nothing", "other", "missing"} {
		if raw, ok := p.Export(name); ok {
			t.Errorf("%s = %s, want no export", name, raw)
		}
	}
}

func TestDigest(t *testing.T) {
	digest := func(pairs ...string) string {
		p, err := files(t, engine.LoadOptions{}, pairs...)
		if err != nil {
			t.Fatal(err)
		}
		return p.SHA256()
	}
	script := twoFunctions + "import './lib.js'"
	base := digest("a/main.js", script, "a/lib.js", "1")
	if moved := digest("b/x.js", script, "b/lib.js", "1"); moved != base {
		t.Error("the digest depends on the path")
	}
	if changed := digest("a/main.js", script, "a/lib.js", "2"); changed == base {
		t.Error("the digest does not see a changed import")
	}
}

func FuzzOptions(f *testing.F) {
	f.Add(`{"vus":1}`)
	f.Add(`{"scenarios":{"x":{"executor":"shared-iterations","maxDuration":"1s"}}}`)
	f.Add(`{"stages":[{"duration":"1s","target":5},{"duration":0,"target":0}],"vus":2}`)
	f.Add(`{"scenarios":{"x":{"executor":"ramping-arrival-rate","startRate":3,"stages":[{"duration":9,"target":1}],"preAllocatedVUs":1,"maxVUs":2}}}`)
	f.Add(`{"scenarios":{"x":{"executor":"constant-arrival-rate","rate":9007199254740991,"timeUnit":0.000001,"duration":"1h","preAllocatedVUs":1}}}`)
	f.Add(`{"thresholds":{"checks{a:b,c:d}":["p(95)<1",{"threshold":"rate>0"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return // a script cannot export it
		}
		_, err := engine.Load("main.js", engine.LoadOptions{Source: []byte("export default () => {}; export const options = JSON.parse(" + quote(text) + ")")})
		if err != nil && !errors.Is(err, engine.ErrConfig) && !errors.Is(err, engine.ErrScript) {
			t.Errorf("%v", err)
		}
	})
}

func quote(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// Options for HTTP requests stop no script: one warning names them all.
func TestOptionsForHTTP(t *testing.T) {
	script := "export const options = {userAgent: 'x', discardResponseBodies: true, hosts: {'a': '127.0.0.1'}, vus: 3}; export default () => {}"
	below := []engine.Layer{{{Option: "userAgent", Value: json.RawMessage(`"y"`), Source: "config file c.json"}}}
	p, err := files(t, engine.LoadOptions{Below: below}, "main.js", script)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"options for k6/http, which does not exist here, change nothing: discardResponseBodies, hosts, userAgent"}
	if diff := cmp.Diff(want, p.Warnings()); diff != "" || p.Options().Scenarios[0].VUs != 3 {
		t.Errorf("%d VUs, warnings: %s", p.Options().Scenarios[0].VUs, diff)
	}
}
