package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpstorm/internal/near"
	"mcpstorm/internal/seed"
	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/run"
)

// runFlags are the flags of the verbs that read a script as run does.
type runFlags struct {
	command *cobra.Command
	options run.Options
	root    uint64
	latency time.Duration
	faults  string
	env     []string
	tags    []string
	stages  []string
	config  string
	system  bool // the process's environment goes into __ENV
	log     logFlags
	outputs outputFlags
	publish reports.PublishOptions
	summary string // compact, full or disabled
	quiet   bool
	noColor bool
}

// optionFlag is a flag that sets one of the options that a script can export.
type optionFlag struct{ name, short, option, usage string }

// textFlags take a value, and truthFlags none.
var (
	textFlags = []optionFlag{
		{"vus", "u", "vus", "virtual users: of every scenario, unless another flag says how long to run"},
		{"iterations", "i", "iterations", "run this many iterations in the place of the script's scenarios"},
		{"duration", "d", "duration", "run for this long in the place of the script's scenarios"},
		{"min-iteration-duration", "", "minIterationDuration", "let no iteration take less"},
		{"summary-trend-stats", "", "summaryTrendStats", "the statistics of a trend in the summary: avg,p(95),…"},
		{"summary-time-unit", "", "summaryTimeUnit", "the unit of all times in the summary: s, ms or us"},
		{"system-tags", "", "systemTags", "the tags that samples get by themselves: scenario,check,vu,…"},
	}
	truthFlags = []optionFlag{
		{"throw", "w", "throw", "throw an exception for a value that no metric can take"},
		{"no-setup", "", "noSetup", "leave the script's setup out"},
		{"no-teardown", "", "noTeardown", "leave the script's teardown out"},
		{"no-thresholds", "", "noThresholds", "leave the script's thresholds out"},
	}
)

// variables are the flags that a variable of the environment can set, of the verbs
// that have them.
var variables = map[string]string{
	"K6_LOG_FORMAT": "log-format", "K6_LOG_OUTPUT": "log-output", "K6_CONSOLE_OUTPUT": "console-output", "K6_SUMMARY_MODE": "summary-mode",
	"K6_CONFIG": "config", "K6_OUT": "out", "K6_SUMMARY_EXPORT": "summary-export",
}

var summaryModes = []string{"compact", "full", "disabled"}

// outputPrefixes are how the variables begin that belong to an output.
var outputPrefixes = []string{"K6_OTEL_", "K6_PROMETHEUS_"}

// strangers are the variables that look like k6's and that nothing reads.
func strangers(environ []string) (lines []string) {
	known := slices.Concat(engine.Variables(), slices.Sorted(maps.Keys(variables)))
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		ours := slices.ContainsFunc(outputPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if strings.HasPrefix(name, "K6_") && value != "" && !ours && !slices.Contains(known, name) {
			lines = append(lines, fmt.Sprintf("%s is set in the environment, and nothing reads it%s", name, near.SuggestionAfter("K6_", name, known)))
		}
	}
	return lines
}

// bindK6 declares the flags that k6 has too. Including the environment is for
// run, where nothing of it is printed.
func (f *runFlags) bindK6(c *cobra.Command, includeEnvironment bool) {
	f.command = c
	flags := c.Flags()
	for _, t := range textFlags {
		flags.StringP(t.name, t.short, "", t.usage)
	}
	for _, t := range truthFlags {
		flags.BoolP(t.name, t.short, false, t.usage)
	}
	flags.StringArrayVarP(&f.stages, "stage", "s", nil, "ramp to a number of VUs in the place of the script's scenarios: 30s:10,…")
	flags.StringSliceVar(&f.options.Scenarios, "scenario", nil, "run only these of the script's scenarios: NAME,…")
	flags.StringArrayVar(&f.tags, "tag", nil, "NAME=VALUE for every sample")
	flags.StringArrayVarP(&f.env, "env", "e", nil, "NAME=VALUE for the script's __ENV")
	flags.BoolVar(&f.system, "include-system-env-vars", includeEnvironment, "put the environment into the script's __ENV")
	flags.StringVarP(&f.config, "config", "c", "", "a JSON file of options, weaker than the script's own")
	flags.BoolVar(&f.options.AllowEmptyThresholds, "allow-empty-thresholds", false, "pass a threshold on a metric without a sample, as k6 does")
	flags.StringVar(&f.summary, "summary-mode", "compact", "how much the summary says: "+strings.Join(summaryModes, ", "))
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	flags.BoolVar(&f.noColor, "no-color", false, "write without colours")
	f.log.bind(c)
}

