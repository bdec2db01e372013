package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/engine"
)

// numbers collects the iteration numbers of a run.
type numbers struct {
	mu   sync.Mutex
	list []int64
	byVU map[int][]int64
}

func (n *numbers) after(vu *engine.VU, _ engine.IterationResult) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, vu.Iteration().InTest)
	if n.byVU == nil {
		n.byVU = make(map[int][]int64)
	}
	n.byVU[vu.ID()] = append(n.byVU[vu.ID()], vu.Iteration().InTest)
	return false
}

func TestExecutorsRunExactCounts(t *testing.T) {
	tests := []struct {
		name, executor string
		vus            int
		iterations     int64
		planned        int64
	}{
		{"512 VUs once each", engine.PerVUIterations, 512, 1, 512},
		{"512 VUs three times each", engine.PerVUIterations, 512, 3, 1536},
		{"512 VUs share 1000", engine.SharedIterations, 512, 1000, 1000},
		{"more VUs than work", engine.SharedIterations, 16, 3, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := load(t, fmt.Sprintf(`export const options = {scenarios: {s: {executor: '%s', vus: %d, iterations: %d}}};
				export default function () {}`, tt.executor, tt.vus, tt.iterations))
			var seen numbers
			result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: seen.after}})
			want := []engine.ScenarioResult{{
				Name: "s", Executor: tt.executor, VUs: tt.vus, Planned: tt.planned, Started: tt.planned, Completed: tt.planned,
			}}
			if diff := cmp.Diff(want, result.Scenarios); diff != "" {
				t.Error(diff)
			}
			slices.Sort(seen.list)
			for i, n := range seen.list {
				if n != int64(i) {
					t.Fatalf("iteration %d has the number %d, want 0 to %d once each", i, n, tt.planned-1)
				}
			}
			if tt.executor == engine.PerVUIterations {
				for id, list := range seen.byVU {
					for nth, n := range list {
						if want := int64(id-1) + int64(tt.vus*nth); n != want {
							t.Fatalf("VU %d, iteration %d has the number %d, want %d", id, nth, n, want)
						}
					}
				}
			}
		})
	}
}

// TestVUsStartTogether lets every VU wait for all others inside its iteration:
// it ends only if all of them are inside at once.
func TestVUsStartTogether(t *testing.T) {
	const vus = 512
	var inside sync.WaitGroup
	inside.Add(vus)
	module := &probe{on: func(vu *engine.VU, _ string) sobek.Value {
		inside.Done()
		if err := vu.Block(func(context.Context) error { inside.Wait(); return nil }); err != nil {
			vu.Throw(err, "", nil)
		}
		return sobek.Undefined()
	}}
	p := load(t, fmt.Sprintf(`import {call} from 'k6/x/probe'; export const options = {vus: %d}; export default () => call('')`, vus), module)
	result := run(t, p, engine.RunOptions{})
	if got := result.Scenarios[0].Completed; got != vus {
		t.Errorf("completed %d, want %d", got, vus)
	}
}

func TestScenariosRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		module := &probe{}
		p := load(t, `import {note} from 'k6/x/probe'; import {sleep} from 'k6';
			export const options = {scenarios: {
				first: {executor: 'per-vu-iterations', vus: 2, exec: 'a', env: {WHO: 'x'}},
				later: {executor: 'shared-iterations', startTime: '5s', exec: 'b', tags: {k: 'v'}},
			}};
			export function a() { sleep(20); note('order', 'a ' + __ENV.WHO) }
			export function b() { sleep(1); note('order', 'b ' + __ENV.WHO) }`, module)
		result := run(t, p, engine.RunOptions{})
		if want := []string{"b undefined", "a x", "a x"}; !slices.Equal(module.noted("order"), want) {
			t.Errorf("order %q, want %q", module.noted("order"), want)
		}
		if result.Duration != 20*time.Second {
			t.Errorf("duration %s, want 20s", result.Duration)
		}
	})
}

func TestMaxDuration(t *testing.T) {
	tests := []struct {
		name, times string
		want        engine.ScenarioResult
		duration    time.Duration
	}{
		// 2 VUs, 10 iterations of 3 s each.
		{"running ones may end", "maxDuration: '4s', gracefulStop: '30s'", engine.ScenarioResult{Started: 4, Completed: 4, Dropped: 16}, 6 * time.Second},
		{"and are interrupted then", "maxDuration: '4s', gracefulStop: '1s'", engine.ScenarioResult{Started: 4, Completed: 2, Interrupted: 2, Dropped: 16}, 5 * time.Second},
		{"without grace", "maxDuration: '4s', gracefulStop: 0", engine.ScenarioResult{Started: 4, Completed: 2, Interrupted: 2, Dropped: 16}, 4 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := load(t, `import {sleep} from 'k6'; export const options = {scenarios: {s: {
					executor: 'per-vu-iterations', vus: 2, iterations: 10, `+tt.times+`}}};
					export default function () { sleep(3) }`)
				result := run(t, p, engine.RunOptions{})
				want := tt.want
				want.Name, want.Executor, want.VUs, want.Planned = "s", engine.PerVUIterations, 2, 20
				if diff := cmp.Diff([]engine.ScenarioResult{want}, result.Scenarios); diff != "" {
					t.Error(diff)
				}
				if result.Duration != tt.duration {
					t.Errorf("duration %s, want %s", result.Duration, tt.duration)
				}
				if result.Stopped {
					t.Error("stopped, but maxDuration is no stop from outside")
				}
			})
		})
	}
}

