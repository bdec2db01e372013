package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/grafana/sobek"
)

// schedule gives a VU its next piece of work: the number in the test of the
// nth iteration of the scenario's VU with that index, both from 0.
type schedule func(vu int, nth int64) (inTest int64, ok bool)

// newSchedule returns the schedule of a scenario's executor.
func newSchedule(s Scenario) schedule {
	if s.Executor == PerVUIterations {
		return func(vu int, nth int64) (int64, bool) {
			return int64(vu) + int64(s.VUs)*nth, nth < s.Iterations
		}
	}
	var next atomic.Int64
	return func(int, int64) (int64, bool) {
		n := next.Add(1) - 1
		return n, n < s.Iterations
	}
}

// scenarioRun is one scenario under way.
type scenarioRun struct {
	Scenario
	run  *run
	vus  []*VU
	next schedule

	soft, hard context.Context // no more iterations; no more anything
	active     atomic.Int64
	started    atomic.Int64
	restarted  atomic.Int64
	completed  atomic.Int64
	failed     atomic.Int64
	cutShort   atomic.Int64
}

// execute runs the scenario to its end.
func (s *scenarioRun) execute() {
	if s.run.program.clock.Sleep(s.run.soft, s.StartTime) != nil {
		return
	}
	var stopSoft, stopHard context.CancelFunc
	s.soft, stopSoft = context.WithCancel(s.run.soft)
	s.hard, stopHard = context.WithCancel(s.run.hard)
	defer stopHard()
	defer stopSoft()
	stopTimer := s.run.after(s.hard, s.MaxDuration, stopSoft)
	defer stopTimer()
	stopGrace := s.run.after(s.hard, s.MaxDuration+s.GracefulStop, stopHard)
	defer stopGrace()

	gate := make(chan struct{})
	var ready, ended sync.WaitGroup
	for i, vu := range s.vus {
		ready.Add(1)
		ended.Go(func() { s.drive(i, vu, &ready, gate) })
	}
	ready.Wait()
	s.run.running.Add(int64(len(s.vus)))
	s.run.sampleVUs()
	close(gate)
	ended.Wait()
}

// drive is the life of one VU. All VUs of a scenario pass the gate together.
func (s *scenarioRun) drive(index int, vu *VU, ready *sync.WaitGroup, gate <-chan struct{}) {
	stop := vu.watch(s.hard)
	defer stop()
	args, err := vu.dataArgument(s.run.data)
	ready.Done()
	<-gate
	defer s.run.running.Add(-1)
	for n := int64(0); err == nil && s.soft.Err() == nil; n++ {
		inTest, ok := s.next(index, n)
		if !ok {
			return
		}
		args, err = s.iteration(vu, inTest, args)
	}
	s.run.fail(err)
}

// iteration runs one iteration, and again as long as the hook asks for it. It
// returns the arguments for the next one.
func (s *scenarioRun) iteration(vu *VU, inTest int64, args []sobek.Value) ([]sobek.Value, error) {
	s.started.Add(1)
	for run := 1; ; run++ {
		if run > 1 {
			s.restarted.Add(1)
		}
		again := s.runOnce(vu, inTest, run, args)
		var err error
		if vu.broken {
			args, err = s.repair(vu)
		}
		if err != nil || !again || s.soft.Err() != nil {
			return args, err
		}
	}
}

// repair gives a VU whose runtime was lost to a Go panic a new one.
func (s *scenarioRun) repair(vu *VU) ([]sobek.Value, error) {
	if err := vu.boot(s.hard); err != nil {
		if errors.Is(err, ErrStopped) {
			return nil, nil // the loop ends by itself
		}
		return nil, err
	}
	return vu.dataArgument(s.run.data)
}

// runOnce runs an iteration once and returns whether the hook wants it again.
func (s *scenarioRun) runOnce(vu *VU, inTest int64, run int, args []sobek.Value) (again bool) {
	hooks := s.run.hooks
	vu.ctx = s.hard
	vu.begin(s.Name, inTest, run)
	s.active.Add(1)
	if hooks.Before != nil {
		hooks.Before(vu)
	}
	fn, _ := vu.function(s.Exec)
	result := vu.call(s.hard, fn, args...)
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

func (s *scenarioRun) dropped() int64 { return s.Planned() - s.started.Load() }

func (s *scenarioRun) result() ScenarioResult {
	return ScenarioResult{
		Name: s.Name, Executor: s.Executor, VUs: s.VUs, Planned: s.Planned(),
		Started: s.started.Load(), Restarted: s.restarted.Load(),
		Completed: s.completed.Load(), Failed: s.failed.Load(), Interrupted: s.cutShort.Load(),
		Dropped: s.dropped(),
	}
}

func (s *scenarioRun) progress() ScenarioProgress {
	return ScenarioProgress{
		Name: s.Name, Planned: s.Planned(), Active: s.active.Load(), Started: s.started.Load(),
		Completed: s.completed.Load(), Failed: s.failed.Load(), Interrupted: s.cutShort.Load(),
	}
}
