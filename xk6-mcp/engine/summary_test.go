package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/xk6-mcp/engine"
)

// TestHandleSummaryData compares all that handleSummary is given.
func TestHandleSummaryData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {check, group, sleep} from 'k6'; import {Counter, Rate, Trend} from 'k6/metrics';
			const hits = new Counter('hits'), wait = new Trend('wait', true); new Rate('idle');
			export const options = {vus: 2, iterations: 4, summaryTrendStats: ['max', 'count'],
				thresholds: {hits: ['count>1', 'count>100'], 'wait{k:v}': ['max<5'], idle: ['rate>0.5']}};
			export default function () {
				hits.add(1); wait.add(2, {k: 'v'}); wait.add(9);
				group('outer', () => { group('inner', () => check(__ITER, {first: n => n === 0, always: true})); sleep(1) });
				check(1, {one: 1});
			}
			export function handleSummary(data) { return {'out/summary.json': JSON.stringify(data)} }`)
		result := run(t, p, engine.RunOptions{})
		var got map[string]any
		if err := json.Unmarshal(result.Outputs["out/summary.json"], &got); err != nil || result.SummaryErr != nil {
			t.Fatalf("%v, %v", err, result.SummaryErr)
		}
		for _, name := range []string{"vus", "vus_max", "iterations", "iteration_duration", "dropped_iterations", "group_duration", "checks"} {
			if got["metrics"].(map[string]any)[name] == nil {
				t.Errorf("no metric %s", name)
			}
			delete(got["metrics"].(map[string]any), name)
		}
		var want map[string]any
		text := `{
			"root_group": {"name": "", "path": "", "checks": [{"name": "one", "path": "::one", "passes": 4, "fails": 0}], "groups": [
				{"name": "outer", "path": "::outer", "checks": [], "groups": [{"name": "inner", "path": "::outer::inner", "groups": [], "checks": [
					{"name": "first", "path": "::outer::inner::first", "passes": 2, "fails": 2},
					{"name": "always", "path": "::outer::inner::always", "passes": 4, "fails": 0}]}]}]},
			"options": {"summaryTrendStats": ["max", "count"], "summaryTimeUnit": "", "noColor": true},
			"state": {"isStdErrTTY": false, "isStdOutTTY": false, "testRunDurationMs": 2000},
			"metrics": {
				"hits": {"type": "counter", "contains": "default", "values": {"count": 4, "rate": 2}, "thresholds": {"count>1": {"ok": true}, "count>100": {"ok": false}}},
				"wait": {"type": "trend", "contains": "time", "values": {"max": 9, "count": 8}},
				"wait{k:v}": {"type": "trend", "contains": "time", "values": {"max": 2, "count": 4}, "thresholds": {"max<5": {"ok": true}}},
				"idle": {"type": "rate", "contains": "default", "values": {"rate": 0, "passes": 0, "fails": 0}, "thresholds": {"rate>0.5": {"ok": true}}}}}`
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHandleSummaryOutputs(t *testing.T) {
	tests := []struct {
		name, body string
		want       map[string]string
		fails      string
	}{
		{"texts and bytes", `return {stdout: 'seen\n', stderr: '', 'a/b.bin': new Uint8Array([65, 66]).buffer}`, map[string]string{"stdout": "seen\n", "stderr": "", "a/b.bin": "AB"}, ""},
		{"nothing", ``, map[string]string{}, ""},
		{"an async function", `return Promise.resolve({stdout: 'later'})`, map[string]string{"stdout": "later"}, ""},
		{"a timer", `return new Promise(r => setTimeout(() => r({stdout: 'later'}), 100))`, map[string]string{"stdout": "later"}, ""},
		{"a throw", "throw new Error('no summary')", nil, "engine: script failed: handleSummary: main.js:1:192: Error: no summary"},
		{"a text", "return 'text'", nil, "its result: want an object of contents by path, got text"},
		{"an object as content", "return {stdout: {}}", nil, `its result: "stdout": want a string or an ArrayBuffer, got [object Object]`},
		{"too long", "sleep(10)", nil, "engine: handleSummary timed out: handleSummary did not end in 2s"},
		{"an abort", "exec.test.abort('there')", nil, "engine: aborted by the script: there"},
		{"samples count nowhere", "check(0, {no: false}); group('g', () => 1); return {}", map[string]string{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := load(t, `import {check, group, sleep} from 'k6'; import exec from 'k6/execution'; export const options = {handleSummaryTimeout: '2s'}; export default () => {}; export function handleSummary() { `+tt.body+` }`)
				result, err := p.Run(t.Context(), engine.RunOptions{})
				if err != nil {
					t.Errorf("a summary decides nothing, but: %v", err)
				}
				var got map[string]string
				if result.Outputs != nil {
					got = make(map[string]string)
				}
				for where, content := range result.Outputs {
					got[where] = string(content)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if (tt.fails == "") != (result.SummaryErr == nil) || result.SummaryErr != nil && !strings.Contains(result.SummaryErr.Error(), tt.fails) {
					t.Errorf("summary error %v, want %s", result.SummaryErr, tt.fails)
				}
			})
		})
	}
}

// TestHandleSummaryAfterTrouble says when a summary is made.
func TestHandleSummaryAfterTrouble(t *testing.T) {
	tests := []struct {
		name, script string
		made         bool
	}{
		{"teardown throws", `export default () => {}; export function teardown() { throw 1 }`, true},
		{"the run is aborted", `import exec from 'k6/execution'; export default () => exec.test.abort()`, true},
		{"setup throws", `export default () => {}; export function setup() { throw 1 }`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := load(t, tt.script+`; export const handleSummary = () => ({stdout: 'made'})`)
			result, err := p.Run(context.Background(), engine.RunOptions{})
			if err == nil || (string(result.Outputs["stdout"]) == "made") != tt.made {
				t.Errorf("err %v, outputs %q", err, result.Outputs)
			}
		})
	}
}

// TestJourney runs a long script as people write them, with everything that
// the dialect offers, on a fake clock.
func TestJourney(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p, err := engine.Load("testdata/journey/main.js", engine.LoadOptions{Console: &out, Env: map[string]string{"TARGET": "staging"}, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		result := run(t, p, engine.RunOptions{Tags: map[string]string{"arm": "main"}})
		want := []engine.ScenarioResult{
			{Name: "browse", Executor: engine.RampingVUs, VUs: 4, Planned: -1, Started: 44, Completed: 44},
			{
				Name: "orders", Executor: engine.ConstantArrivalRate, VUs: 10, MaxVUs: 20, Planned: 50, Started: 50, Completed: 50, Failed: 10,
				Lateness: &engine.Lateness{Arrivals: 50},
			},
		}
		if diff := cmp.Diff(want, result.Scenarios); diff != "" {
			t.Error(diff)
		}
		for _, threshold := range result.Thresholds {
			if threshold.OK == strings.HasPrefix(threshold.Metric, "order_errors") || threshold.NoData {
				t.Errorf("%+v", threshold)
			}
		}
		if e := result.Errors; len(e) != 1 || e[0].Count != 10 || !strings.HasPrefix(e[0].Text, "testdata/journey/lib/shop.ts:9:11: OrderError: no such item: lamp") {
			t.Errorf("errors %+v", e)
		}
		report := string(result.Outputs["stdout"])
		if want := "94 iterations in 11.75 s, 40 orders to staging, checks 97.79 %\n"; report != want {
			t.Errorf("the script's own summary says %q, want %q; %v", report, want, result.SummaryErr)
		}
		if text := out.String(); !strings.HasPrefix(text, "loaded 3 items\nsetup for staging\n") || !strings.HasSuffix(text, "warn: torn down after 94\n") {
			t.Errorf("printed %q", text)
		}
		// The last of browse's iterations, 0.75 s each, began at 11 s.
		if result.Duration != 11750*time.Millisecond {
			t.Errorf("duration %s", result.Duration)
		}
	})
}

func TestSummaryIsNotMadeOnAHardStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {sleep} from 'k6'; export default () => sleep(9); export const handleSummary = () => ({stdout: 'made'})`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, err := p.Run(ctx, engine.RunOptions{})
		if !errors.Is(err, engine.ErrStopped) || result.Outputs != nil || !errors.Is(result.SummaryErr, engine.ErrStopped) {
			t.Errorf("err %v, outputs %v, %v", err, result.Outputs, result.SummaryErr)
		}
	})
}
