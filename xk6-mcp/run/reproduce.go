package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/reports/check"
	"mcpstorm/reports/stats"
)

// ReproduceOptions say which violation of a stored run is to be shrunk, and how.
type ReproduceOptions struct {
	Dir  string // of the stored run
	Task string // whose violation; empty means that of the first proof
	// Invariant is which violation of the task; empty means the first in the
	// verdict.
	Invariant string
	// Times is how often each list of faults is tried; 0 means 20.
	Times int
	// Parallel is how many rollouts run at once while the neighbours are left out; 0
	// means 8.
	Parallel int
	// Env is the script's __ENV, which a history does not hold.
	Env map[string]string
	// Note is called after each step, from one goroutine; nil drops them.
	Note func(reports.ReproduceStep)
}

// ErrNotReproduced says that a violation never came again.
var ErrNotReproduced = errors.New("not reproduced")

// reproducer repeats one violation.
type reproducer struct {
	options ReproduceOptions
	base    Options
	stored  *history.Run
	task    string
	arm     string
	inv     string
	scratch string // where the small runs go
	made    int    // of them; guarded by mu
	mu      sync.Mutex
}

// Reproduce runs the rollout of a violation again under its own faults, drops those
// that are not needed, and writes the smallest list beside the stored run. It wraps
// ErrNotReproduced when the violation never came again. Every error is an *Error.
func Reproduce(ctx context.Context, o ReproduceOptions) (*reports.Reproduction, error) {
	o.Times, o.Parallel = defaultTo(o.Times, 20), defaultTo(o.Parallel, 8)
	if o.Note == nil {
		o.Note = func(reports.ReproduceStep) {}
	}
	r := &reproducer{options: o}
	if err := r.open(); err != nil {
		return nil, &Error{ExitInconclusive, err}
	}
	var err error
	if r.scratch, err = os.MkdirTemp("", "mcpstorm-reproduce-"); err != nil {
		return nil, &Error{ExitInconclusive, err}
	}
	defer func() { _ = os.RemoveAll(r.scratch) }() // what is left is in the system's temporary folder
	found, err := r.reproduce(ctx)
	var failed *Error
	if err != nil && !errors.As(err, &failed) {
		err = &Error{ExitInconclusive, err}
	}
	return found, err
}

