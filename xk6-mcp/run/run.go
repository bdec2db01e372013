// Package run is the one place where everything meets: it loads a script,
// starts servers and the fault layer, drives the rollouts, keeps the history,
// and has it judged.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/summary"
)

// ErrUnreachable says that a server of the user's own does not accept
// connections.
var ErrUnreachable = errors.New("unreachable")

// stopGrace is how long running rollouts may go on after a first signal.
const stopGrace = 500 * time.Millisecond

// run is one run under way.
type run struct {
	options  Options
	id       string
	program  *engine.Program
	module   *xk6mcp.Module
	rawStorm json.RawMessage
	storm    *Storm // nil in a plain run
	arms     []*arm // in the order in which they run
	known    []history.KnownFailure
	pick     map[string][]int64 // the only iterations to run, by scenario; nil for all
	base     *clock.Base
	writer   *history.Writer
	totals   *totals
	outputs  *outputs
	troubles []string
	diskFull bool
	torn     bool // the history is not whole
}

// Run makes one run and has it judged. When stop ends, the run is brought to an
// early end and judged as far as it got. An error is an *Error: the run could
// not be made, and its code says how.
func Run(stop context.Context, o Options) (*Outcome, error) {
	r := newRun(o)
	if err := r.load(stop); err != nil {
		return nil, err
	}
	if err := r.openOutputs(stop); err != nil {
		return nil, err
	}
	defer r.outputs.close()
	if r.storm == nil {
		return r.runPlain(stop)
	}
	if err := r.record(); err != nil {
		return nil, &Error{ExitInconclusive, err}
	}
	results, err := r.drive(stop)
	if r.options.Recorded != nil {
		r.options.Recorded()
	}
	return r.judge(results, err)
}

func newRun(o Options) *run {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	r := &run{options: o, module: xk6mcp.New(), totals: newTotals(), base: clock.NewBase(o.Clock)}
	r.module.Community = r.older()
	return r
}

// record opens the history and writes what is known before the first rollout.
func (r *run) record() error {
	dir := r.options.runDir(r.base.Wall())
	r.id = filepath.Base(dir)
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	if r.writer, err = history.Create(dir, history.WriterOptions{Clock: r.options.Clock, OpenFile: r.options.OpenFile}); err != nil {
		return err
	}
	if err := r.writer.Manifest(manifest); err != nil {
		return errors.Join(err, r.writer.Close())
	}
	for _, a := range r.arms {
		a.record = &record{arm: a.spec.Name, writer: r.writer, plan: a.plan, totals: r.totals, out: r.outputs}
		if r.options.Breakdown {
			a.breakdown = summary.NewBreakdown()
		}
		for _, rule := range a.plan.Records(a.spec.Name) {
			r.writer.Plan(rule)
		}
	}
	return nil
}

// drive runs the arms one after another. A history that can no longer be
// written ends them.
func (r *run) drive(stop context.Context) ([]*engine.Result, error) {
	stop, cancel := context.WithCancel(stop)
	defer cancel()
	release := cancelWhen(r.writer.Failed(), cancel)
	defer release()
	shown := make(chan struct{})
	showing, hide := context.WithCancel(context.Background())
	go func() {
		defer close(shown)
		r.options.Progress.show(showing, r.options.Clock, r.totals)
	}()
	defer func() { hide(); <-shown }()
	r.options.Progress.await()
	r.totals.enter(r.arms[0].spec.Name)
	var results []*engine.Result
	var failed error
	for _, a := range r.arms {
		result, err := a.run(stop)
		if result != nil {
			results = append(results, result)
		}
		for _, trouble := range slices.Concat(a.deaths(), a.troubles) {
			r.trouble(fmt.Errorf("arm %s: %w", a.spec.Name, trouble))
			r.torn = r.torn || history.IsFull(trouble)
		}
		err = stopped(stop, err)
		failed = errors.Join(failed, err)
		if err != nil && !onlyFailed(err) {
			break
		}
	}
	return results, failed
}

// stopped is the error of an arm, which is that the run was stopped where that kept the
// arm's servers from starting.
func stopped(stop context.Context, err error) error {
	if stop.Err() != nil && errors.Is(err, context.Canceled) {
		return engine.ErrStopped
	}
	return err
}

// onlyFailed reports whether the script merely called its test failed, which by
// itself stops nothing.
func onlyFailed(err error) bool { return engine.ExitCode(err) == ExitFail }

// cancelWhen calls cancel when the channel closes, until it is released.
func cancelWhen(failed <-chan struct{}, cancel func()) (release func()) {
	released, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-failed:
			cancel()
		case <-released:
		}
	}()
	return func() {
		close(released)
		<-gone
	}
}

// trouble notes a failure of the harness itself. A full disk fails everything
// that is written after it, and is told once.
func (r *run) trouble(err error) {
	if err == nil || (r.diskFull && history.IsFull(err)) {
		return
	}
	r.diskFull = r.diskFull || history.IsFull(err)
	text, _, _ := strings.Cut(err.Error(), "\n")
	r.troubles = append(r.troubles, text)
}

func joined(list []string) string { return strings.Join(list, ", ") }
