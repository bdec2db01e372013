package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics"
)

// isolated is the life of a server of its own process in an arm: one child after another, for a
// fault may kill it and start it again.
type isolated struct {
	arm  *arm
	spec ServerSpec
	bugs []string
	addr string // the same all its life

	mu     sync.Mutex
	child  *child         // nil between a kill and the next start
	ended  bool           // it is not started any more
	failed error          // why a kill or a start did not come about
	died   *history.Death // of a child that no fault of the plan killed; nil when none died so
}

var _ toxics.Killer = (*isolated)(nil)

// startIsolated starts an isolated server on a free port.
func (a *arm) startIsolated(ctx context.Context, spec ServerSpec, bugs []string) (*isolated, error) {
	c, err := a.startChild(ctx, spec, bugs, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &isolated{arm: a, spec: spec, bugs: bugs, addr: c.addr, child: c}, nil
}

// Kill implements toxics.Killer.
func (p *isolated) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil {
		return toxics.ErrDown
	}
	if p.child.gone() {
		p.died = &history.Death{How: "ended before the plan killed it"}
	}
	err := p.child.kill()
	p.child = nil
	return p.fail("killing", errors.Join(err, p.mend()))
}

// mend takes back the line that a death may have torn.
func (p *isolated) mend() error { return history.Mend(p.arm.parent.writer.Dir(), p.spec.Name) }

// How often a start is tried, and how long it waits in between: while the server was
// down, its port may have served as the near end of some connection.
const (
	startTries = 20
	startPause = 100 * time.Millisecond
)

// Start implements toxics.Killer.
func (p *isolated) Start(ctx context.Context) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range startTries {
		if p.ended {
			return toxics.ErrDown
		}
		if p.child, err = p.arm.startChild(ctx, p.spec, p.bugs, p.addr); err == nil {
			return nil
		}
		if paused := p.arm.parent.options.Clock.Sleep(ctx, startPause); paused != nil {
			return paused // the arm is over, and nobody waits for the server
		}
	}
	return p.fail("starting it again after a kill", err)
}

// fail keeps the first failure, for stop to tell.
func (p *isolated) fail(what string, err error) error {
	if err != nil && p.failed == nil {
		p.failed = fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// stop ends the process for good. Its error says that the server was not what the
// plan meant it to be, or that the record of its executions may not be whole.
func (p *isolated) stop(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.child == nil {
		return p.failed
	}
	err := p.child.stop(ctx)
	var death *deathError
	if errors.As(err, &death) {
		p.died, err = &death.Death, p.mend()
	}
	return errors.Join(p.failed, err)
}

// deaths are the processes of servers that ended, and not by a fault of the plan.
func (a *arm) deaths() (list []error) {
	for _, spec := range a.storm.Servers {
		if died := a.died(spec.Name); died != nil {
			list = append(list, fmt.Errorf("the server process of %s %s, and not by a fault of the plan", spec.Name, died.How))
		}
	}
	return list
}

// died is the end of a process of the server that no fault of the plan killed, or nil. It
// is for an arm that was closed.
func (a *arm) died(server string) *history.Death {
	if u := a.upstreams[server]; u != nil && u.process != nil {
		return u.process.died
	}
	return nil
}