func defaultTo(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// open reads the stored run and finds the violation.
func (r *reproducer) open() (err error) {
	if r.stored, err = history.Open(r.options.Dir); err != nil {
		return err
	}
	if r.base, err = optionsOf(&r.stored.Manifest); err != nil {
		return err
	}
	r.base.Env, r.base.crowded = r.options.Env, true
	r.base.NoCharts, r.base.NoHostProbe, r.base.NoSummary, r.base.AllowEmptyThresholds = true, true, true, true
	return r.find()
}

// find chooses the violation: the first in the verdict that is proved by a task, or
// the first of the task that was named.
func (r *reproducer) find() error {
	subject := r.stored
	if r.options.Task != "" {
		subject = onlyTask(r.stored, r.options.Task)
		if len(subject.Rollouts) == 0 {
			return fmt.Errorf("%s has no rollout of %s", r.options.Dir, r.options.Task)
		}
	}
	verdict := check.Evaluate(subject, check.Options{All: r.options.Invariant != ""})
	for _, inv := range verdict.Invariants {
		named := r.options.Invariant == "" || r.options.Invariant == inv.ID
		if inv.Proof == nil || inv.Proof.Task == "" || !named {
			continue
		}
		r.inv, r.task = inv.ID, inv.Proof.Task
		at := slices.IndexFunc(r.stored.Rollouts, func(o history.Rollout) bool { return o.Task == r.task })
		if at < 0 {
			continue
		}
		r.arm = r.stored.Rollouts[at].Arm
		return nil
	}
	return fmt.Errorf("nothing to reproduce in %s: no violation of %s is proved by %s", r.options.Dir,
		cmp.Or(r.options.Invariant, "any invariant"), cmp.Or(r.options.Task, "a task"))
}

// onlyTask is a run with the records of one task alone.
func onlyTask(run *history.Run, task string) *history.Run {
	own := *run
	own.Ops = keep(run.Ops, func(o history.Op) bool { return history.TaskOfOp(o.Op) == task })
	own.Attempts = keep(run.Attempts, func(a history.Attempt) bool { return history.TaskOfOp(a.Op) == task })
	own.Rollouts = keep(run.Rollouts, func(o history.Rollout) bool { return o.Task == task })
	own.Faults = keep(run.Faults, func(f history.Fault) bool { return history.TaskOfOp(f.Op) == task })
	own.Wire = keep(run.Wire, func(w history.Wire) bool { return history.TaskOfRollout(w.Rollout) == task })
	own.Effects = keep(run.Effects, func(e history.Effect) bool { return history.TaskOfRollout(e.Rollout) == task })
	return &own
}

func keep[T any](list []T, wanted func(T) bool) (kept []T) {
	for _, v := range list {
		if wanted(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// reproduce shrinks the violation, measures what is left, and writes it down.
func (r *reproducer) reproduce(ctx context.Context) (*reports.Reproduction, error) {
	own, notes := faultsOf(r.stored, r.arm, func(task string) bool { return task == r.task })
	all, _ := faultsOf(r.stored, r.arm, func(string) bool { return true })
	out := &reports.Reproduction{Dir: r.options.Dir, Task: r.task, Arm: r.arm, Invariant: r.inv, Faults: names(own), Notes: notes}
	s := &shrinker{try: r.try, times: r.options.Times, note: r.options.Note}
	smallest, ok, err := s.shrink(ctx, own, all)
	if err != nil {
		return nil, err
	}
	out.Steps, out.Neighbours = s.steps, s.among
	if !ok {
		return out, fmt.Errorf("%s of %s: %w in %d tries alone, %d among its neighbours, and %d under the faults of all",
			r.inv, r.task, ErrNotReproduced, s.steps[0].Tried, s.steps[1].Tried, s.steps[2].Tried)
	}
	if s.stopped {
		out.Notes = append(out.Notes, fmt.Sprintf("stopped after %d lists: fewer faults may do", maxLists))
	}
	seen, tried, err := r.try(ctx, smallest, s.among, r.options.Times, false)
	if err != nil {
		return nil, err
	}
	interval := stats.ClopperPearson(seen, tried)
	out.Smallest = names(smallest)
	out.Rate = history.Interval{Count: seen, Of: tried, Rate: float64(seen) / float64(tried), Low: interval.Low, High: interval.High}
	out.Command, err = r.write(smallest, s.among)
	return out, err
}

// write puts the smallest list beside the stored run, and gives the command that
// repeats the violation.
func (r *reproducer) write(faults []listedFault, among bool) ([]string, error) {
	text, err := listText(faults)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(r.options.Dir, "reproduce-"+r.task+".json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return nil, err
	}
	words := append(arguments(&r.stored.Manifest), "--faults", path)
	if !among {
		words = append(words, "--only", strings.Join(r.tasks(faults), ","))
	}
	return words, nil
}

// tasks are the one whose violation it is and those that faults are about.
func (r *reproducer) tasks(faults []listedFault) []string {
	tasks := []string{r.task}
	for _, f := range faults {
		if task := history.TaskOfOp(f.Op); task != "" && !slices.Contains(tasks, task) {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// try implements tryOut. Runs without the neighbours are made side by side, each
// with servers and a fault layer of its own.
func (r *reproducer) try(ctx context.Context, faults []listedFault, among bool, times int, first bool) (seen, tried int, err error) {
	plan, err := listText(faults)
	if err != nil {
		return 0, 0, err
	}
	o := r.base
	o.Faults, o.onlyArm, o.Only = plan, r.arm, r.tasks(faults)
	batch := min(r.options.Parallel, times)
	if among {
		o.Only, batch = nil, 1
		if over := r.stored.Manifest.Overrides; over != nil {
			o.Only = over.Only
		}
	}
	for tried < times && (seen == 0 || !first) {
		n := min(batch, times-tried)
		again, err := r.runs(ctx, o, n)
		if err != nil {
			return seen, tried, err
		}
		seen, tried = seen+again, tried+n
	}
	return seen, tried, nil
}

// runs makes n runs side by side and counts those with the violation.
func (r *reproducer) runs(ctx context.Context, o Options, n int) (seen int, err error) {
	found, errs := make([]bool, n), make([]error, n)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { found[i], errs[i] = r.once(ctx, o) })
	}
	running.Wait()
	for i, again := range found {
		if errs[i] != nil {
			return seen, errs[i] // the others mostly failed of the same
		}
		if again {
			seen++
		}
	}
	return seen, nil
}

// once makes one run in a folder that is removed again, and reports whether it has
// the violation.
func (r *reproducer) once(ctx context.Context, o Options) (again bool, err error) {
	r.mu.Lock()
	r.made++
	o.Dir = filepath.Join(r.scratch, strconv.Itoa(r.made))
	r.mu.Unlock()
	outcome, err := Run(ctx, o)
	if err != nil {
		return false, err
	}
	if sha := outcome.History.Manifest.Script.SHA256; sha != r.stored.Manifest.Script.SHA256 {
		return false, fmt.Errorf("script %s: %w", o.Script, errScriptChanged)
	}
	if outcome.Exit == ExitStopped {
		return false, &Error{ExitStopped, errors.New("stopped from outside")}
	}
	if len(outcome.Troubles) > 0 {
		return false, fmt.Errorf("a run of its own: %s", outcome.Troubles[0])
	}
	for _, inv := range outcome.Verdict.Invariants {
		again = again || inv.ID == r.inv && inv.Status == history.Fail
	}
	return again, os.RemoveAll(o.Dir)
}
