package engine

import (
	"sync"
	"time"
)

// arrival is one iteration that the schedule starts.
type arrival struct {
	number int64
	due    time.Duration
}

// seat is a worker that waits for arrivals, at most one at a time.
type seat struct {
	*worker
	work chan arrival
}

// pool is the VUs of a scenario with an arrival rate.
type pool struct {
	scenario *scenarioRun
	idle     chan *seat    // room for every seat, so that returning one never waits
	grow     chan struct{} // one token for every VU that is wanted
	working  sync.WaitGroup
	late     lateness

	mu    sync.Mutex
	seats []*seat
}

// runArrivals runs a scenario whose iterations start by the clock.
func (s *scenarioRun) runArrivals(stopHard func()) {
	p := s.pool
	var ready sync.WaitGroup
	for i, vu := range s.vus {
		ready.Go(func() { s.run.fail(p.add(i, vu)) })
	}
	ready.Wait()
	stopGrace := s.begin(stopHard)
	var growing sync.WaitGroup
	growing.Go(p.growOnDemand)
	p.dispatch(newArrivals(s.Scenario))
	close(p.grow)
	growing.Wait()
	for _, seat := range p.seats {
		close(seat.work)
	}
	p.working.Wait()
	stopGrace()
}

func newPool(s *scenarioRun) *pool {
	return &pool{
		scenario: s,
		idle:     make(chan *seat, s.MaxVUs),
		grow:     make(chan struct{}, s.MaxVUs-s.VUs),
	}
}

// add seats a VU whose runtime has been started.
func (p *pool) add(index int, vu *VU) error {
	w, err := p.scenario.hire(index, vu)
	if err != nil {
		return err
	}
	seat := &seat{w, make(chan arrival, 1)}
	p.mu.Lock()
	p.seats = append(p.seats, seat)
	p.mu.Unlock()
	p.idle <- seat
	p.working.Go(func() { p.scenario.run.fail(p.serve(seat)) })
	return nil
}

// dispatch hands every arrival to an idle VU when it is due. The schedule alone
// ends the loop, or a stop of the run: a late arrival is started late, and one
// that finds no idle VU is dropped at once.
func (p *pool) dispatch(due arrivals) {
	for k := range due.count {
		at := due.at(k)
		if p.scenario.sleepUntil(at) != nil {
			return
		}
		select {
		case seat := <-p.idle:
			seat.work <- arrival{k, at}
		default:
			p.scenario.missed.Add(1)
			p.wantMore()
		}
	}
}

// wantMore asks for one VU more, as long as there may be more.
func (p *pool) wantMore() {
	select {
	case p.grow <- struct{}{}:
	default:
	}
}

// growOnDemand starts VUs beyond those that were started before the run, one
// after another and beside the dispatcher, which does not wait for them.
func (p *pool) growOnDemand() {
	s := p.scenario
	for range p.grow {
		if len(s.vus) >= s.MaxVUs || s.run.soft.Err() != nil {
			continue
		}
		vu := s.run.newVU(s)
		if err := vu.boot(s.hard); err != nil {
			s.run.fail(err)
			continue
		}
		s.vus = append(s.vus, vu)
		s.run.fail(p.add(len(s.vus)-1, vu))
		s.run.sampleVUsMax()
	}
}

// serve runs the arrivals that a seat is given.
func (p *pool) serve(seat *seat) error {
	s := p.scenario
	stop := seat.vu.watch(s.hard)
	defer stop()
	for a := range seat.work {
		p.late.add(s.elapsed() - a.due)
		seat.enter()
		err := seat.iterate(s.hard, a.number, s.length())
		seat.leave()
		if err != nil {
			return err
		}
		p.idle <- seat
	}
	return nil
}

// Lateness says how long after their due times arrivals started. It is a
// property of the generator: a starved one starts them late.
type Lateness struct {
	// Arrivals counts the iterations that were started.
	Arrivals      int64
	P50, P99, Max time.Duration
}

// lateness collects how late arrivals are. It may be used from any goroutine.
type lateness struct {
	mu   sync.Mutex
	dist distribution // milliseconds
}

func (l *lateness) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dist.add(millis(max(d, 0)))
}

func (l *lateness) summary() *Lateness {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := func(q float64) time.Duration { return time.Duration(l.dist.quantile(q) * float64(time.Millisecond)) }
	return &Lateness{Arrivals: l.dist.count, P50: at(0.5), P99: at(0.99), Max: time.Duration(l.dist.max * float64(time.Millisecond))}
}
