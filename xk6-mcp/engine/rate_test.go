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
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpstorm/xk6-mcp/engine"
)

// scenarioScript is a script of one scenario whose iterations sleep.
func scenarioScript(fields string, seconds float64) string {
	return fmt.Sprintf(`import {sleep} from 'k6'; export const options = {scenarios: {s: {%s}}};
		export default function () { sleep(%v) }`, fields, seconds)
}

// timed is a scenario whose iterations sleep so long, and what must come of it. A
// duration of zero is not looked at.
type timed struct {
	name, fields string
	seconds      float64
	want         engine.ScenarioResult
	duration     time.Duration
}

var timedExecutors = []timed{
	{
		"constant VUs", "executor: 'constant-vus', vus: 8, duration: '10s'", 0.3,
		engine.ScenarioResult{VUs: 8, Planned: -1, Started: 8 * 34, Completed: 8 * 34},
		10200 * time.Millisecond,
	},
	{
		"constant VUs interrupted", "executor: 'constant-vus', vus: 2, duration: '10s', gracefulStop: '1s'", 8,
		engine.ScenarioResult{VUs: 2, Planned: -1, Started: 4, Completed: 2, Interrupted: 2},
		11 * time.Second,
	},
	{
		"1000 a second", "executor: 'constant-arrival-rate', rate: 1000, duration: '5s', preAllocatedVUs: 300", 0.2,
		engine.ScenarioResult{VUs: 300, MaxVUs: 300, Planned: 5000, Started: 5000, Completed: 5000},
		5199 * time.Millisecond,
	},
	{
		"a rate per minute", "executor: 'constant-arrival-rate', rate: 90, timeUnit: '1m', duration: '1m', preAllocatedVUs: 3", 0.2,
		engine.ScenarioResult{VUs: 3, MaxVUs: 3, Planned: 90, Started: 90, Completed: 90},
		0,
	},
	{
		"0 to 2000 to 0", "executor: 'ramping-arrival-rate', stages: [{duration: '3s', target: 2000}, {duration: '3s', target: 0}], preAllocatedVUs: 300", 0.1,
		engine.ScenarioResult{VUs: 300, MaxVUs: 300, Planned: 6000, Started: 6000, Completed: 6000},
		0,
	},
	{
		"too few VUs", "executor: 'constant-arrival-rate', rate: 10, duration: '10s', preAllocatedVUs: 1", 0.95,
		engine.ScenarioResult{VUs: 1, MaxVUs: 1, Planned: 100, Started: 10, Completed: 10, Dropped: 90},
		0,
	},
	{
		"grows to what it needs", "executor: 'constant-arrival-rate', rate: 10, duration: '10s', preAllocatedVUs: 1, maxVUs: 50", 0.95,
		engine.ScenarioResult{VUs: 10, MaxVUs: 50, Planned: 100, Started: 91, Completed: 91, Dropped: 9},
		0,
	},
	{
		"grows to the limit", "executor: 'constant-arrival-rate', rate: 10, duration: '10s', preAllocatedVUs: 1, maxVUs: 5", 0.95,
		engine.ScenarioResult{VUs: 5, MaxVUs: 5, Planned: 100, Started: 50, Completed: 50, Dropped: 50},
		0,
	},
	{
		"arrivals interrupted", "executor: 'constant-arrival-rate', rate: 1, duration: '10s', preAllocatedVUs: 10, gracefulStop: '1s'", 4.5,
		engine.ScenarioResult{VUs: 10, MaxVUs: 10, Planned: 10, Started: 10, Completed: 7, Interrupted: 3},
		11 * time.Second,
	},
	{
		"arrivals later", "executor: 'constant-arrival-rate', rate: 1, duration: '2s', preAllocatedVUs: 2, startTime: '5s'", 0.5,
		engine.ScenarioResult{VUs: 2, MaxVUs: 2, Planned: 2, Started: 2, Completed: 2},
		6500 * time.Millisecond,
	},
}

// TestTimedExecutors runs the executors that the clock drives on a fake clock,
// where every count is exact.
func TestTimedExecutors(t *testing.T) {
	for _, tt := range timedExecutors {
		t.Run(tt.name, func(t *testing.T) { synctest.Test(t, tt.run) })
	}
}

