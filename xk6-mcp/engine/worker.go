package engine

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"
)

// worker is a VU at work for a scenario. It belongs to one goroutine.
type worker struct {
	scenario *scenarioRun
	vu       *VU
	index    int
	nth      int64 // iterations it has asked for
	args     []sobek.Value
	stints   []stint
	counted  bool // among the run's running VUs
}

// hire makes a worker of a VU whose runtime has been started.
func (s *scenarioRun) hire(index int, vu *VU) (*worker, error) {
	args, err := vu.dataArgument(s.run.data)
	return &worker{scenario: s, vu: vu, index: index, args: args, stints: s.stints(index)}, err
}

// enter counts the worker as running.
func (w *worker) enter() {
	if !w.counted {
		w.counted = true
		w.scenario.run.running.Add(1)
	}
}

func (w *worker) leave() {
	if w.counted {
		w.counted = false
		w.scenario.run.running.Add(-1)
	}
}

// work is the life of a worker that asks for its iterations.
func (w *worker) work() error {
	defer w.leave()
	for _, st := range w.stints {
		if w.scenario.sleepUntil(st.start) != nil {
			return nil
		}
		w.enter()
		if err := w.serve(st); err != nil {
			return err
		}
		w.leave()
	}
	return nil
}

// serve runs iterations for one stint.
func (w *worker) serve(st stint) error {
	s := w.scenario
	ctx, cancel := context.WithCancel(s.hard)
	defer cancel()
	if st.hard < s.length()+s.GracefulStop {
		stopTimer := s.run.after(ctx, st.hard-s.elapsed(), cancel)
		defer stopTimer()
	}
	stop := w.vu.watch(ctx)
	defer stop()
	for s.goesOn(st.stop) {
		inTest, ok := s.next(w.index, w.nth)
		if !ok {
			return nil
		}
		w.nth++
		if err := w.iterate(ctx, inTest, st.stop); err != nil {
			return err
		}
	}
	return nil
}

// iterate runs one iteration, and again as long as the hook asks for it before
// the time to stop.
func (w *worker) iterate(ctx context.Context, inTest int64, until time.Duration) error {
	s := w.scenario
	s.started.Add(1)
	for run := 1; ; run++ {
		if run > 1 {
			s.restarted.Add(1)
		}
		again := w.runOnce(ctx, inTest, run)
		w.rest(until)
		var err error
		if w.vu.broken {
			err = w.repair()
		}
		if err != nil || !again || !s.goesOn(until) {
			return err
		}
	}
}

// rest waits until the iteration has taken as long as the options want, or until
// no other could start.
func (w *worker) rest(until time.Duration) {
	least := w.vu.program.declared.rest.MinIteration
	if least == 0 {
		return
	}
	s := w.scenario
	rest := least - w.vu.program.clock.Since(w.vu.iteration.Start)
	_ = w.vu.program.clock.Sleep(s.run.soft, min(rest, until-s.elapsed())) // a stop ends it early
}

// repair gives a VU whose runtime was lost to a Go panic a new one.
func (w *worker) repair() (err error) {
	if err := w.vu.boot(w.scenario.hard); err != nil {
		if errors.Is(err, ErrStopped) {
			return nil // the loop ends by itself
		}
		return err
	}
	w.args, err = w.vu.dataArgument(w.scenario.run.data)
	return err
}

// runOnce runs an iteration once and returns whether the hook wants it again.
func (w *worker) runOnce(ctx context.Context, inTest int64, run int) (again bool) {
	s, vu := w.scenario, w.vu
	hooks := s.run.hooks
	vu.ctx = ctx
	vu.begin(s.Name, inTest, run)
	s.active.Add(1)
	if hooks.Before != nil {
		hooks.Before(vu)
	}
	fn, _ := vu.function(s.Exec)
	result := vu.call(ctx, fn, w.args...)
	s.count(vu, result)
	if hooks.After != nil {
		again = hooks.After(vu, result)
	}
	s.active.Add(-1)
	vu.flush()
	return again
}

func (s *scenarioRun) count(vu *VU, result IterationResult) {
	if result.Interrupted {
		s.cutShort.Add(1)
		return
	}
	s.completed.Add(1)
	vu.Emit(vu.program.builtins.iterations, 1, nil)
	vu.Emit(vu.program.builtins.duration, millis(result.Duration), nil)
	if result.Err != nil {
		s.failed.Add(1)
		s.run.errors.add(result)
	}
}
