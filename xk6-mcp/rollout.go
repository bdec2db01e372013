package xk6mcp

import (
	"fmt"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// rollout is one run of a task by one virtual user. It belongs to that user's
// goroutine.
type rollout struct {
	task    string
	restart int
	record  history.Rollout
	steps   int
	conns   []*connection
	// unknown is true once an operation whose repeat does harm was told unknown.
	unknown bool
	// repeats counts the calls that only a digest tells apart, by their key.
	repeats map[string]int
}

func newRollout(arm, task string, restart int, scenario string, iteration int64, vu int, start history.Instant) *rollout {
	id := fmt.Sprintf("%s.%d", task, restart)
	return &rollout{
		task: task, restart: restart,
		record: history.Rollout{
			Arm: arm, Scenario: scenario, Task: task, Rollout: id,
			Iteration: iteration, VU: vu, Start: start,
		},
		repeats: map[string]int{},
	}
}

// step takes the next number of the script's calls on the rollout.
func (r *rollout) step() string {
	r.steps++
	r.record.Ops = r.steps
	return wire.StepID(r.steps)
}

// key names a call, and numbers it where only a digest tells it apart.
func (r *rollout) key(server Server, call wire.ToolCall) string {
	key := server.Keys.Key(call.Name, call.Arguments)
	if !strings.HasPrefix(key, "args:") {
		return key
	}
	scoped := server.Name + "/" + key
	r.repeats[scoped]++
	return fmt.Sprintf("%s#%d", key, r.repeats[scoped])
}
