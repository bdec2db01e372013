package engine

import (
	"slices"
	"time"
)

// The executors that this package knows.
const (
	// SharedIterations lets all VUs of a scenario share one count of iterations.
	SharedIterations = "shared-iterations"
	// PerVUIterations lets every VU of a scenario run its own count of iterations.
	PerVUIterations = "per-vu-iterations"
	// ConstantVUs lets a fixed number of VUs iterate for a time.
	ConstantVUs = "constant-vus"
	// RampingVUs lets a number of VUs iterate that stages raise and lower.
	RampingVUs = "ramping-vus"
	// ConstantArrivalRate starts iterations at a fixed rate, whatever the VUs do.
	ConstantArrivalRate = "constant-arrival-rate"
	// RampingArrivalRate starts iterations at a rate that stages raise and lower.
	RampingArrivalRate = "ramping-arrival-rate"
)

// The defaults of k6's documentation.
const (
	defaultMaxDuration    = 10 * time.Minute
	defaultGracefulStop   = 30 * time.Second
	defaultRampDown       = 30 * time.Second
	defaultTimeUnit       = time.Second
	defaultHookTimeout    = 60 * time.Second
	defaultSummaryTimeout = 120 * time.Second
	defaultExec           = "default"
)

var (
	knownExecutors = []string{
		SharedIterations, PerVUIterations, ConstantVUs, RampingVUs, ConstantArrivalRate, RampingArrivalRate,
	}
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
	// SummaryTimeout bounds handleSummary.
	SummaryTimeout time.Duration
	// Tags are put on every sample of the run.
	Tags map[string]string
	// TrendStats are the statistics that a summary gives for a trend.
	TrendStats []string
}

// Scenario is one workload: some VUs, an exported function and an executor.
// What the executor does not use is zero.
type Scenario struct {
	Name     string
	Executor string
	// VUs is how many VUs are started before the run. Under RampingVUs it is
	// the most that a stage asks for, under an arrival rate preAllocatedVUs.
	VUs int
	// MaxVUs is how many VUs an arrival rate may come to use.
	MaxVUs int
	// StartVUs is how many VUs RampingVUs begins with.
	StartVUs int
	// Iterations counts per VU for PerVUIterations and in total for SharedIterations.
	Iterations int64
	// MaxDuration is how long after its start a scenario with a count of
	// iterations starts them.
	MaxDuration time.Duration
	// Duration is how long ConstantVUs and ConstantArrivalRate start iterations.
	Duration time.Duration
	// Stages are the VUs of RampingVUs, or the rates of RampingArrivalRate.
	Stages []Stage
	// Rate is the constant rate and StartRate the one that a ramp begins with,
	// in iterations a TimeUnit.
	Rate, StartRate int64
	TimeUnit        time.Duration
	// GracefulStop is how long after the last start a running iteration may go
	// on, and GracefulRampDown how long one of a VU that a ramp takes away.
	GracefulStop, GracefulRampDown time.Duration
	// StartTime is when the scenario starts, after the start of the run.
	StartTime time.Duration
	// Exec is the exported function that an iteration calls.
	Exec string
	Env  map[string]string
	Tags map[string]string
}

// Stage is one piece of a ramp: it goes to Target in a straight line. One
// without duration is a jump.
type Stage struct {
	Duration time.Duration
	// Target is a number of VUs, or of iterations a TimeUnit.
	Target int64
}

// Planned returns how many iterations the scenario is to start, or -1 when
// only time bounds it. A counter of arrivals is exact, whatever the rate.
func (s Scenario) Planned() int64 {
	switch s.Executor {
	case PerVUIterations:
		return int64(s.VUs) * s.Iterations
	case ConstantVUs, RampingVUs:
		return -1
	case ConstantArrivalRate, RampingArrivalRate:
		return newArrivals(s).count
	}
	return s.Iterations
}

// Overrides are what a command line changes in a script's options.
type Overrides struct {
	// VUs sets the VUs of every scenario: under an arrival rate those that are
	// started before the run. RampingVUs cannot be overridden in a scenario. A
	// script without scenarios that says nothing else then runs as many
	// iterations as VUs.
	VUs *int
	// Iterations sets the iterations of every scenario, which must count them.
	Iterations *int64
	// Duration sets how long every scenario starts iterations: the duration of
	// those that have one, the maxDuration of those that count iterations. A
	// ramp takes its time from its stages and cannot be overridden.
	Duration *time.Duration
}

