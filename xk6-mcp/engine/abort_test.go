package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"mcpstorm/xk6-mcp/engine"
)

func TestThresholdAborts(t *testing.T) {
	tests := []struct {
		name, threshold string
		duration        time.Duration // until the run ended, at a tick; 0 for the scenario's own end
		grace           time.Duration
	}{
		{"as soon as it fails", "{threshold: 'rate>0.9', abortOnFail: true}", 5 * time.Second, 0},
		{"not before the delay", "{threshold: 'rate>0.9', abortOnFail: true, delayAbortEval: '8s'}", 8 * time.Second, 0},
		{"after the grace", "{threshold: 'rate>0.9', abortOnFail: true}", 5750 * time.Millisecond, time.Minute},
		{"only if asked", "{threshold: 'rate>0.9', abortOnFail: false}", 0, 0},
		{"never while it holds", "{threshold: 'rate>0.1', abortOnFail: true}", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				module := &probe{}
				p := load(t, `import {check, sleep} from 'k6'; import {note} from 'k6/x/probe';
					export const options = {vus: 2, duration: '20s', thresholds: {checks: [`+tt.threshold+`]}};
					export default function () { sleep(0.8); check(0, {good: __ITER < 3}); sleep(0.35) }
					export function teardown() { note('teardown', 'ran') }`, module)
				result := run(t, p, engine.RunOptions{StopGrace: tt.grace})
				want, aborted := tt.duration, `threshold "checks": rate>0.9`
				if want == 0 {
					want, aborted = 20700*time.Millisecond, ""
				}
				if result.Duration != want || result.AbortedBy != aborted || result.Stopped {
					t.Errorf("ended after %s by %q, want %s by %q", result.Duration, result.AbortedBy, want, aborted)
				}
				if len(module.noted("teardown")) != 1 {
					t.Error("teardown did not run")
				}
			})
		})
	}
}

func TestThresholdWithoutSamplesAbortsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load(t, `import {sleep} from 'k6'; export const options = {duration: '3s',
			thresholds: {checks: [{threshold: 'rate>0.9', abortOnFail: true}]}}; export default () => sleep(1)`)
		if result := run(t, p, engine.RunOptions{}); result.AbortedBy != "" || result.Scenarios[0].Completed != 3 {
			t.Errorf("%q, %+v", result.AbortedBy, result.Scenarios[0])
		}
	})
}
