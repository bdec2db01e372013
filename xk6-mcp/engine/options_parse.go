package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

var (
	knownOptions = []string{
		"scenarios", "thresholds", "vus", "iterations", "setupTimeout", "teardownTimeout", "tags", "summaryTrendStats",
	}
	knownScenarioOptions = []string{
		"executor", "vus", "iterations", "maxDuration", "gracefulStop", "startTime", "exec", "env", "tags",
	}
)

// parseOptions reads the JSON of a script's exported options.
func parseOptions(raw json.RawMessage) (declared, error) {
	d := declared{rest: Options{
		SetupTimeout:    defaultHookTimeout,
		TeardownTimeout: defaultHookTimeout,
		TrendStats:      defaultTrendSet,
	}}
	if raw == nil {
		return d, nil
	}
	fields, err := members(raw)
	if err != nil {
		return d, configError("options: %w", err)
	}
	for _, f := range fields {
		if err := d.field(f); err != nil {
			return d, err
		}
	}
	if d.scenarios != nil && (d.vus != nil || d.iterations != nil) {
		return d, configError("options: scenarios cannot be combined with vus or iterations")
	}
	return d, nil
}

func (d *declared) field(f member) (err error) {
	where := "options." + f.key
	switch f.key {
	case "scenarios":
		d.scenarios, err = parseScenarios(f.value)
	case "thresholds":
		d.rest.Thresholds, err = parseThresholds(f.value)
	case "vus":
		d.vus = new(int)
		err = parseCount(where, f.value, d.vus)
	case "iterations":
		d.iterations = new(int64)
		err = parseCount(where, f.value, d.iterations)
	case "setupTimeout":
		err = parseDurationField(where, f.value, &d.rest.SetupTimeout)
	case "teardownTimeout":
		err = parseDurationField(where, f.value, &d.rest.TeardownTimeout)
	case "tags":
		err = parseField(where, f.value, &d.rest.Tags)
	case "summaryTrendStats":
		d.rest.TrendStats, err = parseTrendStats(where, f.value)
	default:
		return notSupported(fmt.Sprintf("option %q", f.key), knownOptions)
	}
	return err
}

func parseScenarios(raw json.RawMessage) ([]Scenario, error) {
	fields, err := members(raw)
	if err != nil {
		return nil, configError("options.scenarios: %w", err)
	}
	if len(fields) == 0 {
		return nil, configError("options.scenarios: want at least one scenario")
	}
	scenarios := make([]Scenario, 0, len(fields))
	for _, f := range fields {
		s, err := parseScenario(f.key, f.value)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

func parseScenario(name string, raw json.RawMessage) (Scenario, error) {
	s := newScenario(name)
	fields, err := members(raw)
	if err != nil {
		return s, configError("scenario %q: %w", name, err)
	}
	if err := s.executorOf(fields); err != nil {
		return s, err
	}
	for _, f := range fields {
		if err := s.field(f); err != nil {
			return s, err
		}
	}
	return s, nil
}

// executorOf reads the executor first: another executor has other keys, and
// refusing one of those would hide the real reason.
func (s *Scenario) executorOf(fields []member) error {
	i := slices.IndexFunc(fields, func(f member) bool { return f.key == "executor" })
	if i < 0 {
		return configError("scenario %q: executor is missing; known: %v", s.Name, knownExecutors)
	}
	if err := parseField("scenario "+s.Name+": executor", fields[i].value, &s.Executor); err != nil {
		return err
	}
	if !slices.Contains(knownExecutors, s.Executor) {
		return notSupported(fmt.Sprintf("executor %q in scenario %q", s.Executor, s.Name), knownExecutors)
	}
	return nil
}

func (s *Scenario) field(f member) error {
	where := fmt.Sprintf("scenario %q: %s", s.Name, f.key)
	switch f.key {
	case "executor":
		return nil
	case "vus":
		return parseCount(where, f.value, &s.VUs)
	case "iterations":
		return parseCount(where, f.value, &s.Iterations)
	case "maxDuration":
		return parseDurationField(where, f.value, &s.MaxDuration)
	case "gracefulStop":
		return parseDurationField(where, f.value, &s.GracefulStop)
	case "startTime":
		return parseDurationField(where, f.value, &s.StartTime)
	case "exec":
		return parseField(where, f.value, &s.Exec)
	case "env":
		return parseField(where, f.value, &s.Env)
	case "tags":
		return parseField(where, f.value, &s.Tags)
	}
	return notSupported(fmt.Sprintf("option %q in scenario %q", f.key, s.Name), knownScenarioOptions)
}

func parseTrendStats(where string, raw json.RawMessage) ([]string, error) {
	var stats []string
	if err := parseField(where, raw, &stats); err != nil {
		return nil, err
	}
	for _, stat := range stats {
		if stat == "count" {
			continue
		}
		if _, err := parseAggregation(stat, Trend); err != nil {
			return nil, configError("%s: %w", where, err)
		}
	}
	return stats, nil
}

// parseField reads one typed value and names the field when it cannot.
func parseField(where string, raw json.RawMessage, to any) error {
	if err := json.Unmarshal(raw, to); err != nil {
		return configError("%s: want %s, got %s", where, kindOf(to), raw)
	}
	return nil
}

func kindOf(to any) string {
	switch to.(type) {
	case *string:
		return "a string"
	case *[]string:
		return "a list of strings"
	case *map[string]string:
		return "an object of strings"
	}
	return "a whole number"
}

func parseCount[N int | int64](where string, raw json.RawMessage, to *N) error {
	if err := parseField(where, raw, to); err != nil {
		return err
	}
	if *to < 1 {
		return configError("%s: want at least 1, got %d", where, *to)
	}
	return nil
}

func parseDurationField(where string, raw json.RawMessage, to *time.Duration) error {
	d, err := parseDuration(raw)
	if err != nil {
		return configError("%s: %w", where, err)
	}
	*to = d
	return nil
}
