package engine

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
)

// tick is how often a run samples the metric vus. It shows its progress glances
// times as often, so that what is counted beside it never seems far ahead.
const (
	tick    = time.Second
	glances = 5
)

// Hooks are how a caller takes part in a run. Each may be nil.
type Hooks struct {
	// Before is called before every iteration, on the VU's goroutine.
	Before func(vu *VU)
	// After is called after every iteration, on the VU's goroutine; what it
	// emits surfaces with the iteration. When it returns true the VU runs the
	// same iteration once more, unless the scenario is stopping. It must not
	// use the VU's runtime when r.Err wraps ErrPanic: the VU then gets a new
	// one, in which its modules are instantiated afresh.
	After func(vu *VU, r IterationResult) (again bool)
	// Sample is called with every sample, from one goroutine. While it waits,
	// VUs wait too.
	Sample func(Sample)
	// Progress is called about five times a second and once more at the end,
	// never twice at the same time.
	Progress func(Progress)
}

// RunOptions are the settings of one run. The zero value is legal.
type RunOptions struct {
	Hooks Hooks
	// Stop ends the run gently: when it ends, no iteration starts any more,
	// running ones are interrupted after StopGrace, and teardown still runs.
	// Nil means never. A threshold that aborts and exec.test.abort end the run
	// in the same way, with the same grace.
	Stop      context.Context
	StopGrace time.Duration
	// Tags are put on every sample, under those of the script.
	Tags map[string]string
	// NoSummary leaves handleSummary out.
	NoSummary bool
	// Pick lists by scenario the numbers of the only iterations to run; nil means
	// all of all.
	Pick map[string][]int64
}

// run is one run under way.
type run struct {
	program    *Program
	hooks      Hooks
	tags       map[string]string
	samples    *aggregator
	soft, hard context.Context
	stop       context.CancelCauseFunc // ends soft; only the first cause counts
	scenarios  []*scenarioRun
	pick       map[string][]int64
	data       string // JSON of what setup returned
	errors     errorLog
	noSummary  bool
	thresholds []Threshold
	started    time.Time
	running    atomic.Int64 // VUs
	made       atomic.Int64 // VUs, each with its own number

	mu     sync.Mutex
	fatal  error
	marked error // by exec.test.fail
}

// Run runs the script once: init code of every VU, setup, the scenarios,
// teardown, handleSummary. When ctx ends everything stops at once, teardown
// included. The returned error says what kept the run from being whole: it
// wraps ErrConfig, ErrScript, ErrSetupTimeout, ErrTeardownTimeout, ErrStopped
// or ErrAborted, or several of these, and ErrFailed when the script said that
// the run, though whole, has failed. Exceptions in iterations, failed
// thresholds and a failed summary are no errors: they are in the result, which
// is nil only when the thresholds cannot be judged.
func (p *Program) Run(ctx context.Context, o RunOptions) (*Result, error) {
	thresholds, err := p.thresholds()
	if err != nil {
		return nil, err
	}
	options := p.Options()
	r := &run{program: p, hooks: o.Hooks, tags: mergeTags(o.Tags, options.Tags), noSummary: o.NoSummary, pick: o.Pick}
	r.samples, r.thresholds = newAggregator(thresholds, p, o.Hooks.Sample), thresholds
	release := r.contexts(ctx, o)
	defer release()

	result := &Result{}
	err = r.lifecycle(ctx, options, result)
	r.samples.close()
	for _, s := range r.scenarios {
		result.Scenarios = append(result.Scenarios, s.result())
	}
	result.Metrics = r.samples.summarise(p.metrics, options.TrendStats, result.Duration)
	result.Thresholds = r.samples.judge(thresholds, p.metrics, result.Duration)
	result.Errors = r.errors.list()
	result.Root = r.samples.root
	r.summarise(ctx, options, result)
	return result, err
}

// contexts derives the two stops of the run. Hard ends StopGrace after soft.
func (r *run) contexts(ctx context.Context, o RunOptions) (release func()) {
	soft, stopSoft := context.WithCancelCause(ctx)
	hard, stopHard := context.WithCancelCause(ctx)
	r.soft, r.hard, r.stop = soft, hard, stopSoft
	unlink := func() bool { return true }
	if o.Stop != nil {
		unlink = context.AfterFunc(o.Stop, func() { stopSoft(ErrStopped) })
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		<-soft.Done()
		if r.program.clock.Sleep(hard, o.StopGrace) == nil {
			stopHard(context.Cause(soft))
		}
	})
	return func() {
		unlink()
		stopHard(nil)
		stopSoft(nil)
		watching.Wait()
	}
}

