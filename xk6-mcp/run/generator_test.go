package run_test

import (
	"strings"
	"testing"
	"time"

	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/run"
)

func TestGeneratorWarnings(t *testing.T) {
	late := func(p99 time.Duration) *engine.Lateness { return &engine.Lateness{Arrivals: 100, P99: p99} }
	tests := []struct {
		name      string
		cpu       time.Duration
		scenarios []engine.ScenarioResult
		want      []string
	}{
		{"idle", time.Second, []engine.ScenarioResult{{Name: "s", Lateness: late(9 * time.Millisecond)}}, nil},
		{"no arrivals", time.Second, []engine.ScenarioResult{{Name: "s", Dropped: 5}}, nil},
		{"busy", 19 * time.Second, nil, []string{"arm main: the generator was the limit: it used 95 % of 2 processors"}},
		{"late", time.Second, []engine.ScenarioResult{{Name: "s", Lateness: late(25 * time.Millisecond)}}, []string{"the slowest 1 % of the iterations of s started 25ms late or more"}},
		{"too slow to grow", time.Second, []engine.ScenarioResult{{Name: "s", Lateness: late(0), VUs: 5, MaxVUs: 9, Dropped: 3}}, []string{"the generator was the limit: s dropped 3 iterations with 5 of 9 VUs started; raise preAllocatedVUs"}},
		{"no VU left", time.Second, []engine.ScenarioResult{{Name: "s", Lateness: late(0), VUs: 9, MaxVUs: 9, Dropped: 3}}, []string{"arm main: s dropped 3 iterations: all of its 9 VUs were busy; raise maxVUs"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run.Generator{Arm: "main", CPU: tt.cpu, Wall: 10 * time.Second, CPUs: 2, Scenarios: tt.scenarios}.Warnings()
			if len(got) != len(tt.want) {
				t.Fatalf("warnings %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.Contains(got[i], tt.want[i]) {
					t.Errorf("warning %q, want %q", got[i], tt.want[i])
				}
			}
		})
	}
}

// TestGeneratorIsMeasured looks at a run under an arrival rate with too few VUs.
func TestGeneratorIsMeasured(t *testing.T) {
	outcome := storm(t, `
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';
export const options = { scenarios: { s: { executor: 'constant-arrival-rate', rate: 50, duration: '500ms', preAllocatedVUs: 1 } } };
export const storm = { servers: { sim: { server: 'usersim', turns: 1 } }, arms: { main: {} } };
export default function () { mcp.rollout().connect('sim').respond(''); sleep(0.2); }`, run.Options{})
	if len(outcome.Generators) != 1 {
		t.Fatalf("generators %+v", outcome.Generators)
	}
	g := outcome.Generators[0]
	if g.Arm != "main" || g.Wall < 400*time.Millisecond || g.CPU <= 0 || g.CPUs < 1 || g.Busy() <= 0 {
		t.Errorf("generator %+v", g)
	}
	if s := g.Scenarios[0]; s.Lateness == nil || s.Dropped == 0 || s.Started+s.Dropped != 25 {
		t.Errorf("scenario %+v", s)
	}
	if warnings := strings.Join(g.Warnings(), "\n"); !strings.Contains(warnings, "all of its 1 VUs were busy") {
		t.Errorf("warnings %q", warnings)
	}
}
