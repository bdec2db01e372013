package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/xk6-mcp/engine"
)

func TestExecutionIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		module := &probe{}
		p := load(t, `import exec from 'k6/execution'; import {sleep} from 'k6'; import {note} from 'k6/x/probe';
			export const options = {scenarios: {
				a: {executor: 'constant-vus', vus: 2, duration: '10s', exec: 'a'},
				b: {executor: 'per-vu-iterations', iterations: 4, startTime: '1s', exec: 'b'},
			}};
			export function a() { sleep(4) }
			export function b() {
				const {instance: i, scenario: s, vu} = exec;
				note('b', [i.currentTestRunDuration, i.vusActive, i.vusInitialized, i.iterationsCompleted, i.iterationsInterrupted,
					s.iterationInTest, s.progress, vu.idInTest, vu.iterationInInstance, s.startTime - Date.now()].join());
				sleep(3);
			}
			export function setup() { note('setup', [exec.instance.currentTestRunDuration, exec.vu.idInTest, Object.keys(exec.test.options.scenarios)].join()) }
			export function teardown() { try { exec.scenario.name } catch (e) { note('teardown', e.message + exec.instance.iterationsCompleted) } }`, module)
		run(t, p, engine.RunOptions{})
		want := []string{
			"1000,3,3,0,0,0,0,3,0,0", "4000,3,3,0,0,1,0.25,3,1,-3000",
			"7000,3,3,4,0,2,0.5,3,2,-6000", "10000,3,3,7,0,3,0.75,3,3,-9000",
		}
		got := module.noted("b")
		// At 4 s and at 10 s an iteration of a and one of b end in the same instant.
		for i, line := range got {
			fields, wanted := strings.Split(line, ","), strings.Split(want[i], ",")
			fields[1], fields[3] = "", ""
			wanted[1], wanted[3] = "", ""
			if !slices.Equal(fields, wanted) {
				t.Errorf("iteration %d saw %s, want %s", i, line, want[i])
			}
		}
		if len(got) != 4 {
			t.Errorf("%d iterations", len(got))
		}
		if got := module.noted("setup"); !slices.Equal(got, []string{"0,0,a,b"}) {
			t.Errorf("setup saw %q", got)
		}
		if got := module.noted("teardown"); len(got) != 1 || !strings.HasPrefix(got[0], "exec.scenario is not known in init code, setup and teardown1") {
			t.Errorf("teardown saw %q", got)
		}
	})
}

func TestProgressOfATimedScenario(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		module := &probe{}
		p := load(t, `import exec from 'k6/execution'; import {sleep} from 'k6'; import {note} from 'k6/x/probe';
			export const options = {duration: '8s'};
			export default () => { note('p', exec.scenario.progress); sleep(2) }`, module)
		run(t, p, engine.RunOptions{})
		if got := strings.Join(module.noted("p"), " "); got != "0 0.25 0.5 0.75" {
			t.Errorf("progress %s", got)
		}
	})
}

