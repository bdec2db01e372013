package output

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/xk6-mcp/engine"
)

// The errors of this package.
var (
	// ErrSpec is an output that the command line names and that there is not, or
	// that lacks what it needs. Nothing has been opened.
	ErrSpec = errors.New("no such output")
	// ErrOpen is an output that could not be opened.
	ErrOpen = errors.New("cannot open output")
	// ErrWrite is an output that lost samples, because a write failed.
	ErrWrite = errors.New("output is not whole")
)

// Output takes the samples of a run.
type Output interface {
	// Sample takes one sample. It is called from one goroutine at a time, never
	// fails and never waits for a network: what goes wrong is told by Close.
	Sample(engine.Sample)
	// Close ends the output. It is called once, after the last sample, and
	// returns the first failure of the output's whole life, which wraps ErrWrite.
	Close() error
	// Where says, in a line for a terminal, where the samples go.
	Where() string
}

// Spec is one output as the command line names it.
type Spec struct {
	// Name is one of Names.
	Name string
	// Target is the file, the address or the URL; empty where the text gives none.
	Target string
}

// String is the spec as the command line gives it.
func (s Spec) String() string {
	if s.Target == "" {
		return s.Name
	}
	return s.Name + "=" + s.Target
}

// The outputs that there are. OTLP is made by package telemetry, because it tells
// of operations and not of samples alone.
const (
	JSON       = "json"
	CSV        = "csv"
	Prometheus = "prometheus"
	OTLP       = "otlp"
)

// usage is how each output is given.
var usage = map[string]string{
	JSON:       "json=FILE or json=FILE.gz",
	CSV:        "csv=FILE or csv=FILE.gz",
	Prometheus: "prometheus or prometheus=127.0.0.1:PORT",
	OTLP:       "otlp or otlp=http://127.0.0.1:4318",
}

// names are the outputs in the order in which they are listed.
var names = []string{JSON, CSV, Prometheus, OTLP}

// Names lists every output that there is.
func Names() []string { return slices.Clone(names) }

// Usage says how every output is given, for a help text.
func Usage() string {
	var lines []string
	for _, name := range names {
		lines = append(lines, usage[name])
	}
	return strings.Join(lines, ", ")
}

// Parse reads one output as the command line names it: NAME or NAME=TARGET. An
// error wraps ErrSpec and lists what there is.
func Parse(text string) (Spec, error) {
	name, target, given := strings.Cut(text, "=")
	how, ok := usage[name]
	if !ok {
		return Spec{}, fmt.Errorf("%w: %q; want one of %s", ErrSpec, text, Usage())
	}
	needed := name == JSON || name == CSV
	if target == "" && (given || needed) {
		return Spec{}, fmt.Errorf("%w: %q; want %s", ErrSpec, text, how)
	}
	return Spec{name, target}, nil
}

// Open opens an output of samples: JSON, CSV or Prometheus. The thresholds are
// those of the run, which a file of NDJSON lists with their metrics. An error
// wraps ErrOpen or ErrSpec.
func Open(s Spec, thresholds []engine.Threshold) (Output, error) {
	switch s.Name {
	case JSON:
		return openJSON(s.Target, thresholds)
	case CSV:
		return openCSV(s.Target)
	case Prometheus:
		return openPrometheus(s.Target)
	}
	return nil, fmt.Errorf("%w: %q takes no samples", ErrSpec, s.Name)
}
