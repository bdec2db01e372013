package capacity

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/compare"
	"mcpstorm/reports/safe"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/run"
)

// Level is one run of a search.
type Level struct {
	Concurrency int       `json:"concurrency"` // rollouts at once
	Rollouts    int       `json:"rollouts"`
	Readings    []Reading `json:"readings"` // in the order of the objectives
	// Held says that every objective holds and that the load was what it says: where
	// this host was the limit, less arrived at the target than was meant to.
	Held bool `json:"held"`
	// Throughput is how many operations a second gave their caller a result.
	Throughput float64 `json:"throughput"`
	// Busy is how much of all processors this process used, reference servers
	// included, from 0 to 1; zero where the host is not probed.
	Busy float64 `json:"busy"`
	// Limit is what was met where the level was not held.
	Limit *Limit        `json:"limit,omitempty"`
	Took  time.Duration `json:"took_ns"`
}

// measure makes one run and reads the objectives off it.
func (s *searcher) measure(ctx context.Context, policy string, concurrency int) (Level, error) {
	rollouts := max(s.settings.Rollouts, 2*concurrency)
	o := s.settings.Run
	o.Dir = filepath.Join(s.settings.Dir, "levels", fmt.Sprintf("%s-%d", cmp.Or(policy, "script"), concurrency))
	o.NoCharts, o.NoSummary, o.AllowEmptyThresholds = true, true, true
	o.Above = append(slices.Clone(o.Above), load(concurrency, rollouts))
	if policy != "" {
		o.Policies = append(slices.Clone(o.Policies), policy)
	}
	if err := os.RemoveAll(o.Dir); err != nil { // what a search that was stopped left
		return Level{}, err
	}
	begun := s.settings.Clock.Now()
	outcome, err := run.Run(ctx, o)
	if err != nil {
		return Level{}, err
	}
	if err := ctx.Err(); err != nil { // it was stopped, and measured part of a level
		return Level{}, err
	}
	level, err := s.read(outcome, concurrency)
	level.Took = s.settings.Clock.Since(begun)
	if err == nil && !s.settings.Keep {
		err = os.RemoveAll(o.Dir)
	}
	return level, err
}

// load are the options that make a level of any script.
func load(concurrency, rollouts int) engine.Layer {
	value := func(option string, n int) engine.Setting {
		text := strconv.Itoa(n)
		return engine.Setting{Option: option, Value: json.RawMessage(text), Source: "capacity: " + option + " " + text}
	}
	return engine.Layer{value("vus", concurrency), value("iterations", rollouts)}
}

// read takes from a run what the search asks of it.
func (s *searcher) read(outcome *run.Outcome, concurrency int) (Level, error) {
	level := Level{Concurrency: concurrency}
	measured, err := compare.Measure(outcome.History)
	if err != nil {
		return level, err
	}
	if len(measured.Arms) != 1 {
		var names []string
		for _, a := range measured.Arms {
			names = append(names, a.Name)
		}
		return level, fmt.Errorf("%w: one judged arm is searched, and it has %d: %s", ErrScript, len(names), strings.Join(names, ", "))
	}
	arm := &measured.Arms[0]
	if err := thrown(outcome.History, arm.Name); err != nil {
		return level, err
	}
	if arm.Rollouts == 0 && len(outcome.Troubles) > 0 {
		return level, fmt.Errorf("capacity: no rollout ran at %d at once: %s", concurrency, outcome.Troubles[0])
	}
	level.Rollouts = arm.Rollouts
	for _, objective := range s.objectives {
		reading, err := objective.read(arm)
		if err != nil {
			return level, err
		}
		level.Readings = append(level.Readings, reading)
	}
	level.Throughput = throughput(outcome.History, arm.Name)
	for _, g := range outcome.Generators {
		if g.Arm == arm.Name && !s.settings.Run.NoHostProbe {
			level.Busy = g.Busy()
		}
	}
	level.Limit = limitOf(outcome, arm.Name, level)
	level.Held = level.Limit == nil
	return level, nil
}

// thrown is the error of a level whose script threw in a rollout: no rate counts that
// one, so that the others would stand for it.
func thrown(h *history.Run, arm string) error {
	for i := range h.Rollouts {
		r := &h.Rollouts[i]
		if r.Arm != arm || r.Outcome != history.ScriptError {
			continue
		}
		text := "with no cause recorded"
		if r.Cause != nil {
			text = safe.Text(r.Cause.Text)
		}
		return fmt.Errorf("%w: it threw in %s: %s", ErrScript, r.Rollout, text)
	}
	return nil
}

// throughput is how many operations of an arm ended with a result in a second, from
// the first that began to the last that ended.
func throughput(run *history.Run, arm string) float64 {
	done, first, last := 0, history.Instant(math.MaxInt64), history.Instant(0)
	for i := range run.Ops {
		op := &run.Ops[i]
		if op.Arm != arm || op.Interrupted {
			continue
		}
		first, last = min(first, op.Start), max(last, op.End)
		if op.Told == history.ToldOK || op.Told == history.ToldToolError {
			done++
		}
	}
	if last <= first {
		return 0
	}
	return float64(done) / time.Duration(last-first).Seconds()
}