// after calls fn once d has passed, unless ctx ends first or the returned
// function is called, which waits until fn can no longer be running.
func (r *run) after(ctx context.Context, d time.Duration, fn func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		if r.program.clock.Sleep(ctx, d) == nil {
			fn()
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// lifecycle runs the parts of a run in order.
func (r *run) lifecycle(ctx context.Context, o Options, result *Result) error {
	start := r.program.clock.Now()
	if err := r.startVUs(o); err != nil {
		return r.noteStop(result, err)
	}
	result.Init = r.program.clock.Since(start)

	setup := hook{export: setupExport, skipped: o.NoSetup, timeout: o.SetupTimeout, late: ErrSetupTimeout}
	result.SetupErr = r.runHook(r.hard, setup, "", func(vu *VU, v sobek.Value) (err error) {
		r.data, err = vu.stringify(v)
		return err
	})
	if result.SetupErr != nil {
		return r.noteStop(result, result.SetupErr)
	}
	r.runScenarios(result)

	teardown := hook{export: teardownExport, skipped: o.NoTeardown, timeout: o.TeardownTimeout, late: ErrTeardownTimeout}
	result.TeardownErr = r.runHook(ctx, teardown, r.data, nil)
	return errors.Join(r.failed(), r.whyStopped(result), result.TeardownErr, r.marked)
}

// whyStopped says what ended the run early, if anything did. A threshold that
// did is no error: it is in the result, and it has failed.
func (r *run) whyStopped(result *Result) error {
	cause := context.Cause(r.soft)
	var aborted *thresholdAbort
	switch {
	case errors.As(cause, &aborted):
		result.AbortedBy = aborted.Error()
		return nil
	case errors.Is(cause, ErrAborted):
		result.AbortedBy = cause.Error()
		if errors.Is(result.TeardownErr, ErrAborted) {
			return nil
		}
		return cause
	case r.incomplete():
		return r.noteStop(result, ErrStopped)
	}
	return nil
}

func (r *run) noteStop(result *Result, err error) error {
	result.Stopped = result.Stopped || errors.Is(err, ErrStopped)
	return err
}

// incomplete reports whether a stop kept something from running.
func (r *run) incomplete() bool {
	return slices.ContainsFunc(r.scenarios, func(s *scenarioRun) bool { return s.stopped })
}

// startVUs starts the runtimes of all VUs, as many at a time as there are
// processors.
func (r *run) startVUs(o Options) error {
	var vus []*VU
	for _, scenario := range o.Scenarios {
		if r.pick != nil {
			scenario = scenario.Pick(r.pick[scenario.Name])
		}
		s := r.newScenarioRun(scenario)
		for range s.VUs {
			s.vus = append(s.vus, r.newVU(s))
		}
		vus = append(vus, s.vus...)
		r.scenarios = append(r.scenarios, s)
	}
	queue := make(chan *VU)
	var workers sync.WaitGroup
	for range min(runtime.NumCPU(), len(vus)) {
		workers.Go(func() {
			for vu := range queue {
				if r.failed() == nil {
					r.fail(vu.boot(r.hard))
				}
			}
		})
	}
	for _, vu := range vus {
		queue <- vu
	}
	close(queue)
	workers.Wait()
	return r.failed()
}

func (r *run) newScenarioRun(scenario Scenario) *scenarioRun {
	s := &scenarioRun{Scenario: scenario, run: r, next: picked(scenario, newSchedule(scenario))}
	s.tags = mergeTags(mergeTags(r.tags, s.Tags), map[string]string{"scenario": s.Name})
	if s.hasArrivals() {
		s.pool = newPool(s)
	}
	return s
}

// newVU makes a further VU of a scenario. Its runtime is not started yet.
func (r *run) newVU(s *scenarioRun) *VU {
	vu := r.program.newVU(int(r.made.Add(1)), s.Env, s.tags, r.samples)
	vu.run, vu.scenario = r, s
	return vu
}

// runScenarios runs all scenarios side by side.
func (r *run) runScenarios(result *Result) {
	r.started = r.program.clock.Now()
	result.Start = r.started
	r.sampleVUsMax()
	stopTicker := r.ticker()
	var running sync.WaitGroup
	for _, s := range r.scenarios {
		running.Go(s.execute)
	}
	running.Wait()
	stopTicker()
	for _, s := range r.scenarios {
		s.emitDrops(s.dropped())
	}
	result.Duration = r.program.clock.Since(r.started)
}

// ticker samples the run and shows its progress, until the returned function
// is called, which shows it once more.
func (r *run) ticker() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for n := 1; r.program.clock.Sleep(ctx, tick/glances) == nil; n++ {
			if n%glances == 0 {
				r.sampleVUs()
				r.sampleDrops()
				r.abortOnThreshold()
			}
			r.progress()
		}
	})
	return func() {
		cancel()
		done.Wait()
		r.progress()
	}
}

func (r *run) progress() {
	if r.hooks.Progress == nil {
		return
	}
	p := Progress{Elapsed: r.program.clock.Since(r.started)}
	for _, s := range r.scenarios {
		p.Scenarios = append(p.Scenarios, s.progress())
	}
	r.hooks.Progress(p)
}

// sampleVUs emits how many VUs are running.
func (r *run) sampleVUs() {
	r.emit(r.program.builtins.vus, float64(r.running.Load()), nil)
}

// sampleVUsMax emits how many VUs there are.
func (r *run) sampleVUsMax() {
	r.emit(r.program.builtins.vusMax, float64(r.made.Load()), nil)
}

// sampleDrops emits the arrivals that have found no VU since the last time.
func (r *run) sampleDrops() {
	for _, s := range r.scenarios {
		if missed := s.missed.Load(); missed > s.reported {
			s.emitDrops(missed)
		}
	}
}

// emit sends a sample that belongs to no VU.
func (r *run) emit(m *Metric, value float64, tags map[string]string) {
	r.samples.send([]Sample{{m, value, mergeTags(r.tags, tags), r.program.clock.Now()}})
}

// fail remembers the first error that makes the run useless.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fatal == nil {
		r.fatal = err
	}
}

// mark remembers the first reason that the script gave for a failed run.
func (r *run) mark(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.marked == nil {
		r.marked = err
	}
}

func (r *run) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fatal
}
