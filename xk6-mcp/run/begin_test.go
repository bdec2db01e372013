package run_test

import (
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// TestTheTimesOfAPlanBeginWithTheRollouts: what comes before the first of them takes
// nothing of a window away, and a scenario that waits for its own start does.
func TestTheTimesOfAPlanBeginWithTheRollouts(t *testing.T) {
	t.Parallel()
	const wait = 300 * time.Millisecond
	for _, tt := range []struct {
		name, startTime    string
		sinceBase, toFirst time.Duration // at least
	}{
		{"after setup", "0s", wait, 0},
		{"before a start time", "300ms", 0, wait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := storm(t, `
import mcp from 'k6/x/mcp';
import { sleep } from 'k6';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', startTime: '`+tt.startTime+`' } } };
export const storm = { servers: { sim: 'usersim' }, arms: { main: {} } };
export function setup() { sleep(0.3); }
export default function () { mcp.rollout().connect('sim').respond(''); }`, run.Options{Seed: 1})
			begin, first := o.History.Manifest.Arms[0].Start, o.History.Ops[0].Start
			if begin < history.Instant(tt.sinceBase) || first < begin+history.Instant(tt.toFirst) {
				t.Errorf("the arm begins at %v and its first operation at %v", time.Duration(begin), time.Duration(first))
			}
		})
	}
}
