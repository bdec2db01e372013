package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

var (
	knownOptions = []string{
		"scenarios", "thresholds", "vus", "iterations", "duration", "stages",
		"setupTimeout", "teardownTimeout", "handleSummaryTimeout", "tags", "summaryTrendStats", "summaryTimeUnit",
		"systemTags", "minIterationDuration", "throw", "noSetup", "noTeardown", "noThresholds",
	}
	// httpOptions are k6's options for requests of k6/http. That module does not exist
	// here, so that they change nothing: they are named in a warning.
	httpOptions = []string{
		"batch", "batchPerHost", "blacklistIPs", "blockHostnames", "discardResponseBodies", "dns", "hosts", "httpDebug",
		"insecureSkipTLSVerify", "localIPs", "maxRedirects", "noConnectionReuse", "noCookiesReset", "noVUConnectionReuse",
		"rps", "tlsAuth", "tlsCipherSuites", "tlsVersion", "userAgent",
	}
	timeUnits             = []string{"s", "ms", "us"}
	commonScenarioOptions = []string{"executor", "gracefulStop", "startTime", "exec", "env", "tags"}
	// executorOptions are what each executor has beside the common options.
	executorOptions = map[string][]string{
		SharedIterations:    {"vus", "iterations", "maxDuration"},
		PerVUIterations:     {"vus", "iterations", "maxDuration"},
		ConstantVUs:         {"vus", "duration"},
		RampingVUs:          {"startVUs", "stages", "gracefulRampDown"},
		ConstantArrivalRate: {"rate", "duration", "timeUnit", "preAllocatedVUs", "maxVUs"},
		RampingArrivalRate:  {"startRate", "stages", "timeUnit", "preAllocatedVUs", "maxVUs"},
	}
	// requiredOptions are those of them without a default.
	requiredOptions = map[string][]string{
		ConstantVUs:         {"duration"},
		RampingVUs:          {"stages"},
		ConstantArrivalRate: {"rate", "duration", "preAllocatedVUs"},
		RampingArrivalRate:  {"stages", "preAllocatedVUs"},
	}
)

// parseOptions reads the JSON of a script's exported options, and lays it between
// the weaker and the stronger layers.
func parseOptions(raw json.RawMessage, o LoadOptions) (declared, error) {
	d := declared{rest: Options{
		SetupTimeout:    defaultHookTimeout,
		TeardownTimeout: defaultHookTimeout,
		SummaryTimeout:  defaultSummaryTimeout,
		TrendStats:      defaultTrendSet,
	}}
	script, err := scriptLayer(raw)
	if err != nil {
		return d, err
	}
	for _, layer := range slices.Concat(o.Below, []Layer{script}, o.Above) {
		if err := d.lay(layer); err != nil {
			return d, err
		}
	}
	if len(o.Scenarios) > 0 {
		if err := d.only(o.Scenarios); err != nil {
			return d, err
		}
	}
	d.dropThresholds()
	d.warnOfHTTP()
	return d, nil
}

// scriptLayer is what the script itself says.
func scriptLayer(raw json.RawMessage) (Layer, error) {
	if raw == nil {
		return nil, nil
	}
	fields, err := members(raw)
	if err != nil {
		return nil, configError("options: %w", err)
	}
	var layer Layer
	for _, f := range fields {
		layer = append(layer, Setting{Option: f.key, Value: f.value})
	}
	return layer, nil
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
		err = parseWhole(where, f.value, d.vus) // stages may begin with none
	case "iterations":
		d.iterations = new(int64)
		err = parseCount(where, f.value, d.iterations)
	case "duration":
		d.duration = new(time.Duration)
		err = parsePositive(where, f.value, d.duration)
	case "stages":
		d.stages, err = parseStages(where, f.value)
	case "handleSummaryTimeout":
		err = parseDurationField(where, f.value, &d.rest.SummaryTimeout)
	case "setupTimeout":
		err = parseDurationField(where, f.value, &d.rest.SetupTimeout)
	case "teardownTimeout":
		err = parseDurationField(where, f.value, &d.rest.TeardownTimeout)
	case "tags":
		d.rest.Tags = nil // those of a weaker source are replaced
		err = parseField(where, f.value, &d.rest.Tags)
	case "summaryTrendStats":
		d.rest.TrendStats, err = parseTrendStats(where, f.value)
	case "summaryTimeUnit":
		err = parseName(where, f.value, &d.rest.TimeUnit, "unit", timeUnits)
	case "systemTags":
		d.rest.SystemTags, err = parseSystemTags(where, f.value)
	case "minIterationDuration":
		err = parseDurationField(where, f.value, &d.rest.MinIteration)
	case "throw":
		err = parseField(where, f.value, &d.rest.Throw)
	case "noSetup":
		err = parseField(where, f.value, &d.rest.NoSetup)
	case "noTeardown":
		err = parseField(where, f.value, &d.rest.NoTeardown)
	case "noThresholds":
		err = parseField(where, f.value, &d.rest.NoThresholds)
	default:
		if slices.Contains(httpOptions, f.key) {
			d.http = append(d.http, f.key)
			return nil
		}
		return unknown("option", f.key, "", knownOptions)
	}
	return err
}

