// Package run is the one place where everything meets: it loads a script,
// starts servers and the fault layer, drives the rollouts, keeps the history,
// and has it judged.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reports"
	"mcpstorm/reports/check"
	"mcpstorm/scenarios"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/engine"
)

// ErrUnreachable says that a server of the user's own does not accept
// connections.
var ErrUnreachable = errors.New("unreachable")

const (
	mainArm = "main"
	// stopGrace is how long running rollouts may go on after a first signal.
	stopGrace = 500 * time.Millisecond
)

// Outcome is a run that was made and judged.
type Outcome struct {
	Dir     string
	History *history.Run
	Verdict history.Verdict
	Result  *engine.Result
	// Troubles are failures of the harness itself, one line each.
	Troubles []string
	Exit     int
}

// run is one run under way.
type run struct {
	options  Options
	id       string
	program  *engine.Program
	module   *xk6mcp.Module
	rawStorm json.RawMessage
	storm    *Storm
	kinds    map[string]refserver.Kind
	plan     *plan.Plan
	blocks   map[string]int
	base     *clock.Base
	writer   *history.Writer
	totals   *totals
	troubles []string
}

// Run makes one run and has it judged. When stop ends, the run is brought to an
// early end and judged as far as it got. An error is an *Error: the run could
// not be made, and its code says how.
func Run(stop context.Context, o Options) (*Outcome, error) {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	r := &run{options: o, module: xk6mcp.New(), totals: newTotals(), base: clock.NewBase(o.Clock)}
	if err := r.load(stop); err != nil {
		return nil, err
	}
	if err := r.record(); err != nil {
		return nil, &Error{ExitInconclusive, err}
	}
	result, err := r.drive(stop)
	return r.judge(result, err)
}

// load reads the script and everything that it and the command line say, and
// refuses whatever is wrong before anything is started.
func (r *run) load(ctx context.Context) error {
	source, err := readScript(r.options.Script)
	if err != nil {
		return &Error{ExitOptions, err}
	}
	r.program, err = engine.Load(r.options.Script, engine.LoadOptions{
		Context: ctx, Modules: []engine.Module{r.module}, Env: r.options.Env, Clock: r.options.Clock,
		Seed: r.options.Seed, Console: r.options.Console, Source: source,
	})
	if err != nil {
		return &Error{engine.ExitCode(err), err}
	}
	if err := r.configure(); err != nil {
		return &Error{ExitOptions, err}
	}
	return nil
}

// readScript reads a script from disk, or else one that comes with mcpstorm.
func readScript(path string) ([]byte, error) {
	source, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return source, err
	}
	if dir, name := filepath.Split(path); dir == "" || filepath.Clean(dir) == "scenarios" {
		if embedded, err := scenarios.Files.ReadFile(name); err == nil {
			return embedded, nil
		}
	}
	return nil, fmt.Errorf("script %s: no such file", path)
}

func (r *run) configure() (err error) {
	var ok bool
	if r.rawStorm, ok = r.program.Export("storm"); !ok {
		return stormError("%s exports no storm: it says which servers to drive and what to break", r.options.Script)
	}
	if r.storm, err = ParseStorm(r.rawStorm); err != nil {
		return err
	}
	if err := errors.Join(
		r.storm.applyPolicies(r.options.Policies), r.storm.applyLatency(r.options.TurnLatency), checkAssert(r.storm.Assert),
	); err != nil {
		return err
	}
	if r.options.VUs != 0 {
		if err := r.program.Override(engine.Overrides{VUs: &r.options.VUs}); err != nil {
			return err
		}
	}
	if r.kinds, err = r.storm.kinds(r.options.Bugs); err != nil {
		return err
	}
	return r.makePlan()
}

func (r *run) makePlan() error {
	rules, err := plan.Parse(r.storm.Faults, r.storm.Names())
	if err != nil {
		return err
	}
	r.blocks = map[string]int{}
	for block, s := range r.program.Options().Scenarios {
		r.blocks[s.Name] = block
	}
	r.plan, err = plan.New(rules, r.options.Seed, inverted(r.blocks))
	return err
}

func inverted(blocks map[string]int) map[int]string {
	names := make(map[int]string, len(blocks))
	for name, block := range blocks {
		names[block] = name
	}
	return names
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
	for _, rule := range r.plan.Records(mainArm) {
		r.writer.Plan(rule)
	}
	return nil
}

// drive runs the arm. A history that can no longer be written stops it.
func (r *run) drive(stop context.Context) (*engine.Result, error) {
	a := &arm{
		name: mainArm, options: &r.options, storm: r.storm, kinds: r.kinds, plan: r.plan, writer: r.writer, base: r.base,
		blocks: r.blocks, scenarios: inverted(r.blocks), upstreams: map[string]*upstream{}, proxies: map[string]*proxy.Proxy{},
		record: &record{arm: mainArm, writer: r.writer, plan: r.plan, totals: r.totals},
	}
	t, err := a.open(stop)
	if err != nil {
		return nil, err
	}
	stop, cancel := context.WithCancel(stop)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.options.Progress.show(stop, r.options.Clock, r.totals, plannedOf(r.program))
	}()
	release := cancelWhen(r.writer.Failed(), cancel)
	result, err := a.run(stop, r.program, r.module, t)
	release()
	cancel()
	<-done
	r.trouble(a.close())
	return result, err
}

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

func (r *run) trouble(err error) {
	if err != nil {
		r.troubles = append(r.troubles, err.Error())
	}
}

// judge closes the history, judges it, and writes the verdict beside it.
func (r *run) judge(result *engine.Result, ran error) (*Outcome, error) {
	if !errors.Is(ran, engine.ErrStopped) {
		r.trouble(ran)
	}
	r.trouble(r.close(result, ran))
	stored, err := history.Open(r.writer.Dir())
	if stored == nil {
		return nil, &Error{ExitInconclusive, err}
	}
	if err != nil && len(r.troubles) == 0 {
		r.trouble(err)
	}
	stored.Manifest.Errors = r.troubles
	o := &Outcome{Dir: r.writer.Dir(), History: stored, Verdict: check.Evaluate(stored, check.Options{}), Result: result}
	r.trouble(reports.WriteVerdict(o.Dir, o.Verdict))
	r.trouble(history.WriteLatest(o.Dir))
	o.Troubles = r.troubles
	o.Exit = pickExit(reports.ExitCode(o.Verdict.Status), thresholdExit(result), r.runExit(ran))
	return o, nil
}

// close ends the history and writes the manifest's last word.
func (r *run) close(result *engine.Result, ran error) error {
	err := r.writer.Close()
	r.trouble(err)
	manifest, err := r.manifest()
	if err != nil {
		return err
	}
	manifest.State = history.StateFinished
	if errors.Is(ran, engine.ErrStopped) && r.writer.Err() == nil {
		manifest.State = history.StateStopped
	}
	stalls := r.writer.Stalls()
	manifest.Stalls, manifest.Errors = &stalls, r.troubles
	return r.writer.Manifest(manifest)
}

// thresholdExit is 99 when a threshold failed, and 2 when one had no data.
func thresholdExit(result *engine.Result) int {
	if result == nil {
		return ExitPass
	}
	code := ExitPass
	for _, t := range result.Thresholds {
		switch {
		case t.NoData:
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

func stormError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrStorm, fmt.Errorf(format, args...))
}

func joined(list []string) string { return strings.Join(list, ", ") }
