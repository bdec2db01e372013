package run

import (
	"errors"
	"fmt"
	"path/filepath"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/reports/chart"
	"mcpstorm/reports/check"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/summary"
)

// Outcome is a run that was made and judged.
type Outcome struct {
	// Plain is true for a script without a storm export: nothing was asserted, and
	// Dir, History and Verdict are empty.
	Plain   bool
	Dir     string
	History *history.Run
	Verdict history.Verdict
	// Thresholds are those of every arm but control.
	Thresholds []engine.ThresholdResult
	// Outputs are what the script's handleSummary wants written, by stdout, stderr or
	// a path, after the last judged arm.
	Outputs map[string][]byte
	// Summary are the metrics of that arm; nil when none was run.
	Summary *summary.Report
	// Troubles are failures of the harness itself, one line each.
	Troubles []string
	// Thrown are the errors that the script threw by itself, a line for each kind. Those
	// of a plain run are among its troubles.
	Thrown []string
	// Failed is what the script said when it called its test failed; nil if it did not.
	Failed error
	// Generators are what each arm asked of this process, in the order in which they
	// ran.
	Generators []Generator
	// Charts are the pictures in the run folder, the one to look at first in front.
	Charts []string
	Exit   int
}

// judge closes the history, judges it, and writes the verdict beside it.
func (r *run) judge(results []*engine.Result, ran error) (*Outcome, error) {
	if !errors.Is(ran, engine.ErrStopped) && !errors.Is(ran, engine.ErrFailed) {
		r.trouble(ran)
	}
	r.trouble(r.keepMetrics(results))
	r.trouble(r.close(ran))
	stored, err := history.Open(r.writer.Dir())
	if stored == nil {
		return nil, &Error{ExitInconclusive, r.because(err)}
	}
	if len(r.troubles) == 0 {
		r.trouble(err)
	}
	// What the disk has no room for is still known here.
	stored.Manifest.State, stored.Manifest.Errors = r.state(ran), r.troubles
	o := &Outcome{
		Dir: r.writer.Dir(), History: stored, Verdict: check.Evaluate(stored, check.Options{}), Thresholds: r.thresholds(results),
	}
	r.summaries(o, results)
	o.Generators = r.generators(results)
	if errors.Is(ran, engine.ErrFailed) {
		o.Failed = ran
	}
	unwritten := r.closeOutputs()
	if err := reports.WriteVerdict(o.Dir, o.Verdict); err != nil {
		r.trouble(err)
		unwritten = ExitInconclusive
	}
	if filepath.Base(filepath.Dir(o.Dir)) == runsDir {
		r.trouble(history.WriteLatest(o.Dir))
	}
	r.draw(o)
	o.Troubles, o.Thrown = r.troubles, r.totals.thrown.lines()
	o.Exit = pickExit(reports.ExitCode(o.Verdict.Status), r.thresholdExit(o.Thresholds), r.runExit(ran), unwritten)
	return o, nil
}

// summaries takes what handleSummary gave for the last judged arm.
func (r *run) summaries(o *Outcome, results []*engine.Result) {
	for i, result := range results {
		if r.arms[i].spec.Control() || !r.arms[i].spec.Judge {
			continue
		}
		o.Outputs, o.Summary = result.Outputs, r.summaryOf(r.arms[i], result)
		r.trouble(result.SummaryErr)
	}
}

// draw makes the pictures of the run. An arm that never ran has none.
func (r *run) draw(o *Outcome) {
	if r.options.NoCharts {
		return
	}
	var err error
	if o.Charts, err = reports.WriteCharts(o.History, o.Verdict, o.Dir); !errors.Is(err, chart.ErrNoAttempts) {
		r.trouble(err)
	}
}

// close ends the history and writes the manifest's last word.
func (r *run) close(ran error) error {
	r.trouble(r.writer.Close())
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	if err := r.writer.Seal(&manifest); err != nil {
		r.trouble(err)
		r.torn = true
	}
	stalls := r.writer.Stalls()
	samples := r.writer.Samples()
	manifest.State = r.state(ran)
	manifest.Stalls, manifest.Samples, manifest.Errors = &stalls, &samples, r.troubles
	return r.writer.Manifest(manifest)
}

// state is how the run ended. One that stopped because its history could not be
// written was not stopped from outside.
func (r *run) state(ran error) history.RunState {
	switch {
	case r.torn:
		return history.StateFailed
	case errors.Is(ran, engine.ErrStopped) && r.writer.Err() == nil:
		return history.StateStopped
	}
	return history.StateFinished
}

// because puts what went wrong first before what followed from it.
func (r *run) because(err error) error {
	if len(r.troubles) == 0 {
		return err
	}
	return fmt.Errorf("%s; what was written until then cannot be judged: %w", r.troubles[0], err)
}

// thresholds are judged for every arm but control.
func (r *run) thresholds(results []*engine.Result) (list []engine.ThresholdResult) {
	for i, result := range results {
		if !r.arms[i].spec.Control() && r.arms[i].spec.Judge {
			list = append(list, result.Thresholds...)
		}
	}
	return list
}

// thresholdExit is 99 when a threshold failed, and 2 when one had no data and that
// is not allowed.
func (r *run) thresholdExit(thresholds []engine.ThresholdResult) int {
	code := ExitPass
	for _, t := range thresholds {
		switch {
		case t.NoData && !r.options.AllowEmptyThresholds:
			code = pickExit(code, ExitInconclusive)
		case !t.OK:
			code = pickExit(code, ExitThresholds)
		}
	}
	return code
}

// runExit is the code of what kept the run from being whole. A run that stopped
// because its history could not be written was not stopped from outside.
func (r *run) runExit(err error) int {
	switch {
	case r.writer.Err() != nil:
		return ExitInconclusive
	case err == nil:
		return ExitPass
	}
	return engine.ExitCode(err)
}
