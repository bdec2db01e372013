package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/engine"
)

// ReadFaults reads a fault plan from a file, for Options.Faults. What the plan says
// is looked at when the run is loaded.
func ReadFaults(path string) (json.RawMessage, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--faults %s: no such file", path)
	case err != nil:
		return nil, fmt.Errorf("--faults: %w", err)
	case !json.Valid(text):
		return nil, fmt.Errorf("--faults %s: it is no JSON", path)
	}
	return text, nil
}

// applyFaults puts the command line's fault plan over that of every arm with
// faults.
func (s *Storm) applyFaults(faults json.RawMessage) {
	if faults == nil {
		return
	}
	s.Faults = faults
	for i := range s.Arms {
		if !s.Arms[i].Control() {
			s.Arms[i].Faults = faults
		}
	}
}

// picks are the iterations of the only tasks that are to run, by scenario; nil
// when all are. The tasks are named by the blocks of any arm.
func (r *run) picks(scenarioOf map[int]string) (map[string][]int64, error) {
	if len(r.options.Only) == 0 {
		return nil, nil
	}
	picks := map[string][]int64{}
	for _, task := range r.options.Only {
		block, iteration, err := wire.SplitTask(task)
		if err != nil {
			return nil, fmt.Errorf("--only %s: want a task such as t000017", task)
		}
		scenario, ok := scenarioOf[block]
		if !ok {
			return nil, fmt.Errorf("--only %s: no scenario of this run has it; it has: %s", task, joined(blockNames(scenarioOf)))
		}
		if planned := r.plannedOf(scenario); planned >= 0 && iteration >= planned {
			return nil, fmt.Errorf("--only %s: scenario %s has %d iterations", task, scenario, planned)
		}
		if !slices.Contains(picks[scenario], iteration) {
			picks[scenario] = append(picks[scenario], iteration)
		}
	}
	return picks, nil
}

// blockNames say which tasks belong to which scenario.
func blockNames(scenarioOf map[int]string) []string {
	names := make([]string, 0, len(scenarioOf))
	for block := range len(scenarioOf) {
		names = append(names, fmt.Sprintf("%s and on (%s)", wire.TaskID(block, 0), scenarioOf[block]))
	}
	return names
}

// plannedOf is how many iterations a scenario of the script is to start.
func (r *run) plannedOf(scenario string) int64 {
	for _, s := range r.program.Options().Scenarios {
		if s.Name == scenario {
			return s.Planned()
		}
	}
	return 0
}

// scenarios are those of the script, cut down to the iterations that are to run.
func (r *run) scenarios() []engine.Scenario {
	list := slices.Clone(r.program.Options().Scenarios)
	for i, s := range list {
		if r.pick != nil {
			list[i] = s.Pick(r.pick[s.Name])
		}
	}
	return list
}
