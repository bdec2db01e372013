package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/summary"
)

// A plain run is that of a script without a storm export, such as one that was
// written for k6 and the older community module. It has no servers of ours, no
// faults, no arms and no history: thresholds alone judge it, and as no invariant
// was claimed, none is inconclusive.

// NoStorm is what is said of a plain run in the place of a verdict.
const NoStorm = "no storm: nothing was asserted"

// configurePlain refuses the options that a script without a storm leaves without
// a meaning.
func (r *run) configurePlain() error {
	o := r.options
	for _, given := range []struct {
		flag string
		set  bool
	}{
		{"--policy", len(o.Policies) > 0},
		{"--bug", len(o.Bugs) > 0},
		{"--era", o.Era != ""},
		{"--reissue", o.Reissue != ""},
		{"--faults", o.Faults != nil},
		{"--only", len(o.Only) > 0},
		{"--turn-latency", o.TurnLatency != nil},
		{"--known-failures", o.Known != ""},
		{"--dir", o.Dir != ""},
		{"--toxiproxy-api", o.ToxiproxyAPI != ""},
		{"--bypass-faults", o.BypassFaults},
	} {
		if given.set {
			return fmt.Errorf("%s has no meaning here: %w", given.flag, r.noStorm())
		}
	}
	return r.program.Validate()
}

// noStorm says that the script is a plain one.
func (r *run) noStorm() error {
	return stormError("%s exports no storm: it says which servers to drive and what to break", r.options.Script)
}

// runPlain runs the script once.
func (r *run) runPlain(stop context.Context) (*Outcome, error) {
	stop, cancel := context.WithCancelCause(stop)
	defer cancel(nil)
	var breakdown *summary.Breakdown
	if r.options.Breakdown {
		breakdown = summary.NewBreakdown()
	}
	hooks := engine.Hooks{
		Sample: func(s engine.Sample) {
			r.outputs.sample(s)
			if breakdown != nil {
				breakdown.Sample(s)
			}
		},
		After: func(_ *engine.VU, result engine.IterationResult) bool {
			if errors.Is(result.Err, xk6mcp.ErrNoStorm) {
				cancel(result.Err) // the first one ends the run: all others would say the same
			}
			return false
		},
	}
	start, cpu := r.base.Nanos(), cpuTime()
	result, err := r.program.Run(context.WithoutCancel(stop), engine.RunOptions{
		Hooks: hooks, Stop: stop, StopGrace: stopGrace, NoSummary: r.options.NoSummary,
	})
	r.module.Community.Close()
	if cause := context.Cause(stop); errors.Is(cause, xk6mcp.ErrNoStorm) {
		return nil, &Error{ExitOptions, cause}
	}
	if result == nil {
		return nil, &Error{engine.ExitCode(err), err}
	}
	used := Generator{
		Arm: mainArm, CPU: cpuTime() - cpu, Wall: time.Duration(r.base.Nanos() - start), CPUs: runtime.GOMAXPROCS(0), Scenarios: result.Scenarios,
	}
	return r.judgePlain(result, used, breakdown, err), nil
}

// judgePlain makes the outcome of a script's own say, with k6's exit codes.
func (r *run) judgePlain(result *engine.Result, used Generator, breakdown *summary.Breakdown, ran error) *Outcome {
	options := r.program.Options()
	o := &Outcome{
		Plain: true, Thresholds: result.Thresholds, Outputs: result.Outputs, Generators: []Generator{used},
		Summary: &summary.Report{
			Result: result, TrendStats: options.TrendStats, TimeUnit: options.TimeUnit, Breakdown: breakdown, Busy: used.Busy(), CPUs: used.CPUs,
		},
	}
	switch {
	case errors.Is(ran, engine.ErrFailed):
		o.Failed = ran
	case !errors.Is(ran, engine.ErrStopped):
		r.trouble(ran)
	}
	for _, e := range result.Errors {
		r.troubles = append(r.troubles, fmt.Sprintf("%d × %s", e.Count, e.Text))
	}
	r.trouble(result.SummaryErr)
	unwritten := r.closeOutputs()
	o.Troubles = r.troubles
	o.Exit = pickExit(r.thresholdExit(o.Thresholds), engine.ExitCode(ran), unwritten)
	return o
}