func (tt timed) run(t *testing.T) {
	p := load(t, scenarioScript(tt.fields, tt.seconds))
	var seen numbers
	result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: seen.after}})
	got, want := result.Scenarios[0], tt.want
	want.Name, want.Executor = "s", p.Options().Scenarios[0].Executor
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(engine.ScenarioResult{}, "Lateness")); diff != "" {
		t.Error(diff)
	}
	if tt.duration != 0 && result.Duration != tt.duration {
		t.Errorf("duration %s, want %s", result.Duration, tt.duration)
	}
	slices.Sort(seen.list)
	if n := len(slices.Compact(slices.Clone(seen.list))); n != len(seen.list) {
		t.Errorf("%d numbers for %d iterations", n, len(seen.list))
	}
	if got.Dropped != int64(summary(t, result, "dropped_iterations")["count"]) {
		t.Errorf("dropped_iterations %v, want %d", summary(t, result, "dropped_iterations"), got.Dropped)
	}
	if l := got.Lateness; (l != nil) != (want.Planned >= 0) || l != nil && (l.Arrivals != got.Started || l.Max != 0) {
		t.Errorf("lateness %+v", l)
	}
}

// TestArrivalsStartOnTime expects every arrival at the time and with the number
// that the schedule gives it.
func TestArrivalsStartOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, scenarioScript("executor: 'constant-arrival-rate', rate: 7, duration: '10s', preAllocatedVUs: 4", 0.4))
		var mu sync.Mutex
		starts := make(map[int64]time.Time)
		result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{Before: func(vu *engine.VU) {
			mu.Lock()
			defer mu.Unlock()
			starts[vu.Iteration().InTest] = vu.Iteration().Start
		}}})
		for k := range int64(70) {
			want := time.Duration(k) * 10 * time.Second / 70
			if late := starts[k].Sub(result.Start) - want; late < 0 || late > 1 {
				t.Errorf("arrival %d started %s after it was due", k, late)
			}
		}
	})
}

// TestRampMeetsEveryStep counts the VUs at every second of a ramp.
func TestRampMeetsEveryStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, scenarioScript(`executor: 'ramping-vus', startVUs: 0, stages: [
			{duration: '8s', target: 512}, {duration: '3s', target: 512}, {duration: '8s', target: 0}], gracefulRampDown: 0`, 0.5))
		var got []float64
		result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{Sample: func(s engine.Sample) {
			if s.Metric.Name() == "vus" {
				got = append(got, s.Value)
			}
		}}})
		want := []float64{0, 64, 128, 192, 256, 320, 384, 448, 512, 512, 512, 512, 448, 384, 320, 256, 192, 128, 64}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("VUs %v, want %v", got, want)
		}
		if s := result.Scenarios[0]; s.VUs != 512 || s.Completed+s.Interrupted != s.Started || s.Dropped != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestRampDown(t *testing.T) {
	tests := []struct {
		name, fields string
		completed    int64
		cut          int64
		duration     time.Duration
	}{
		// Two VUs with iterations of 5 s; one is taken away after 2 s, the other after 10 s.
		{"lets an iteration end", "gracefulRampDown: '10s', gracefulStop: '10s'", 3, 0, 10 * time.Second},
		{"interrupts it after the grace", "gracefulRampDown: '1s', gracefulStop: '10s'", 2, 1, 10 * time.Second},
		{"at once", "gracefulRampDown: 0, gracefulStop: '10s'", 2, 1, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := load(t, scenarioScript(`executor: 'ramping-vus', startVUs: 2, stages: [
					{duration: '2s', target: 2}, {duration: 0, target: 1}, {duration: '8s', target: 1}], `+tt.fields, 5))
				result := run(t, p, engine.RunOptions{})
				if s := result.Scenarios[0]; s.Completed != tt.completed || s.Interrupted != tt.cut || result.Duration != tt.duration {
					t.Errorf("%+v in %s", s, result.Duration)
				}
			})
		})
	}
}