// warnOfHTTP names the options that change nothing here.
func (d *declared) warnOfHTTP() {
	if len(d.http) == 0 {
		return
	}
	slices.Sort(d.http)
	d.warn("options for k6/http, which does not exist here, change nothing: %s", strings.Join(slices.Compact(d.http), ", "))
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
			return nil, at(err, f.key)
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

func parseScenario(name string, raw json.RawMessage) (Scenario, error) {
	fields, err := members(raw)
	if err != nil {
		return Scenario{}, configError("scenario %q: %w", name, err)
	}
	executor, err := executorOf(name, fields)
	if err != nil {
		return Scenario{}, err
	}
	s := newScenario(name, executor)
	known := slices.Concat(commonScenarioOptions, executorOptions[executor])
	for _, f := range fields {
		if !slices.Contains(known, f.key) {
			return s, at(unknown("option", f.key, fmt.Sprintf(" in scenario %q", name), known), f.key)
		}
		if err := s.field(f); err != nil {
			return s, at(err, f.key)
		}
	}
	for _, key := range requiredOptions[executor] {
		if !slices.ContainsFunc(fields, func(f member) bool { return f.key == key }) {
			return s, configError("scenario %q: %s is missing: %s needs %s", name, key, executor, strings.Join(requiredOptions[executor], ", "))
		}
	}
	return s, s.complete()
}

// executorOf reads the executor first: every other option depends on it.
func executorOf(name string, fields []member) (executor string, err error) {
	i := slices.IndexFunc(fields, func(f member) bool { return f.key == "executor" })
	if i < 0 {
		return "", configError("scenario %q: executor is missing; known: %s", name, strings.Join(knownExecutors, ", "))
	}
	if err := parseField("scenario "+name+": executor", fields[i].value, &executor); err != nil {
		return "", err
	}
	if !slices.Contains(knownExecutors, executor) {
		return "", at(unknown("executor", executor, fmt.Sprintf(" in scenario %q", name), knownExecutors), "executor")
	}
	return executor, nil
}

// complete derives what the options leave open, and checks them together.
func (s *Scenario) complete() error {
	if s.Executor == RampingVUs {
		if s.VUs = s.peak(); s.VUs < 1 {
			return configError("scenario %q: stages: no stage asks for a VU", s.Name)
		}
	}
	if s.hasArrivals() {
		if s.MaxVUs == 0 {
			s.MaxVUs = s.VUs
		}
		if s.MaxVUs < s.VUs {
			return configError("scenario %q: maxVUs: want at least preAllocatedVUs, %d, got %d", s.Name, s.VUs, s.MaxVUs)
		}
	}
	return nil
}

func (s *Scenario) field(f member) error {
	where := fmt.Sprintf("scenario %q: %s", s.Name, f.key)
	switch f.key {
	case "vus", "preAllocatedVUs":
		return parseCount(where, f.value, &s.VUs)
	case "maxVUs":
		return parseCount(where, f.value, &s.MaxVUs)
	case "startVUs":
		return parseWhole(where, f.value, &s.StartVUs)
	case "iterations":
		return parseCount(where, f.value, &s.Iterations)
	case "rate":
		return parseCount(where, f.value, &s.Rate)
	case "startRate":
		return parseWhole(where, f.value, &s.StartRate)
	case "timeUnit":
		return parsePositive(where, f.value, &s.TimeUnit)
	case "duration":
		return parsePositive(where, f.value, &s.Duration)
	case "maxDuration":
		return parseDurationField(where, f.value, &s.MaxDuration)
	case "gracefulStop":
		return parseDurationField(where, f.value, &s.GracefulStop)
	case "gracefulRampDown":
		return parseDurationField(where, f.value, &s.GracefulRampDown)
	case "startTime":
		return parseDurationField(where, f.value, &s.StartTime)
	case "stages":
		return s.parseStages(where, f.value)
	case "exec":
		return parseField(where, f.value, &s.Exec)
	case "env":
		return parseField(where, f.value, &s.Env)
	case "tags":
		return parseField(where, f.value, &s.Tags)
	}
	return nil // the executor, which was read first
}

func (s *Scenario) parseStages(where string, raw json.RawMessage) (err error) {
	s.Stages, err = parseStages(where, raw)
	return err
}

// parseStages reads a list of {duration, target}, which must take some time.
func parseStages(where string, raw json.RawMessage) ([]Stage, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil || len(entries) == 0 {
		return nil, configError("%s: want a list of {duration, target}, got %s", where, raw)
	}
	var stages []Stage
	var sum time.Duration
	for i, entry := range entries {
		stage, err := parseStage(fmt.Sprintf("%s[%d]", where, i), entry)
		if err != nil {
			return nil, err
		}
		stages, sum = append(stages, stage), sum+stage.Duration
	}
	if sum <= 0 {
		return nil, configError("%s: want stages that take some time", where)
	}
	return stages, nil
}

func parseStage(where string, raw json.RawMessage) (stage Stage, err error) {
	fields, err := members(raw)
	if err != nil {
		return stage, configError("%s: %w", where, err)
	}
	known := []string{"duration", "target"}
	for _, f := range fields {
		switch f.key {
		case "duration":
			err = parseDurationField(where+".duration", f.value, &stage.Duration)
		case "target":
			err = parseWhole(where+".target", f.value, &stage.Target)
		default:
			err = unknown("option", f.key, " in "+where, known)
		}
		if err != nil {
			return stage, err
		}
	}
	if len(fields) < len(known) {
		return stage, configError("%s: want both duration and target, got %s", where, raw)
	}
	return stage, nil
}

// parseSystemTags reads the tags that samples are to have by themselves. All of
// k6's names are known, also those of protocols that nothing here speaks.
func parseSystemTags(where string, raw json.RawMessage) ([]string, error) {
	chosen := []string{}
	if err := parseField(where, raw, &chosen); err != nil {
		return nil, err
	}
	for _, name := range chosen {
		if !slices.Contains(systemTags, name) {
			return nil, configError("%s: %w", where, badName("tag", name, systemTags))
		}
	}
	return chosen, nil
}

// parseName reads one of some known names.
func parseName(where string, raw json.RawMessage, to *string, kind string, known []string) error {
	if err := parseField(where, raw, to); err != nil {
		return err
	}
	if !slices.Contains(known, *to) {
		return configError("%s: %w", where, badName(kind, *to, known))
	}
	return nil
}

func badName(kind, name string, known []string) error {
	return fmt.Errorf("no %s %q; known: %s%s", kind, name, strings.Join(known, ", "), suggestion(name, known))
}

func parseTrendStats(where string, raw json.RawMessage) ([]string, error) {
	var stats []string
	if err := parseField(where, raw, &stats); err != nil {
		return nil, err
	}
	for _, stat := range stats {
		if _, err := parseAggregation(stat, Trend, "count"); err != nil {
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
	case *bool:
		return "true or false"
	}
	return "a whole number"
}

func parseCount[N int | int64](where string, raw json.RawMessage, to *N) error {
	return parseAtLeast(where, raw, to, 1)
}

// parseWhole reads a count that may be zero.
func parseWhole[N int | int64](where string, raw json.RawMessage, to *N) error {
	return parseAtLeast(where, raw, to, 0)
}

func parseAtLeast[N int | int64](where string, raw json.RawMessage, to *N, least N) error {
	if err := parseField(where, raw, to); err != nil {
		return err
	}
	if *to < least {
		return configError("%s: want at least %d, got %d", where, least, *to)
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

func parsePositive(where string, raw json.RawMessage, to *time.Duration) error {
	if err := parseDurationField(where, raw, to); err != nil {
		return err
	}
	if *to <= 0 {
		return configError("%s: want more than zero, got %s", where, raw)
	}
	return nil
}