// TestTagsOfAVU expects what the script sets on samples from then on, under the
// group and the sample's own tags, and for that VU alone.
func TestTagsOfAVU(t *testing.T) {
	p := load(t, `import exec from 'k6/execution'; import {group} from 'k6'; import {Counter} from 'k6/metrics'; const c = new Counter('c');
		export const options = {scenarios: {s: {executor: 'per-vu-iterations', vus: 2, iterations: 2, tags: {who: 'scenario'}}}};
		export default function () {
			const tags = exec.vu.metrics.tags;
			if (__VU === 2) return;
			if (__ITER === 1) {
				c.add(1);
				delete tags.own;
				c.add(1, {n: 'sample'});
				return;
			}
			tags.own = 7;
			group('g', () => { exec.vu.tags.who = 'script'; c.add(1) });
			c.add(1, {seen: JSON.stringify(tags), own: 'sample'});
		}`)
	var got []map[string]string
	run(t, p, engine.RunOptions{Hooks: engine.Hooks{Sample: func(s engine.Sample) {
		if s.Metric.Name() == "c" {
			got = append(got, s.Tags)
		}
	}}})
	want := []map[string]string{
		{"scenario": "s", "who": "script", "own": "7", "group": "::g"},
		{"scenario": "s", "who": "script", "own": "sample", "seen": `{"own":"7","scenario":"s","who":"script"}`},
		{"scenario": "s", "who": "script", "own": "7"},
		{"scenario": "s", "who": "script", "n": "sample"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAbort(t *testing.T) {
	tests := []struct {
		name, script string
		ran          string
		grace        time.Duration
		completed    int64
		interrupted  int64
	}{
		{"in an iteration", `export default () => { if (__VU === 1) { sleep(1); exec.test.abort('enough') } sleep(5) }`, "teardown", 0, 0, 3},
		{"others may end", `export default () => { if (__VU === 1) { sleep(1); exec.test.abort('enough') } sleep(5) }`, "teardown", time.Minute, 2, 1},
		{"it cannot be caught", `export default () => { try { exec.test.abort('enough') } catch (e) { note('ran', 'catch') } finally { note('ran', 'finally') } note('ran', 'after') }`, "teardown", time.Minute, 0, 3},
		{"in a check", `export default () => check(1, {a: () => exec.test.abort('enough')})`, "teardown", time.Minute, 0, 3},
		{"in a timer", `export default () => { setTimeout(() => exec.test.abort('enough'), 10) }`, "teardown", time.Minute, 0, 3},
		{"in setup", `export function setup() { exec.test.abort('enough') } export default () => note('ran', 'vu')`, "", 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				module := &probe{}
				p := load(t, `import exec from 'k6/execution'; import {check, sleep} from 'k6'; import {note} from 'k6/x/probe';
					export const options = {scenarios: {s: {executor: 'per-vu-iterations', vus: 3}}};
					export function teardown() { note('ran', 'teardown') }`+tt.script, module)
				result, err := p.Run(t.Context(), engine.RunOptions{StopGrace: tt.grace})
				if !errors.Is(err, engine.ErrAborted) || engine.ExitCode(err) != 108 || !strings.Contains(fmt.Sprint(err), "enough") || result.Stopped {
					t.Errorf("err %v, code %d", err, engine.ExitCode(err))
				}
				if got := strings.Join(module.noted("ran"), " "); got != tt.ran {
					t.Errorf("ran %q, want %q", got, tt.ran)
				}
				s := result.Scenarios[0]
				if tt.name == "it cannot be caught" || tt.name == "in a check" || tt.name == "in a timer" {
					s.Interrupted += s.Dropped // how many had started is a race
				}
				if s.Completed != tt.completed || s.Interrupted != tt.interrupted {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

func TestAbortInTeardown(t *testing.T) {
	p := load(t, `import exec from 'k6/execution'; export default () => {}; export function teardown() { exec.test.abort() }`)
	result, err := p.Run(t.Context(), engine.RunOptions{})
	if engine.ExitCode(err) != 108 || !errors.Is(result.TeardownErr, engine.ErrAborted) || strings.Count(err.Error(), "aborted") != 1 {
		t.Errorf("err %v", err)
	}
}

// TestFail expects a run to go on, and to have failed.
func TestFail(t *testing.T) {
	p := load(t, `import exec from 'k6/execution'; export const options = {iterations: 3};
		export default () => { if (__ITER < 2) exec.test.fail('number ' + __ITER) }`)
	result, err := p.Run(t.Context(), engine.RunOptions{})
	if !errors.Is(err, engine.ErrFailed) || engine.ExitCode(err) != 110 || !strings.Contains(err.Error(), "number 0") {
		t.Errorf("err %v", err)
	}
	if s := result.Scenarios[0]; s.Completed != 3 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestAbortGoesBeforeFail(t *testing.T) {
	p := load(t, `import exec from 'k6/execution'; export default () => { exec.test.fail('f'); exec.test.abort('a') }`)
	if _, err := p.Run(t.Context(), engine.RunOptions{}); engine.ExitCode(err) != 108 || !errors.Is(err, engine.ErrFailed) {
		t.Errorf("err %v", err)
	}
}

// TestTimersEndWithTheirIteration interrupts an iteration that waits for a
// timer: the timer must not fire in the next one.
func TestTimersEndWithTheirIteration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		module := &probe{}
		p := load(t, `import {note} from 'k6/x/probe';
			export const options = {iterations: 2};
			export default () => {
				if (__ITER === 0) { setTimeout(() => note('fired', 'late'), 60); throw new Error('over') }
				setTimeout(() => note('fired', 'own'), 100);
			}`, module)
		run(t, p, engine.RunOptions{})
		if got := strings.Join(module.noted("fired"), " "); got != "own" {
			t.Errorf("fired %q", got)
		}
	})
}

func TestTimersAreInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `export const options = {scenarios: {s: {executor: 'constant-vus', vus: 2, duration: '5s', gracefulStop: '2s'}}};
			export default () => { setInterval(() => {}, 100) }`)
		result := run(t, p, engine.RunOptions{})
		if s := result.Scenarios[0]; s.Interrupted != 2 || s.Completed != 0 || result.Duration != 7*time.Second {
			t.Errorf("%+v in %s", s, result.Duration)
		}
	})
}

// TestSharedArrayIsMadeOnce loads data in many VUs, and in two runs.
func TestSharedArrayIsMadeOnce(t *testing.T) {
	module := &probe{}
	p := load(t, `import {SharedArray} from 'k6/data'; import {note} from 'k6/x/probe';
		const a = new SharedArray('a', () => { note('made', 'once'); return Array.from({length: 100}, (_, i) => ({i})) });
		export const options = {vus: 32, iterations: 320};
		export default () => { const i = __ITER % 100; if (a[i].i !== i) throw new Error('wrong element') }`, module)
	for range 2 {
		if s := run(t, p, engine.RunOptions{}).Scenarios[0]; s.Failed != 0 || s.Completed != 320 {
			t.Errorf("%+v", s)
		}
	}
	if n := len(module.noted("made")); n != 1 {
		t.Errorf("made %d times", n)
	}
}
