package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// schedule gives a VU its next piece of work: the number in the test of the
// nth iteration of the scenario's VU with that index, both from 0.
type schedule func(vu int, nth int64) (inTest int64, ok bool)

// newSchedule returns the schedule of a scenario whose VUs ask for work.
func newSchedule(s Scenario) schedule {
	if s.Executor == PerVUIterations {
		return func(vu int, nth int64) (int64, bool) {
			return int64(vu) + int64(s.VUs)*nth, nth < s.Iterations
		}
	}
	var next atomic.Int64
	return func(int, int64) (int64, bool) {
		n := next.Add(1) - 1
		return n, s.Executor != SharedIterations || n < s.Iterations
	}
}

// scenarioRun is one scenario under way.
type scenarioRun struct {
	Scenario
	run  *run
	vus  []*VU
	tags map[string]string // of the run and the scenario
	next schedule

	hard    context.Context // ends when nothing of the scenario may run any more
	begun   atomic.Pointer[time.Time]
	ended   atomic.Bool
	stopped bool // by a stop of the run, before its own end

	active    atomic.Int64
	started   atomic.Int64
	restarted atomic.Int64
	completed atomic.Int64
	failed    atomic.Int64
	cutShort  atomic.Int64
	missed    atomic.Int64 // arrivals that found no VU
	reported  int64        // drops that were emitted; the ticker's, then the run's

	pool *pool // of a scenario with an arrival rate
}

// execute runs the scenario to its end.
func (s *scenarioRun) execute() {
	r := s.run
	if r.program.clock.Sleep(r.soft, s.StartTime-r.program.clock.Since(r.started)) == nil {
		var cancel context.CancelFunc
		s.hard, cancel = context.WithCancel(r.hard)
		if s.hasArrivals() {
			s.runArrivals(cancel)
		} else {
			s.runVUs(cancel)
		}
		cancel()
	}
	s.stopped = r.soft.Err() != nil && s.short()
	s.ended.Store(true)
}

// short reports whether the scenario has ended before all of it was run.
func (s *scenarioRun) short() bool {
	if s.Planned() < 0 && s.elapsed() < s.length() {
		return true
	}
	return s.dropped() > 0 || s.cutShort.Load() > 0
}

// runVUs runs a scenario whose VUs iterate one after another. All of them pass
// the gate together.
func (s *scenarioRun) runVUs(stopHard func()) {
	gate := make(chan struct{})
	var ready, working sync.WaitGroup
	for i, vu := range s.vus {
		ready.Add(1)
		working.Go(func() {
			w, err := s.hire(i, vu)
			if err == nil && len(w.stints) > 0 && w.stints[0].start == 0 {
				w.enter()
			}
			ready.Done()
			<-gate
			if err == nil {
				err = w.work()
			}
			s.run.fail(err)
		})
	}
	ready.Wait()
	stopGrace := s.begin(stopHard)
	close(gate)
	working.Wait()
	stopGrace()
}

// begin fixes the start, from which everything is timed, and arms the end.
func (s *scenarioRun) begin(stopHard func()) (stopGrace func()) {
	now := s.run.program.clock.Now()
	s.begun.Store(&now)
	s.run.sampleVUs()
	return s.run.after(s.hard, s.length()+s.GracefulStop, stopHard)
}

// elapsed is the time since the scenario's start, 0 before it.
func (s *scenarioRun) elapsed() time.Duration {
	if begun := s.begun.Load(); begun != nil {
		return s.run.program.clock.Since(*begun)
	}
	return 0
}

// sleepUntil waits until a time after the scenario's start, or for a stop.
func (s *scenarioRun) sleepUntil(at time.Duration) error {
	return s.run.program.clock.Sleep(s.run.soft, at-s.elapsed())
}

// goesOn reports whether an iteration may still start.
func (s *scenarioRun) goesOn(until time.Duration) bool {
	return s.run.soft.Err() == nil && s.elapsed() < until
}

// dropped counts the iterations that never started.
func (s *scenarioRun) dropped() int64 {
	if planned := s.Planned(); planned >= 0 {
		return planned - s.started.Load()
	}
	return 0
}

// emitDrops emits the drops that were not emitted yet.
func (s *scenarioRun) emitDrops(dropped int64) {
	s.run.emit(s.run.program.builtins.dropped, float64(dropped-s.reported), map[string]string{"scenario": s.Name})
	s.reported = dropped
}

// share is how much of the scenario is done, from 0 to 1.
func (s *scenarioRun) share() float64 {
	done, all := float64(s.elapsed()), float64(s.length())
	if s.Executor == SharedIterations || s.Executor == PerVUIterations {
		done, all = float64(s.completed.Load()+s.cutShort.Load()-s.restarted.Load()), float64(s.Planned())
	}
	if all <= 0 || s.ended.Load() {
		return 1
	}
	return min(done/all, 1)
}

func (s *scenarioRun) result() ScenarioResult {
	result := ScenarioResult{
		Name: s.Name, Executor: s.Executor, VUs: len(s.vus), MaxVUs: s.MaxVUs, Planned: s.Planned(),
		Started: s.started.Load(), Restarted: s.restarted.Load(),
		Completed: s.completed.Load(), Failed: s.failed.Load(), Interrupted: s.cutShort.Load(),
		Dropped: s.dropped(),
	}
	if s.pool != nil {
		result.Lateness = s.pool.late.summary()
	}
	return result
}

func (s *scenarioRun) progress() ScenarioProgress {
	return ScenarioProgress{
		Name: s.Name, Planned: s.Planned(), Active: s.active.Load(), Started: s.started.Load(),
		Completed: s.completed.Load(), Failed: s.failed.Load(), Interrupted: s.cutShort.Load(),
		Dropped: s.missed.Load(), Share: s.share(),
	}
}
