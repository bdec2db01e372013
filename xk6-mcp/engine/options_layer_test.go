package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/xk6-mcp/engine"
)

// settings makes the layer of a command line: "vus=2 duration=1m".
func settings(t *testing.T, text string) engine.Layer {
	t.Helper()
	var layer engine.Layer
	for pair := range strings.FieldsSeq(text) {
		option, value, _ := strings.Cut(pair, "=")
		one, err := engine.Set(option, value, "--"+option+" "+value)
		if err != nil {
			t.Fatal(err)
		}
		layer = append(layer, one)
	}
	return layer
}

// layered loads a script that must be right, under and over other sources.
func layered(t *testing.T, script string, below engine.Layer, above ...engine.Layer) *engine.Program {
	t.Helper()
	p, err := files(t, engine.LoadOptions{Below: []engine.Layer{below}, Above: above}, "main.js", script)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return p
}

func TestPrecedence(t *testing.T) {
	config, err := engine.ConfigFile("conf.json", []byte(`{"vus": 2, "iterations": 2, "setupTimeout": "2s", "teardownTimeout": "2s", "tags": {"from": "config"}, "throw": true}`))
	if err != nil {
		t.Fatal(err)
	}
	environment, err := engine.Environment([]string{"K6_VUS=4", "K6_ITERATIONS=4", "HOME=/", "K6_DURATION=", "K6_SUMMARY_TREND_STATS=avg,p(99.9)"})
	if err != nil {
		t.Fatal(err)
	}
	p := layered(t, withOptions(`{vus: 3, iterations: 3, setupTimeout: '3s', tags: {mine: 'yes'}}`), config, environment, settings(t, "vus=5 systemTags=vu,iter"))
	o := p.Options()
	got := []any{o.Scenarios[0].VUs, o.Scenarios[0].Iterations, o.SetupTimeout, o.TeardownTimeout, o.SummaryTimeout, o.Tags, o.TrendStats, o.SystemTags, o.Throw}
	want := []any{5, int64(4), 3 * time.Second, 2 * time.Second, 2 * time.Minute, map[string]string{"mine": "yes"}, []string{"avg", "p(99.9)"}, []string{"vu", "iter"}, true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(p.Warnings()) > 0 {
		t.Errorf("warnings %q", p.Warnings())
	}
}

func TestShortcutsOverScenarios(t *testing.T) {
	two := `{scenarios: {a: {executor: 'per-vu-iterations', exec: 'other'}, b: {executor: 'constant-vus', duration: '1s'}},
		thresholds: {'checks{scenario:a}': ['rate>0'], 'checks{scenario:b}': ['rate>0'], checks: ['rate>0']}}`
	tests := []struct {
		name, options, flags string
		scenarios            []string
		vus                  int
		warning              string
	}{
		{"iterations", two, "iterations=5", []string{"default"}, 1, "--iterations 5: runs the function default in the place of the script's scenarios, a, b"},
		{"a duration and VUs", two, "duration=5s vus=7", []string{"default"}, 7, "--duration 5s --vus 7: runs"},
		{"stages", two, "stages=5s:3,1s:9", []string{"default"}, 9, "--stages 5s:3,1s:9: runs"},
		{"VUs alone", two, "vus=7", []string{"a", "b"}, 7, ""},
		{"stages that begin with none", two, "vus=0 stages=5s:3", []string{"default"}, 3, "--vus 0 --stages 5s:3: runs"},
		{"stages over iterations", "{vus: 2, iterations: 9}", "stages=1s:1", []string{"default"}, 2, ""},
		{"iterations over stages", "{vus: 2, stages: [{duration: '1s', target: 9}]}", "iterations=1", []string{"default"}, 2, ""},
		{"a duration over iterations", "{vus: 2, iterations: 9}", "duration=1s", []string{"default"}, 2, ""},
		{"nothing", two, "", []string{"a", "b"}, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layered(t, withOptions(tt.options), nil, settings(t, tt.flags))
			var names []string
			for _, s := range p.Options().Scenarios {
				names = append(names, s.Name)
			}
			if vus := p.Options().Scenarios[0].VUs; vus != tt.vus || !slices.Equal(names, tt.scenarios) {
				t.Errorf("scenarios %v with %d VUs, want %v with %d", names, vus, tt.scenarios, tt.vus)
			}
			if warnings := strings.Join(p.Warnings(), "\n"); (warnings == "") != (tt.warning == "") || !strings.Contains(warnings, tt.warning) || strings.Count(warnings, "left out") != 2*strings.Count(warnings, "runs") {
				t.Errorf("warnings %q, want %q", warnings, tt.warning)
			}
		})
	}
}

