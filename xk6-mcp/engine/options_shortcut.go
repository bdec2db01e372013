package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// declared is what all sources of options say together, before shortcuts are
// expanded.
type declared struct {
	vus        *int
	iterations *int64
	duration   *time.Duration
	stages     []Stage
	scenarios  []Scenario
	rest       Options
	// gone are the names of scenarios that are declared and not run.
	gone []string
	// http are options that concern k6/http alone.
	http []string
	// warnings say what a stronger source has put aside.
	warnings []string
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

// shortcut is the scenario of options that declare none. Stages make a ramp
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

// bounds reports whether a source says how long the work goes on in the short
// form: by stages, iterations or a duration.
func (d *declared) bounds() bool { return d.stages != nil || d.iterations != nil || d.duration != nil }

// checkShortcuts refuses two ways of saying, in one source, what is to be run.
func (d *declared) checkShortcuts() error {
	switch {
	case d.scenarios != nil && (d.vus != nil || d.bounds()):
		return configError("options: scenarios cannot be combined with vus, iterations, duration or stages")
	case d.stages != nil && (d.iterations != nil || d.duration != nil):
		return configError("options: stages cannot be combined with iterations or duration")
	case d.vus != nil && *d.vus < 1 && d.stages == nil:
		return configError("options.vus: want at least 1, got %d", *d.vus)
	}
	return nil
}

// over lays what a stronger source says of the work over what weaker ones said.
// Scenarios take the place of all shortcuts, and a shortcut that bounds the work
// that of all scenarios and of the other ways to bound it: --duration is no limit
// of the script's iterations. VUs alone change the VUs of every scenario.
func (d *declared) over(o declared, source string) error {
	switch {
	case o.scenarios != nil:
		d.vus, d.iterations, d.duration, d.stages, d.scenarios = nil, nil, nil, nil, o.scenarios
	case o.bounds():
		d.replaceScenarios(source)
		d.iterations, d.duration, d.stages = o.iterations, o.duration, o.stages
	case o.vus != nil && d.scenarios != nil:
		return d.scale(*o.vus)
	}
	if o.vus != nil {
		d.vus = o.vus
	}
	if d.stages != nil && d.shortcut().VUs < 1 {
		return configError("options.stages: no stage asks for a VU")
	}
	return nil
}

// replaceScenarios puts the scenarios of a weaker source aside, and says so.
func (d *declared) replaceScenarios(source string) {
	if d.scenarios == nil {
		return
	}
	if source != "" {
		d.warn("%s: runs the function default in the place of the script's scenarios, %s", source, strings.Join(names(d.scenarios), ", "))
	}
	d.gone = append(d.gone, names(d.scenarios)...)
	d.scenarios = nil
}

func (d *declared) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// scale sets the VUs of every scenario: under an arrival rate those that are
// started before the run. A ramp takes its own from its stages.
func (d *declared) scale(vus int) error {
	scenarios := slices.Clone(d.scenarios)
	for i := range scenarios {
		s := &scenarios[i]
		if s.Executor == RampingVUs {
			return configError("scenario %q takes its VUs from its stages", s.Name)
		}
		s.VUs = vus
		if s.hasArrivals() {
			s.MaxVUs = max(s.MaxVUs, s.VUs)
		}
	}
	d.scenarios = scenarios
	return nil
}

// only keeps the scenarios of these names, in the order of declaration.
func (d *declared) only(chosen []string) error {
	if d.scenarios == nil {
		return configError("--scenario %s: the options declare no scenarios", strings.Join(chosen, ","))
	}
	known := names(d.scenarios)
	for _, name := range chosen {
		if !slices.Contains(known, name) {
			return configError("--scenario %s: no such scenario; known: %s%s", name, strings.Join(known, ", "), suggestion(name, known))
		}
	}
	d.scenarios = slices.DeleteFunc(slices.Clone(d.scenarios), func(s Scenario) bool {
		excluded := !slices.Contains(chosen, s.Name)
		if excluded {
			d.gone = append(d.gone, s.Name)
		}
		return excluded
	})
	return nil
}

// dropThresholds leaves out what is about a scenario that is not run: it would
// never get a sample.
func (d *declared) dropThresholds() {
	present := names(d.consolidate().Scenarios)
	isGone := func(t tag) bool {
		return t.name == "scenario" && slices.Contains(d.gone, t.value) && !slices.Contains(present, t.value)
	}
	d.rest.Thresholds = slices.DeleteFunc(slices.Clone(d.rest.Thresholds), func(t Threshold) bool {
		about := slices.ContainsFunc(t.tags, isGone)
		if about {
			d.warn("threshold %q: left out, its scenario is not run", t.Selector)
		}
		return about
	})
}

func names(scenarios []Scenario) []string {
	list := make([]string, len(scenarios))
	for i, s := range scenarios {
		list[i] = s.Name
	}
	return list
}
