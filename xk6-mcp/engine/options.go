package engine

import "time"

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
	// TimeUnit is the unit of every time in a text summary: "s", "ms" or "us".
	// Empty leaves each to the unit that suits it.
	TimeUnit string
	// SystemTags are the tags that samples get by themselves; nil means the
	// usual ones, which are all but vu and iter.
	SystemTags []string
	// MinIteration is how long an iteration takes at least: a VU that is done
	// earlier waits for the rest before its next one.
	MinIteration time.Duration
	// Throw makes a value that no metric and no tag can take an exception.
	// Otherwise it is left out, with a warning on the console.
	Throw bool
	// NoSetup, NoTeardown and NoThresholds leave these parts of the script out.
	NoSetup, NoTeardown, NoThresholds bool
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
	// Picked are the numbers of the only iterations that are run; nil means all. See
	// Pick.
	Picked []int64
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