// A stronger source that bounds the work in one way leaves nothing of another.
func TestBoundsReplaceEachOther(t *testing.T) {
	tests := []struct {
		name, options, flags string
		want                 string
		duration             time.Duration
		iterations           int64
		maxDuration          time.Duration
	}{
		{"a duration over iterations", "{vus: 2, iterations: 9}", "duration=2s", engine.ConstantVUs, 2 * time.Second, 0, 0},
		{"iterations over a duration", "{vus: 2, duration: '2s'}", "iterations=9", engine.SharedIterations, 0, 9, 10 * time.Minute},
		{"both at once", "{vus: 2, iterations: 3, duration: '1s'}", "iterations=9 duration=2s", engine.SharedIterations, 0, 9, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := layered(t, withOptions(tt.options), nil, settings(t, tt.flags)).Options().Scenarios[0]
			if s.Executor != tt.want || s.VUs != 2 || s.Duration != tt.duration || s.Iterations != tt.iterations || s.MaxDuration != tt.maxDuration {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestChosenScenarios(t *testing.T) {
	script := withOptions(`{scenarios: {a: {executor: 'shared-iterations'}, b: {executor: 'shared-iterations'}},
		thresholds: {'checks{scenario:a}': ['rate>0'], 'checks{scenario:b}': ['rate>0'], checks: ['rate>0']}}`)
	p, err := files(t, engine.LoadOptions{Scenarios: []string{"b"}}, "main.js", script)
	if err != nil {
		t.Fatal(err)
	}
	o := p.Options()
	if len(o.Scenarios) != 1 || o.Scenarios[0].Name != "b" || len(o.Thresholds) != 2 {
		t.Errorf("scenarios %+v, thresholds %+v", o.Scenarios, o.Thresholds)
	}
	if want := []string{`threshold "checks{scenario:a}": left out, its scenario is not run`}; !slices.Equal(p.Warnings(), want) {
		t.Errorf("warnings %q", p.Warnings())
	}
}

func TestLayersRefused(t *testing.T) {
	set := func(option, text string) func() (engine.Layer, error) {
		return func() (engine.Layer, error) {
			one, err := engine.Set(option, text, "--"+option+" "+text)
			return engine.Layer{one}, err
		}
	}
	env := func(pairs ...string) func() (engine.Layer, error) {
		return func() (engine.Layer, error) { return engine.Environment(pairs) }
	}
	config := func(text string) func() (engine.Layer, error) {
		return func() (engine.Layer, error) { return engine.ConfigFile("conf.json", []byte(text)) }
	}
	ramp := `{scenarios: {s: {executor: 'ramping-vus', stages: [{duration: 1, target: 1}]}}}`
	tests := []struct {
		name, options string
		layer         func() (engine.Layer, error)
		only          []string
		want          string
	}{
		{"a word for a number", "{}", env("K6_VUS=abc"), nil, `K6_VUS=abc: options.vus: want a whole number, got "abc"`},
		{"no VU", "{}", set("vus", "0"), nil, `--vus 0: options.vus: want at least 1, got 0`},
		{"no iteration", "{}", set("iterations", "0"), nil, `--iterations 0: options.iterations: want at least 1`},
		{"no duration", "{}", set("duration", "0s"), nil, `--duration 0s: options.duration: want more than zero`},
		{"a stage without target", "{}", set("stages", "5x"), nil, `--stages 5x: want DURATION:TARGET such as 30s:10, got "5x"`},
		{"a stage without unit", "{}", set("stages", "5x:10"), nil, `--stages 5x:10: options.stages[0].duration: want a duration such as "1m30s", got "5x"`},
		{"neither true nor false", "{}", env("K6_THROW=perhaps"), nil, `K6_THROW=perhaps: want true or false, got "perhaps"`},
		{"a strange unit", "{}", set("summaryTimeUnit", "h"), nil, `--summaryTimeUnit h: options.summaryTimeUnit: no unit "h"; known: s, ms, us`},
		{"a strange tag", "{}", set("systemTags", "scenaro"), nil, `no tag "scenaro"; known: proto`},
		{"a strange statistic", "{}", env("K6_SUMMARY_TREND_STATS=avg,p(101)"), nil, `want p(N) with N from 0 to 100`},
		{"a strange option", "{}", set("vuss", "1"), nil, `not supported yet: option "vuss"; known: vus`},
		{"two ways at once", "{}", func() (engine.Layer, error) { return settings(t, "stages=1s:1 iterations=3"), nil }, nil, `--stages 1s:1 --iterations 3: options: stages cannot be combined`},
		{"VUs of a ramp", ramp, set("vus", "2"), nil, `--vus 2: scenario "s" takes its VUs from its stages`},
		{"a shortcut without default", "{}", config(`{"scenarios": {"x": {"executor": "shared-iterations", "exec": "gone"}}}`), nil, `exports no function "gone"`},
		{"a file that is no JSON", "{}", config(`{"vus": `), nil, `config file conf.json: unexpected end of JSON input`},
		{"a file that is a list", "{}", config(`[]`), nil, `config file conf.json: want an object`},
		{"an option of a file", "{}", config(`{"vsu": 1}`), nil, `config file conf.json: not supported yet: option "vsu"`},
		{"an executor of a file", "{}", config(`{"scenarios": {"x": {"executor": "constant-vu"}}}`), nil, `config file conf.json: not supported yet: executor "constant-vu"`},
		{"a scenario that is not there", "{scenarios: {reader: {executor: 'shared-iterations'}}}", env(), []string{"readers"}, `--scenario readers: no such scenario; known: reader; did you mean "reader"?`},
		{"a scenario of none", "{vus: 1}", env(), []string{"a"}, `--scenario a: the options declare no scenarios`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			layer, err := tt.layer()
			if err == nil {
				o := engine.LoadOptions{Above: []engine.Layer{layer}, Scenarios: tt.only}
				_, err = files(t, o, "main.js", withOptions(tt.options))
			}
			if !errors.Is(err, engine.ErrConfig) || !strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), "cannot run") != 1 {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestOptionErrorsSayWhere holds messages about a script's own options to the
// line on which the mistake is.
func TestOptionErrorsSayWhere(t *testing.T) {
	tests := []struct{ name, file, options, want string }{
		{"an option", "main.js", "{\n  vsu: 1,\n}", "main.js:4:3: not supported yet: option \"vsu\""},
		{"a scenario's option", "main.js", "{ scenarios: {\n x: { executor: 'constant-vus',\n  durration: '1s' } } }", "main.js:5:3: not supported yet: option \"durration\""},
		{"an executor", "main.js", "{ scenarios: {\n x: {\n 'executor': 'constant-vu' } } }", "main.js:5:2: not supported yet: executor"},
		{"what is missing", "main.js", "{ scenarios: {\n x: { executor: 'constant-vus' } } }", "main.js:4:2: scenario \"x\": duration is missing"},
		{"a condition", "main.js", "{ thresholds: {\n checks: ['rate is 1'] } }", "main.js:4:2: threshold \"checks\""},
		{"a function", "main.js", "{ scenarios: {\n x: { executor: 'shared-iterations',\n  exec: 'gone' } } }", "main.js:5:3: scenario \"x\": the script exports no function \"gone\""},
		{"TypeScript", "main.ts", "{\n  vsu: 1,\n}", "main.ts:4:3: not supported yet"},
		{"options that are made", "main.js", "Object.assign({}, {vsu: 1})", "main.js: not supported yet: option \"vsu\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := files(t, engine.LoadOptions{}, tt.file, withOptions(tt.options))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	p := load(t, withOptions("{ thresholds: {\n  chekcs: ['rate>0'] } }"))
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), `main.js:4:3: threshold "chekcs": no such metric`) {
		t.Errorf("an unknown metric: %v", err)
	}
}

func TestSystemTags(t *testing.T) {
	script := `import {check} from 'k6'; export const options = {vus: 1, iterations: 1, systemTags: ['check', 'vu', 'iter'], tags: {mine: 'yes'}};
		export default function () { check(1, {fine: v => v}) }`
	var tags []map[string]string
	p := load(t, script)
	result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{Sample: func(s engine.Sample) {
		if s.Metric.Name() == "checks" {
			tags = append(tags, s.Tags)
		}
	}}})
	if diff := cmp.Diff([]map[string]string{{"check": "fine", "vu": "1", "iter": "0", "mine": "yes"}}, tags); diff != "" {
		t.Error(diff)
	}
	if len(result.Root.Checks) != 1 {
		t.Errorf("the tree of checks is %+v", result.Root)
	}
}

func TestPartsLeftOut(t *testing.T) {
	script := `export const options = {thresholds: {iterations: ['count>100']}};
		export function setup() { throw new Error('setup') } export function teardown() { throw new Error('teardown') }
		export function handleSummary() { throw new Error('summary') } export default function () {}`
	p := layered(t, script, nil, settings(t, "noSetup=true noTeardown=true noThresholds=true"))
	result := run(t, p, engine.RunOptions{NoSummary: true})
	if len(result.Thresholds) > 0 || result.SummaryErr != nil {
		t.Errorf("thresholds %+v, summary %v", result.Thresholds, result.SummaryErr)
	}
}

func TestMinIterationDuration(t *testing.T) {
	p := layered(t, `export default function () {}`, nil, settings(t, "iterations=3 minIterationDuration=40ms"))
	if took := run(t, p, engine.RunOptions{}).Duration; took < 120*time.Millisecond {
		t.Errorf("3 iterations of at least 40 ms took %s", took)
	}
	stop, cancel := context.WithCancel(t.Context())
	p = layered(t, `export default function () {}`, nil, settings(t, "iterations=2 minIterationDuration=1h"))
	_, err := p.Run(t.Context(), engine.RunOptions{Stop: stop, Hooks: engine.Hooks{After: func(*engine.VU, engine.IterationResult) bool {
		cancel()
		return false
	}}})
	if !errors.Is(err, engine.ErrStopped) {
		t.Errorf("a stop while a VU rests: %v", err)
	}
}

func TestDataMetrics(t *testing.T) {
	module := &probe{}
	p := load(t, `import 'k6/x/probe'; export default function () {}`, module)
	result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(vu *engine.VU, _ engine.IterationResult) bool {
		vu.EmitData(5, 0, nil)
		vu.EmitData(2, 40, map[string]string{"server": "sim"})
		return false
	}}})
	got := map[string]float64{}
	for _, m := range result.Metrics {
		if m.Contains == "data" {
			got[m.Name] = m.Values["count"]
		}
	}
	if diff := cmp.Diff(map[string]float64{"data_sent": 7, "data_received": 40}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPrint(t *testing.T) {
	var lines []string
	o := engine.LoadOptions{Print: func(l engine.ConsoleLine) { lines = append(lines, string(l.Level)+"|"+l.Text) }}
	p, err := files(t, o, "main.js", `export default () => { console.log('a'); console.debug('b'); console.warn('c', 1) }`)
	if err != nil {
		t.Fatal(err)
	}
	run(t, p, engine.RunOptions{})
	if want := []string{"info|a", "debug|b", "warn|c 1"}; !slices.Equal(lines, want) {
		t.Errorf("printed %q", lines)
	}
}

// TestNewOptionsRoundTrip loads what MarshalJSON wrote of the options that have
// no default, and expects the same.
func TestNewOptionsRoundTrip(t *testing.T) {
	p := load(t, withOptions(`{summaryTimeUnit: 'us', systemTags: [], minIterationDuration: '2s', throw: true, noSetup: true, noTeardown: true, noThresholds: true}`))
	raw, err := json.Marshal(p.Options())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Options(), load(t, withOptions(string(raw))).Options()); diff != "" {
		t.Error(diff)
	}
}

func FuzzSet(f *testing.F) {
	f.Add("stages", "5s:10,1m:20")
	f.Add("vus", "7")
	f.Add("summaryTrendStats", "avg,p(99.9)")
	f.Add("throw", "t")
	f.Add("duration", "1e3")
	f.Fuzz(func(t *testing.T, option, text string) {
		one, err := engine.Set(option, text, "--flag")
		if err != nil {
			if !errors.Is(err, engine.ErrConfig) {
				t.Errorf("%v", err)
			}
			return
		}
		if !json.Valid(one.Value) {
			t.Fatalf("%q %q gives %s, which is no JSON", option, text, one.Value)
		}
		_, err = engine.Load("main.js", engine.LoadOptions{Source: []byte("export default () => {}"), Above: []engine.Layer{{one}}})
		if err != nil && !errors.Is(err, engine.ErrConfig) {
			t.Errorf("%v", err)
		}
	})
}