// declared is what the script itself says, before shortcuts are expanded.
type declared struct {
	vus        *int
	iterations *int64
	duration   *time.Duration
	stages     []Stage
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

// shortcut is the scenario of a script that declares none. Stages make a ramp
// of VUs, iterations a shared count, and a duration a constant number of VUs;
// nothing means one VU and one iteration, and VUs alone as many iterations.
func (d declared) shortcut() Scenario {
	vus := 1
	if d.vus != nil {
		vus = *d.vus
	}
	switch {
	case d.stages != nil:
		s := newScenario(defaultExec, RampingVUs)
		s.StartVUs, s.Stages = vus, d.stages
		s.VUs = s.peak()
		return s
	case d.iterations == nil && d.duration != nil:
		s := newScenario(defaultExec, ConstantVUs)
		s.VUs, s.Duration = vus, *d.duration
		return s
	}
	s := newScenario(defaultExec, SharedIterations)
	s.VUs, s.Iterations = vus, int64(vus)
	if d.iterations != nil {
		s.Iterations = *d.iterations
	}
	if d.duration != nil {
		s.MaxDuration = *d.duration
	}
	return s
}

// peak is the most VUs that a ramp asks for.
func (s Scenario) peak() int {
	most := int64(s.StartVUs)
	for _, stage := range s.Stages {
		most = max(most, stage.Target)
	}
	return int(most)
}

// override applies a command line to what the script says.
func (d *declared) override(o Overrides) error {
	if o.VUs != nil && *o.VUs < 1 {
		return configError("override: want at least 1 VU, got %d", *o.VUs)
	}
	if o.Iterations != nil && *o.Iterations < 1 {
		return configError("override: want at least 1 iteration, got %d", *o.Iterations)
	}
	if o.Duration != nil && *o.Duration <= 0 {
		return configError("override: want a duration of more than zero, got %s", *o.Duration)
	}
	if d.scenarios == nil {
		return d.overrideShortcut(o)
	}
	scenarios := slices.Clone(d.scenarios)
	for i := range scenarios {
		if err := scenarios[i].override(o); err != nil {
			return err
		}
	}
	d.scenarios = scenarios
	return nil
}

func (s *Scenario) override(o Overrides) error {
	if o.VUs != nil {
		if s.Executor == RampingVUs {
			return configError("override: scenario %q takes its VUs from its stages", s.Name)
		}
		s.VUs = *o.VUs
		if s.hasArrivals() {
			s.MaxVUs = max(s.MaxVUs, s.VUs)
		}
	}
	if o.Duration != nil {
		switch {
		case s.Stages != nil:
			return configError("override: scenario %q takes its time from its stages", s.Name)
		case s.Iterations > 0:
			s.MaxDuration = *o.Duration
		default:
			s.Duration = *o.Duration
		}
	}
	if o.Iterations != nil {
		if s.Iterations == 0 {
			return configError("override: scenario %q is %s, which counts no iterations", s.Name, s.Executor)
		}
		s.Iterations = *o.Iterations
	}
	return nil
}

func (d *declared) overrideShortcut(o Overrides) error {
	if d.stages != nil && (o.Iterations != nil || o.Duration != nil) {
		return configError("override: iterations and duration cannot be combined with the script's stages")
	}
	if o.VUs != nil {
		vus := *o.VUs
		d.vus = &vus
	}
	if o.Iterations != nil {
		iterations := *o.Iterations
		d.iterations = &iterations
	}
	if o.Duration != nil {
		duration := *o.Duration
		d.duration = &duration
	}
	return nil
}

// newScenario returns a scenario with the defaults of its executor.
func newScenario(name, executor string) Scenario {
	s := Scenario{Name: name, Executor: executor, GracefulStop: defaultGracefulStop, Exec: defaultExec}
	switch executor {
	case SharedIterations, PerVUIterations:
		s.VUs, s.Iterations, s.MaxDuration = 1, 1, defaultMaxDuration
	case ConstantVUs:
		s.VUs = 1
	case RampingVUs:
		s.StartVUs, s.GracefulRampDown = 1, defaultRampDown
	case ConstantArrivalRate, RampingArrivalRate:
		s.TimeUnit = defaultTimeUnit
	}
	return s
}
