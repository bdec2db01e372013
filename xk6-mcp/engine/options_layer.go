package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Layer is one source of options beside the script: a configuration file, the
// environment, or the flags of a command line. A layer replaces what a weaker
// one says of the same option; lists and tags are not merged.
type Layer []Setting

// Setting is one option of a layer.
type Setting struct {
	// Option is its name, as a script's options would have it: "vus".
	Option string
	// Value is JSON, as a script's options would have it: 5, "30s", [...].
	Value json.RawMessage
	// Source is what a message calls it, such as "--vus five" or "config file
	// storm.json".
	Source string
}

// ConfigFile reads a configuration file: a JSON object of options. The name is
// for messages. Errors wrap ErrConfig.
func ConfigFile(name string, text []byte) (Layer, error) {
	source := "config file " + name
	if !json.Valid(text) {
		return nil, configError("%s: %w", source, json.Unmarshal(text, new(any)))
	}
	fields, err := members(text)
	if err != nil {
		return nil, configError("%s: %w", source, err)
	}
	var layer Layer
	for _, f := range fields {
		layer = append(layer, Setting{f.key, f.value, source})
	}
	return layer, nil
}

// textOptions are the options that a flag or a variable can set, with the
// variable and how its text is read.
var textOptions = []struct {
	option, variable string
	read             func(text string) (json.RawMessage, error)
}{
	{"vus", "K6_VUS", literal},
	{"iterations", "K6_ITERATIONS", literal},
	{"duration", "K6_DURATION", literal},
	{"stages", "K6_STAGES", stageList},
	{"setupTimeout", "K6_SETUP_TIMEOUT", literal},
	{"teardownTimeout", "K6_TEARDOWN_TIMEOUT", literal},
	{"minIterationDuration", "K6_MIN_ITERATION_DURATION", literal},
	{"throw", "K6_THROW", truth},
	{"noSetup", "K6_NO_SETUP", truth},
	{"noTeardown", "K6_NO_TEARDOWN", truth},
	{"noThresholds", "K6_NO_THRESHOLDS", truth},
	{"summaryTrendStats", "K6_SUMMARY_TREND_STATS", list},
	{"summaryTimeUnit", "K6_SUMMARY_TIME_UNIT", quoted},
	{"systemTags", "K6_SYSTEM_TAGS", list},
}

// Set reads an option from the text of a flag or a variable: a number, a
// duration ("30s", or a number of milliseconds), true or false, a list with
// commas, or stages such as "5s:10,1m:20". The source is for messages. Errors
// wrap ErrConfig.
func Set(option, text, source string) (Setting, error) {
	var known []string
	for _, o := range textOptions {
		if o.option == option {
			value, err := o.read(text)
			if err != nil {
				return Setting{}, configError("%s: %w", source, err)
			}
			return Setting{option, value, source}, nil
		}
		known = append(known, o.option)
	}
	return Setting{}, fromSource(source, unknown("option", option, "", known))
}

// Environment reads the options that a process environment, a list of
// NAME=VALUE, sets by k6's variables. An empty value sets nothing. Errors wrap
// ErrConfig.
func Environment(environ []string) (Layer, error) {
	values := make(map[string]string, len(environ))
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	var layer Layer
	for _, o := range textOptions {
		text := values[o.variable]
		if text == "" {
			continue
		}
		setting, err := Set(o.option, text, o.variable+"="+text)
		if err != nil {
			return nil, err
		}
		layer = append(layer, setting)
	}
	return layer, nil
}

// Variables are the environment variables that Environment reads.
func Variables() []string {
	names := make([]string, len(textOptions))
	for i, o := range textOptions {
		names[i] = o.variable
	}
	return names
}

// literal is a number as it stands, and any other text in quotes, so that what
// is wrong with it is said where the option is read.
func literal(text string) (json.RawMessage, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	return quoted(text)
}

func quoted(text string) (json.RawMessage, error) { return json.Marshal(text) }

func truth(text string) (json.RawMessage, error) {
	yes, err := strconv.ParseBool(text)
	if err != nil {
		return nil, fmt.Errorf("want true or false, got %q", text)
	}
	return json.Marshal(yes)
}

func list(text string) (json.RawMessage, error) { return json.Marshal(strings.Split(text, ",")) }

// stageList reads DURATION:TARGET,…
func stageList(text string) (json.RawMessage, error) {
	var stages []map[string]json.RawMessage
	for part := range strings.SplitSeq(text, ",") {
		duration, target, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok || duration == "" || target == "" {
			return nil, fmt.Errorf("want DURATION:TARGET such as 30s:10, got %q", part)
		}
		how, err := literal(duration)
		if err != nil {
			return nil, err
		}
		many, err := literal(target)
		if err != nil {
			return nil, err
		}
		stages = append(stages, map[string]json.RawMessage{"duration": how, "target": many})
	}
	return json.Marshal(stages)
}

// lay puts a layer over everything that was said before it.
func (d *declared) lay(layer Layer) error {
	own := declared{rest: d.rest}
	var work []string // the sources that say what is to be run
	for _, s := range layer {
		if err := own.field(member{s.Option, s.Value}); err != nil {
			return fromSource(s.Source, at(err, s.Option))
		}
		if isWork(s.Option) {
			work = append(work, s.Source)
		}
	}
	source := strings.Join(work, " ")
	if err := own.checkShortcuts(); err != nil {
		return fromSource(source, err)
	}
	d.rest, d.http = own.rest, append(d.http, own.http...)
	return fromSource(source, d.over(own, source))
}

func isWork(option string) bool {
	switch option {
	case "scenarios", "vus", "iterations", "duration", "stages":
		return true
	}
	return false
}

// sourced is an error in a layer.
type sourced struct {
	source string
	err    error
}

// fromSource puts the name of a source in front of an error; the script's own
// has none, and needs none.
func fromSource(source string, err error) error {
	if err == nil || source == "" {
		return err
	}
	return &sourced{source, err}
}

// Error implements error.
func (e *sourced) Error() string {
	text := e.err.Error()
	if rest, ok := strings.CutPrefix(text, ErrConfig.Error()+": "); ok && errors.Is(e.err, ErrConfig) {
		return fmt.Sprintf("%s: %s: %s", ErrConfig, e.source, rest)
	}
	return e.source + ": " + text
}

// Unwrap gives the error itself.
func (e *sourced) Unwrap() error { return e.err }
