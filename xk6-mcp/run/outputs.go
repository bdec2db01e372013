package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/output"
	"mcpstorm/xk6-mcp/engine/summary"
	"mcpstorm/xk6-mcp/telemetry"
)

// outputs are the ways out of a run beside its history. One that is nil leads
// nowhere.
type outputs struct {
	files     []output.Output
	specs     []output.Spec // of files
	telemetry *telemetry.Exporter
}

// parseOutputs reads what the command line names, before anything is started.
func parseOutputs(given []string) (specs []output.Spec, err error) {
	for _, text := range given {
		spec, err := output.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		if slices.Contains(specs, spec) || spec.Name == output.OTLP && slices.ContainsFunc(specs, isOTLP) {
			return nil, fmt.Errorf("--out: %w: %q is given twice", output.ErrSpec, text)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

func isOTLP(s output.Spec) bool { return s.Name == output.OTLP }

// openOutputs opens every output, and says where each leads.
func (r *run) openOutputs(ctx context.Context) error {
	specs, err := parseOutputs(r.options.Out)
	if err != nil {
		return &Error{ExitOptions, err}
	}
	r.outputs = &outputs{}
	for _, spec := range specs {
		where, err := r.openOutput(ctx, spec)
		if err != nil {
			r.outputs.close()
			code := ExitInconclusive
			if errors.Is(err, output.ErrSpec) || errors.Is(err, telemetry.ErrEndpoint) {
				code = ExitOptions
			}
			return &Error{code, fmt.Errorf("--out %s: %w", spec, err)}
		}
		if r.options.Announce != nil {
			r.options.Announce(where)
		}
	}
	return nil
}

func (r *run) openOutput(ctx context.Context, spec output.Spec) (where string, err error) {
	if isOTLP(spec) {
		exporter, err := telemetry.Open(ctx, telemetry.Options{
			Endpoint: spec.Target, Run: filepath.Base(r.options.runDir(r.base.Wall())), Version: r.options.Version, Wall: r.base.Wall(),
		})
		if err != nil {
			return "", err
		}
		r.outputs.telemetry = exporter
		return exporter.Where(), nil
	}
	file, err := output.Open(spec, r.program.Options().Thresholds)
	if err != nil {
		return "", err
	}
	r.outputs.files, r.outputs.specs = append(r.outputs.files, file), append(r.outputs.specs, spec)
	return file.Where(), nil
}

// sample hands one sample to every output that takes samples. It is called from
// one goroutine at a time.
func (o *outputs) sample(s engine.Sample) {
	if o == nil {
		return
	}
	for _, file := range o.files {
		file.Sample(s)
	}
}

// exporter is where operations go; nil for nowhere.
func (o *outputs) exporter() *telemetry.Exporter {
	if o == nil {
		return nil
	}
	return o.telemetry
}

// serve says where the servers of an arm are.
func (o *outputs) serve(arm string, servers map[string]*liveServer) {
	exporter := o.exporter()
	if exporter == nil {
		return
	}
	addrs := make(map[string]string, len(servers))
	for name, live := range servers {
		addrs[name] = live.host
	}
	exporter.Serve(arm, addrs)
}

// op and attempt hand on what a client recorded, from any goroutine.
func (o *outputs) op(op history.Op) {
	if exporter := o.exporter(); exporter != nil {
		exporter.Op(op)
	}
}

func (o *outputs) attempt(a history.Attempt) {
	if exporter := o.exporter(); exporter != nil {
		exporter.Attempt(a)
	}
}

// close ends every output, once, and returns what went wrong in each.
func (o *outputs) close() (failures []error) {
	if o == nil {
		return nil
	}
	for i, file := range o.files {
		if err := file.Close(); err != nil {
			failures = append(failures, fmt.Errorf("--out %s: %w", o.specs[i], err))
		}
	}
	if exporter := o.exporter(); exporter != nil {
		if err := exporter.Close(); err != nil {
			failures = append(failures, fmt.Errorf("--out %s: %w", output.OTLP, err))
		}
	}
	*o = outputs{}
	return failures
}

// closeOutputs ends the outputs and returns the exit code of what is missing from
// them: a file that lacks samples is no result, and a collector that was away is
// only told.
func (r *run) closeOutputs() int {
	code := ExitPass
	for _, failure := range r.outputs.close() {
		r.trouble(failure)
		if errors.Is(failure, output.ErrWrite) {
			code = ExitInconclusive
		}
	}
	return code
}

// summaryOf is the summary of an arm that has run. It names the arm where several
// could be meant.
func (r *run) summaryOf(a *arm, result *engine.Result) *summary.Report {
	options := r.program.Options()
	report := &summary.Report{Result: result, TrendStats: options.TrendStats, TimeUnit: options.TimeUnit, Breakdown: a.breakdown}
	if used := (Generator{CPU: a.used.cpu, Wall: time.Duration(a.end - a.start), CPUs: runtime.GOMAXPROCS(0)}); used.CPU > 0 {
		report.Busy, report.CPUs = used.Busy(), used.CPUs
	}
	if slices.ContainsFunc(r.arms, func(other *arm) bool { return other != a && !other.spec.Control() }) {
		report.Of = "arm " + a.spec.Name
	}
	return report
}
