package engine

import (
	"encoding/json"
	"time"
)

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
		if thresholds, err = appendMember(thresholds, group.selector, group.entries); err != nil {
			return nil, err
		}
	}
	return marshal(struct {
		Scenarios       json.RawMessage   `json:"scenarios"`
		Thresholds      json.RawMessage   `json:"thresholds,omitempty"`
		SetupTimeout    string            `json:"setupTimeout"`
		TeardownTimeout string            `json:"teardownTimeout"`
		SummaryTimeout  string            `json:"handleSummaryTimeout"`
		Tags            map[string]string `json:"tags,omitempty"`
		TrendStats      []string          `json:"summaryTrendStats"`
		TimeUnit        string            `json:"summaryTimeUnit,omitempty"`
		SystemTags      []string          `json:"systemTags,omitzero"`
		MinIteration    string            `json:"minIterationDuration,omitempty"`
		Throw           bool              `json:"throw,omitempty"`
		NoSetup         bool              `json:"noSetup,omitempty"`
		NoTeardown      bool              `json:"noTeardown,omitempty"`
		NoThresholds    bool              `json:"noThresholds,omitempty"`
	}{
		append(scenarios, '}'), append(thresholds, '}'),
		o.SetupTimeout.String(), o.TeardownTimeout.String(), o.SummaryTimeout.String(), o.Tags, o.TrendStats,
		o.TimeUnit, o.SystemTags, nonZero(o.MinIteration), o.Throw, o.NoSetup, o.NoTeardown, o.NoThresholds,
	})
}

func nonZero(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// scenarioFields are the options of a scenario; a nil one does not belong to
// its executor.
type scenarioFields struct {
	Executor         string            `json:"executor"`
	VUs              *int              `json:"vus,omitempty"`
	StartVUs         *int              `json:"startVUs,omitempty"`
	PreAllocatedVUs  *int              `json:"preAllocatedVUs,omitempty"`
	MaxVUs           *int              `json:"maxVUs,omitempty"`
	Iterations       *int64            `json:"iterations,omitempty"`
	Rate             *int64            `json:"rate,omitempty"`
	StartRate        *int64            `json:"startRate,omitempty"`
	TimeUnit         string            `json:"timeUnit,omitempty"`
	MaxDuration      string            `json:"maxDuration,omitempty"`
	Duration         string            `json:"duration,omitempty"`
	Stages           []stageFields     `json:"stages,omitempty"`
	GracefulStop     string            `json:"gracefulStop"`
	GracefulRampDown string            `json:"gracefulRampDown,omitempty"`
	StartTime        string            `json:"startTime"`
	Exec             string            `json:"exec"`
	Env              map[string]string `json:"env,omitempty"`
	Tags             map[string]string `json:"tags,omitempty"`
}

type stageFields struct {
	Duration string `json:"duration"`
	Target   int64  `json:"target"`
}

func (s Scenario) fields() scenarioFields {
	f := scenarioFields{
		Executor: s.Executor, GracefulStop: s.GracefulStop.String(), StartTime: s.StartTime.String(),
		Exec: s.Exec, Env: s.Env, Tags: s.Tags,
	}
	for _, stage := range s.Stages {
		f.Stages = append(f.Stages, stageFields{stage.Duration.String(), stage.Target})
	}
	switch s.Executor {
	case SharedIterations, PerVUIterations:
		f.VUs, f.Iterations, f.MaxDuration = &s.VUs, &s.Iterations, s.MaxDuration.String()
	case ConstantVUs:
		f.VUs, f.Duration = &s.VUs, s.Duration.String()
	case RampingVUs:
		f.StartVUs, f.GracefulRampDown = &s.StartVUs, s.GracefulRampDown.String()
	case ConstantArrivalRate:
		f.Rate, f.Duration = &s.Rate, s.Duration.String()
	case RampingArrivalRate:
		f.StartRate = &s.StartRate
	}
	if s.hasArrivals() {
		f.PreAllocatedVUs, f.MaxVUs, f.TimeUnit = &s.VUs, &s.MaxVUs, s.TimeUnit.String()
	}
	return f
}

// thresholdFields is the long form of a threshold.
type thresholdFields struct {
	Threshold      string `json:"threshold"`
	AbortOnFail    bool   `json:"abortOnFail"`
	DelayAbortEval string `json:"delayAbortEval,omitempty"`
}

// entry is a threshold as a script would write it: the short form where it says all.
func (t Threshold) entry() any {
	if !t.AbortOnFail {
		return t.Expr
	}
	f := thresholdFields{Threshold: t.Expr, AbortOnFail: true}
	if t.DelayAbortEval > 0 {
		f.DelayAbortEval = t.DelayAbortEval.String()
	}
	return f
}

// selectorGroup is the thresholds of one selector.
type selectorGroup struct {
	selector string
	entries  []any
}

func groupThresholds(list []Threshold) []selectorGroup {
	var groups []selectorGroup
	for _, t := range list {
		if n := len(groups); n == 0 || groups[n-1].selector != t.Selector {
			groups = append(groups, selectorGroup{selector: t.Selector})
		}
		last := &groups[len(groups)-1]
		last.entries = append(last.entries, t.entry())
	}
	return groups
}