// TestStop stops 512 sleeping VUs: all are interrupted, none completes after a
// sleep that was cut short, and teardown runs.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		module := &probe{}
		p := load(t, `import {sleep} from 'k6'; import {note} from 'k6/x/probe';
			export const options = {scenarios: {s: {executor: 'per-vu-iterations', vus: 512, iterations: 2}}};
			export default function () { sleep(60); note('after', 'x') }
			export function teardown() { note('teardown', 'ran') }`, module)
		stop, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		result, err := p.Run(t.Context(), engine.RunOptions{Stop: stop, StopGrace: 5 * time.Second})
		if !errors.Is(err, engine.ErrStopped) || engine.ExitCode(err) != 105 || !result.Stopped {
			t.Errorf("err %v, stopped %v", err, result.Stopped)
		}
		want := engine.ScenarioResult{Name: "s", Executor: engine.PerVUIterations, VUs: 512, Planned: 1024, Started: 512, Interrupted: 512, Dropped: 512}
		if diff := cmp.Diff(want, result.Scenarios[0]); diff != "" {
			t.Error(diff)
		}
		if n := len(module.noted("after")); n != 0 {
			t.Errorf("%d scripts went on after a sleep that was cut short", n)
		}
		if n := len(module.noted("teardown")); n != 1 {
			t.Errorf("teardown ran %d times", n)
		}
		if result.Duration != 15*time.Second {
			t.Errorf("duration %s, want 15s", result.Duration)
		}
	})
}

func TestStopLetsIterationsEndWithinTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {sleep} from 'k6'; export const options = {vus: 3, iterations: 9}; export default () => sleep(10)`)
		stop, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, err := p.Run(t.Context(), engine.RunOptions{Stop: stop, StopGrace: time.Minute})
		if !errors.Is(err, engine.ErrStopped) {
			t.Errorf("err %v", err)
		}
		if s := result.Scenarios[0]; s.Completed != 3 || s.Dropped != 6 || s.Interrupted != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestHardStopSkipsTeardown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		module := &probe{}
		p := load(t, `import {sleep} from 'k6'; import {note} from 'k6/x/probe';
			export default () => sleep(60); export function teardown() { note('teardown', 'ran') }`, module)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result, err := p.Run(ctx, engine.RunOptions{})
		if !errors.Is(err, engine.ErrStopped) || result.Scenarios[0].Interrupted != 1 {
			t.Errorf("err %v, %+v", err, result.Scenarios)
		}
		if n := len(module.noted("teardown")); n != 0 {
			t.Errorf("teardown ran %d times", n)
		}
	})
}

func TestRestarts(t *testing.T) {
	p := load(t, `export const options = {scenarios: {s: {executor: 'per-vu-iterations', vus: 4, iterations: 2}}};
		export default () => Math.random()`)
	var mu sync.Mutex
	draws := make(map[int64][]float64)
	result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(vu *engine.VU, r engine.IterationResult) bool {
		mu.Lock()
		defer mu.Unlock()
		it := vu.Iteration()
		draws[it.InTest] = append(draws[it.InTest], r.Value.ToFloat())
		if it.Run != len(draws[it.InTest]) {
			t.Errorf("run %d of iteration %d, want %d", it.Run, it.InTest, len(draws[it.InTest]))
		}
		return it.InTest%2 == 0 && it.Run < 3
	}}})
	want := engine.ScenarioResult{Name: "s", Executor: engine.PerVUIterations, VUs: 4, Planned: 8, Started: 8, Restarted: 8, Completed: 16}
	if diff := cmp.Diff(want, result.Scenarios[0]); diff != "" {
		t.Error(diff)
	}
	for n, list := range draws {
		if len(slices.Compact(slices.Clone(list))) != 1 {
			t.Errorf("iteration %d drew %v, want the same number in every run of it", n, list)
		}
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {sleep} from 'k6'; export const options = {vus: 2, iterations: 4}; export default () => sleep(1.5)`)
		var seen []engine.Progress
		run(t, p, engine.RunOptions{Hooks: engine.Hooks{Progress: func(p engine.Progress) { seen = append(seen, p) }}})
		want := []engine.Progress{
			{Elapsed: 1 * time.Second, Scenarios: []engine.ScenarioProgress{{Name: "default", Planned: 4, Active: 2, Started: 2}}},
			{Elapsed: 2 * time.Second, Scenarios: []engine.ScenarioProgress{{Name: "default", Planned: 4, Active: 2, Started: 4, Completed: 2, Share: 0.5}}},
		}
		if len(seen) < 11 {
			t.Fatalf("%d glances, want at least 11", len(seen))
		}
		if diff := cmp.Diff(want, []engine.Progress{seen[4], seen[9]}); diff != "" {
			t.Error(diff)
		}
		if last := seen[len(seen)-1].Scenarios[0]; last.Completed != 4 || last.Active != 0 {
			t.Errorf("last glance %+v", last)
		}
	})
}
