package community

import (
	"context"
	"io"
	"sync"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/engine"
)

// closers is how many sessions are closed at a time when a run is over.
const closers = 64

// Options are the settings of Clients. The zero value is legal.
type Options struct {
	// Clock measures the calls; nil means the system's.
	Clock clock.Clock
	// Console takes what server processes of clients with debug write to their
	// stderr, whole lines with one Write each, from any goroutine; nil drops it.
	Console io.Writer
}

// Clients are all clients of all virtual users of a program, and the sessions
// that they hold open. It is safe for concurrent use.
type Clients struct {
	clock   clock.Clock
	console io.Writer

	mu   sync.Mutex
	open map[*session]struct{}
}

// New makes the clients of a program, none so far.
func New(o Options) *Clients {
	c := &Clients{clock: o.Clock, console: o.Console, open: map[*session]struct{}{}}
	if c.clock == nil {
		c.clock = clock.System{}
	}
	if c.console == nil {
		c.console = io.Discard
	}
	return c
}

// Exports makes the three classes for one virtual user, in its init code and on
// its goroutine, to be exported by a module under their names.
func (c *Clients) Exports(vu *engine.VU) (map[string]any, error) {
	metrics, err := registerMetrics(vu)
	if err != nil {
		return nil, err
	}
	user := &user{vu: vu, clients: c, metrics: metrics}
	classes := make(map[string]any, len(kinds))
	for _, k := range kinds {
		classes[k.class] = user.class(k)
	}
	return classes, nil
}

// Close closes every session and ends every server process. It is to be called
// when an engine run is over and no virtual user is at work; after it another
// run may begin. Each session is given closeGrace, and then cut.
func (c *Clients) Close() {
	c.mu.Lock()
	sessions := c.open
	c.open = map[*session]struct{}{}
	c.mu.Unlock()

	queue := make(chan *session)
	var working sync.WaitGroup
	for range min(closers, len(sessions)) {
		working.Go(func() {
			for s := range queue {
				s.close(context.Background())
			}
		})
	}
	for s := range sessions {
		queue <- s
	}
	close(queue)
	working.Wait()
}

func (c *Clients) opened(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[s] = struct{}{}
}

func (c *Clients) closed(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, s)
}