// TestRampBringsAVUBack takes a VU away for a second, within its grace: the
// iteration goes on, and the VU goes on working.
func TestRampBringsAVUBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, scenarioScript(`executor: 'ramping-vus', startVUs: 1, gracefulRampDown: '2s', stages: [
			{duration: '1s', target: 1}, {duration: 0, target: 0}, {duration: '1s', target: 0}, {duration: 0, target: 1}, {duration: '8s', target: 1}]`, 6))
		result := run(t, p, engine.RunOptions{})
		if s := result.Scenarios[0]; s.Completed != 2 || s.Interrupted != 0 || result.Duration != 12*time.Second {
			t.Errorf("%+v in %s", s, result.Duration)
		}
	})
}

// TestRampUsesAnInterruptedVUAgain takes a VU away in the middle of an
// iteration and brings it back later: its runtime is fully usable.
func TestRampUsesAnInterruptedVUAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, scenarioScript(`executor: 'ramping-vus', startVUs: 1, gracefulRampDown: 0, stages: [
			{duration: '1s', target: 1}, {duration: 0, target: 0}, {duration: '1s', target: 0}, {duration: 0, target: 1}, {duration: '8s', target: 1}]`, 3))
		result := run(t, p, engine.RunOptions{})
		if s := result.Scenarios[0]; s.Interrupted != 1 || s.Completed != 3 || s.Failed != 0 || result.Duration != 11*time.Second {
			t.Errorf("%+v in %s", s, result.Duration)
		}
	})
}

func TestStopOfTimedExecutors(t *testing.T) {
	for _, fields := range []string{
		"executor: 'constant-vus', vus: 5, duration: '1h'",
		"executor: 'ramping-vus', startVUs: 5, stages: [{duration: '1h', target: 5}]",
		"executor: 'constant-arrival-rate', rate: 1, duration: '1h', preAllocatedVUs: 5",
	} {
		t.Run(fields, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := load(t, scenarioScript(fields, 4.5))
				stop, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
				defer cancel()
				result, err := p.Run(t.Context(), engine.RunOptions{Stop: stop, StopGrace: time.Minute})
				s := result.Scenarios[0]
				if !errors.Is(err, engine.ErrStopped) || !result.Stopped || s.Interrupted != 0 || s.Completed != s.Started || s.Started == 0 {
					t.Errorf("err %v, %+v", err, s)
				}
				if s.Planned > 0 && s.Started+s.Dropped != s.Planned {
					t.Errorf("started %d, dropped %d of %d", s.Started, s.Dropped, s.Planned)
				}
				if result.Duration > 16*time.Second {
					t.Errorf("stopped after %s", result.Duration)
				}
			})
		})
	}
}

// TestArrivalsOnTheRealClock starts 5,000 iterations in 5 s on real time: the
// count is exact however busy the machine is.
func TestArrivalsOnTheRealClock(t *testing.T) {
	p := load(t, scenarioScript("executor: 'constant-arrival-rate', rate: 1000, duration: '5s', preAllocatedVUs: 512", 0.05))
	result := run(t, p, engine.RunOptions{})
	s := result.Scenarios[0]
	if s.Started+s.Dropped != 5000 || s.Completed != s.Started || s.Lateness.Arrivals != s.Started {
		t.Errorf("%+v", s)
	}
	if result.Duration < 4999*time.Millisecond {
		t.Errorf("the schedule ended after %s", result.Duration)
	}
	t.Logf("dropped %d, lateness %+v", s.Dropped, *s.Lateness)
}

func TestRestartsUnderAnArrivalRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, scenarioScript("executor: 'constant-arrival-rate', rate: 1, duration: '5s', preAllocatedVUs: 3", 1))
		result := run(t, p, engine.RunOptions{Hooks: engine.Hooks{After: func(vu *engine.VU, _ engine.IterationResult) bool { return vu.Iteration().Run < 2 }}})
		// The last arrival, at 4 s, ends at 5 s, when nothing starts any more.
		if s := result.Scenarios[0]; s.Started != 5 || s.Restarted != 4 || s.Completed != 9 {
			t.Errorf("%+v", s)
		}
	})
}
