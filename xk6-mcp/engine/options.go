package engine

import (
	"encoding/json"
	"slices"
	"time"
)

// The executors that this package knows.
const (
	// SharedIterations lets all VUs of a scenario share one count of iterations.
	SharedIterations = "shared-iterations"
	// PerVUIterations lets every VU of a scenario run its own count of iterations.
	PerVUIterations = "per-vu-iterations"
)

// The defaults of k6's documentation.
const (
	defaultMaxDuration  = 10 * time.Minute
	defaultGracefulStop = 30 * time.Second
	defaultHookTimeout  = 60 * time.Second
	defaultExec         = "default"
)

var (
	knownExecutors  = []string{PerVUIterations, SharedIterations}
	defaultTrendSet = []string{"avg", "min", "med", "max", "p(90)", "p(95)"}
)

// Options are a script's options after every default, shortcut and override.
// They are a value: changing them changes nothing in the program.
type Options struct {
	// Scenarios are in the order of declaration.
	Scenarios []Scenario
	// Thresholds are in the order of declaration.
	Thresholds      []Threshold
	SetupTimeout    time.Duration
	TeardownTimeout time.Duration
	// Tags are put on every sample of the run.
	Tags map[string]string
	// TrendStats are the statistics that a summary gives for a trend.
	TrendStats []string
}

// Scenario is one workload: some VUs, an exported function and an executor.
type Scenario struct {
	Name     string
	Executor string
	VUs      int
	// Iterations counts per VU for PerVUIterations and in total for SharedIterations.
	Iterations int64
	// MaxDuration is how long after its start the scenario starts iterations.
	MaxDuration time.Duration
	// GracefulStop is how long after that a running iteration may go on.
	GracefulStop time.Duration
	// StartTime is when the scenario starts, after the start of the run.
	StartTime time.Duration
	// Exec is the exported function that an iteration calls.
	Exec string
	Env  map[string]string
	Tags map[string]string
}

// Planned returns how many iterations the scenario is to start.
func (s Scenario) Planned() int64 {
	if s.Executor == PerVUIterations {
		return int64(s.VUs) * s.Iterations
	}
	return s.Iterations
}

// Overrides are what a command line changes in a script's options.
type Overrides struct {
	// VUs sets the VUs of every scenario. A script without scenarios that says
	// nothing of iterations then runs as many iterations as VUs.
	VUs *int
	// Iterations sets the iterations of every scenario.
	Iterations *int64
}

// declared is what the script itself says, before shortcuts are expanded.
type declared struct {
	vus        *int
	iterations *int64
	scenarios  []Scenario
	rest       Options
}

// consolidate expands the shortcuts.
func (d declared) consolidate() Options {
	o := d.rest
	o.Scenarios = slices.Clone(d.scenarios)
	if o.Scenarios == nil {
		o.Scenarios = []Scenario{d.shortcut()}
	}
	return o
}

// shortcut is the scenario of a script that declares none: nothing means one
// VU and one iteration, and VUs alone mean as many iterations as VUs.
func (d declared) shortcut() Scenario {
	s := newScenario("default")
	s.Executor = SharedIterations
	if d.vus != nil {
		s.VUs, s.Iterations = *d.vus, int64(*d.vus)
	}
	if d.iterations != nil {
		s.Iterations = *d.iterations
	}
	return s
}

// override applies a command line to what the script says.
func (d *declared) override(o Overrides) error {
	if o.VUs != nil && *o.VUs < 1 {
		return configError("override: want at least 1 VU, got %d", *o.VUs)
	}
	if o.Iterations != nil && *o.Iterations < 1 {
		return configError("override: want at least 1 iteration, got %d", *o.Iterations)
	}
	if d.scenarios == nil {
		d.overrideShortcut(o)
		return nil
	}
	d.scenarios = slices.Clone(d.scenarios)
	for i := range d.scenarios {
		if o.VUs != nil {
			d.scenarios[i].VUs = *o.VUs
		}
		if o.Iterations != nil {
			d.scenarios[i].Iterations = *o.Iterations
		}
	}
	return nil
}

func (d *declared) overrideShortcut(o Overrides) {
	if o.VUs != nil {
		vus := *o.VUs
		d.vus = &vus
	}
	if o.Iterations != nil {
		iterations := *o.Iterations
		d.iterations = &iterations
	}
}

func newScenario(name string) Scenario {
	return Scenario{
		Name:         name,
		VUs:          1,
		Iterations:   1,
		MaxDuration:  defaultMaxDuration,
		GracefulStop: defaultGracefulStop,
		Exec:         defaultExec,
	}
}

// MarshalJSON writes the options as a script would declare them in full.
func (o Options) MarshalJSON() ([]byte, error) {
	scenarios, thresholds := []byte{'{'}, []byte{'{'}
	var err error
	for _, s := range o.Scenarios {
		if scenarios, err = appendMember(scenarios, s.Name, s.fields()); err != nil {
			return nil, err
		}
	}
	for _, group := range groupThresholds(o.Thresholds) {
		if thresholds, err = appendMember(thresholds, group.selector, group.exprs); err != nil {
			return nil, err
		}
	}
	return json.Marshal(struct {
		Scenarios       json.RawMessage   `json:"scenarios"`
		Thresholds      json.RawMessage   `json:"thresholds,omitempty"`
		SetupTimeout    string            `json:"setupTimeout"`
		TeardownTimeout string            `json:"teardownTimeout"`
		Tags            map[string]string `json:"tags,omitempty"`
		TrendStats      []string          `json:"summaryTrendStats"`
	}{
		append(scenarios, '}'), append(thresholds, '}'), o.SetupTimeout.String(), o.TeardownTimeout.String(), o.Tags, o.TrendStats,
	})
}

func (s Scenario) fields() any {
	return struct {
		Executor     string            `json:"executor"`
		VUs          int               `json:"vus"`
		Iterations   int64             `json:"iterations"`
		MaxDuration  string            `json:"maxDuration"`
		GracefulStop string            `json:"gracefulStop"`
		StartTime    string            `json:"startTime"`
		Exec         string            `json:"exec"`
		Env          map[string]string `json:"env,omitempty"`
		Tags         map[string]string `json:"tags,omitempty"`
	}{s.Executor, s.VUs, s.Iterations, s.MaxDuration.String(), s.GracefulStop.String(), s.StartTime.String(), s.Exec, s.Env, s.Tags}
}