// resolve makes the options of a run of the flags, the environment and the
// configuration file.
func (f *runFlags) resolve(script string) (run.Options, error) {
	o := f.options
	if script == "-" {
		return o, errors.New("a script from standard input is not supported: name a file")
	}
	o.Script, o.Seed = script, seed.Root(f.root)
	if f.command.Flags().Changed("turn-latency") {
		o.TurnLatency = &f.latency
	}
	if f.faults != "" {
		var err error
		if o.Faults, err = run.ReadFaults(f.faults); err != nil {
			return o, err
		}
	}
	if err := f.setByVariables(); err != nil {
		return o, err
	}
	if !slices.Contains(summaryModes, f.summary) {
		return o, fmt.Errorf("--summary-mode %s: want %s", f.summary, strings.Join(summaryModes, ", "))
	}
	o.NoSummary = f.summary == "disabled"
	var err error
	if o.Env, err = f.environment(); err != nil {
		return o, err
	}
	if o.Below, err = f.configLayer(); err != nil {
		return o, err
	}
	environment, err := engine.Environment(os.Environ())
	if err != nil {
		return o, err
	}
	flags, err := f.layer()
	if err != nil {
		return o, err
	}
	o.Above = []engine.Layer{environment, flags}
	o.Version, o.Revision = version()
	return o, nil
}

// setByVariables sets the flags that were not given and that a variable sets.
func (f *runFlags) setByVariables() error {
	for _, variable := range slices.Sorted(maps.Keys(variables)) {
		flag, value := variables[variable], os.Getenv(variable)
		if value == "" || f.command.Flags().Lookup(flag) == nil || f.command.Flags().Changed(flag) {
			continue
		}
		if err := f.command.Flags().Set(flag, value); err != nil {
			return fmt.Errorf("%s=%s: %w", variable, value, err)
		}
	}
	return nil
}

// layer are the options that the flags set.
func (f *runFlags) layer() (engine.Layer, error) {
	var layer engine.Layer
	set := func(option, value, source string) error {
		one, err := engine.Set(option, value, source)
		layer = append(layer, one)
		return err
	}
	for _, t := range slices.Concat(textFlags, truthFlags) {
		flag := f.command.Flags().Lookup(t.name)
		if !flag.Changed {
			continue
		}
		source := "--" + t.name
		if value := flag.Value.String(); value != "true" {
			source += " " + value
		}
		if err := set(t.option, flag.Value.String(), source); err != nil {
			return nil, err
		}
	}
	if len(f.stages) > 0 {
		all := strings.Join(f.stages, ",")
		if err := set("stages", all, "--stage "+all); err != nil {
			return nil, err
		}
	}
	if len(f.tags) > 0 {
		tags, err := pairs("--tag", f.tags)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(tags)
		if err != nil {
			return nil, err
		}
		layer = append(layer, engine.Setting{Option: "tags", Value: value, Source: "--tag"})
	}
	return layer, nil
}

// configLayer reads the configuration file.
func (f *runFlags) configLayer() ([]engine.Layer, error) {
	if f.config == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.config)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--config %s: no such file", f.config)
	}
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	layer, err := engine.ConfigFile(f.config, text)
	return []engine.Layer{layer}, err
}

// environment is the script's __ENV: the process's own, and over it the flags.
func (f *runFlags) environment() (map[string]string, error) {
	env := map[string]string{}
	if f.system {
		for _, pair := range os.Environ() {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
	}
	given, err := pairs("--env", f.env)
	maps.Copy(env, given)
	return env, err
}

// pairs reads NAME=VALUE as often as a flag was given.
func pairs(flag string, given []string) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%s %s: want NAME=VALUE", flag, pair)
		}
		values[name] = value
	}
	return values, nil
}
