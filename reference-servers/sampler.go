package refserver

import (
	"context"
	"maps"
	"net/http"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/process"
	"mcpstorm/internal/wire"
)

// ResourceSink keeps records of what a server held.
type ResourceSink interface {
	Resource(history.Resource) error
}

// SamplerOptions say what a Sampler counts, and when.
type SamplerOptions struct {
	Name string // the server's name in its records
	Arm  string // the arm's, likewise
	Sink ResourceSink
	// Cycle is how many rollouts make a cycle of use: as many as run at once.
	Cycle int
	// Process also counts what the whole process holds. It is for a server that has
	// one of its own.
	Process bool
	Clock   clock.Clock // nil: the machine's own
	Base    *clock.Base // zero of the times in the records; nil: the making of the Sampler
}

// Sampler is a server whose holdings are counted at the end of each cycle of use. It
// serves as the server under it does. Its methods may be called from any goroutine.
type Sampler struct {
	Server
	options SamplerOptions

	mu     sync.Mutex
	seen   map[string]bool // rollouts
	cycles int64
	base   map[string]int64
	err    error // the first failure to record
}

// Sampled counts what s holds. Where s has a method Counts, what that gives is
// counted too; Core has one.
func Sampled(s Server, o SamplerOptions) *Sampler {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Base == nil {
		o.Base = clock.NewBase(o.Clock)
	}
	return &Sampler{Server: s, options: o, seen: map[string]bool{}}
}

// ServeHTTP implements http.Handler. The first request of a rollout may end a cycle,
// and then waits until all is counted.
func (s *Sampler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rollout, ok := wire.RolloutFromPath(r.URL.Path); ok {
		s.enter(rollout)
	}
	s.Server.ServeHTTP(w, r)
}

// enter counts a rollout in. A cycle ends when the next one begins, and not with its
// own last rollout: every place of the load is then taken.
func (s *Sampler) enter(rollout string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[rollout] || s.options.Cycle < 1 {
		return
	}
	s.seen[rollout] = true
	if len(s.seen) > 1 && (len(s.seen)-1)%s.options.Cycle == 0 {
		s.cycles++
		s.record(history.ResourceCycle, s.counts())
	}
}

// Begin counts what the server holds before its first rollout. It is called once,
// when the server is listening.
func (s *Sampler) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = s.counts()
	s.record(history.ResourceBase, s.base)
}

// End waits until the server holds no more than in the beginning, two seconds at the
// most, and counts what it holds then. It is called once, when no rollout runs any
// more and before the server is closed. Its error is the first failure to record
// anything. Where there were too few cycles to tell anything it waits for nothing.
func (s *Sampler) End(ctx context.Context) error {
	s.mu.Lock()
	base, cycles := s.base, s.cycles
	s.mu.Unlock()
	counts := s.counts()
	if cycles > 0 {
		counts = process.Quiet(ctx, s.options.Clock, base, s.counts)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(history.ResourceEnd, counts)
	return s.err
}

// counts is what the server holds now.
func (s *Sampler) counts() map[string]int64 {
	counts := map[string]int64{}
	if s.options.Process {
		counts = process.Counts()
	}
	if own, ok := s.Server.(interface{ Counts() map[string]int64 }); ok {
		maps.Copy(counts, own.Counts())
	}
	return counts
}

// record writes one line, with the lock held. Of a server that holds nothing that can
// be counted there is nothing to write.
func (s *Sampler) record(phase history.ResourcePhase, counts map[string]int64) {
	if len(counts) == 0 {
		return
	}
	r := history.Resource{
		Arm: s.options.Arm, Server: s.options.Name, Phase: phase, Counts: counts, At: history.Instant(s.options.Base.Nanos()),
	}
	if phase == history.ResourceCycle {
		r.Cycle = s.cycles
	}
	if err := s.options.Sink.Resource(r); err != nil && s.err == nil {
		s.err = err
	}
}

// gauges are counts that a server takes of itself.
type gauges struct {
	mu    sync.Mutex
	count map[string]func() int64
}

// Gauge adds a count of the server's own, such as the slots that are taken, to what
// Counts gives. The function is called from any goroutine, at the end of cycles.
func (c *Core) Gauge(name string, count func() int64) {
	c.gauges.mu.Lock()
	defer c.gauges.mu.Unlock()
	if c.gauges.count == nil {
		c.gauges.count = map[string]func() int64{}
	}
	c.gauges.count[name] = count
}

// Counts is what the server holds now: its sessions, where it keeps any, and its
// gauges.
func (c *Core) Counts() map[string]int64 {
	counts := map[string]int64{}
	if c.Config.Stateful {
		counts[history.CountSessions] = c.Rollouts.sessions()
	}
	c.gauges.mu.Lock()
	defer c.gauges.mu.Unlock()
	for name, count := range c.gauges.count {
		counts[name] = count()
	}
	return counts
}

// sessions counts the open sessions of all rollouts.
func (m *Rollouts) sessions() (n int64) {
	m.mu.Lock()
	open := make([]func() *Endpoint, 0, len(m.open))
	for _, endpoint := range m.open {
		open = append(open, endpoint)
	}
	m.mu.Unlock()
	for _, endpoint := range open {
		for range endpoint().server.Sessions() {
			n++
		}
	}
	return n
}
