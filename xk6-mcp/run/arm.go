package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/engine"
)

// closeTimeout bounds the closing of everything that an arm opened.
const closeTimeout = 10 * time.Second

// arm is one whole engine run on fresh servers and proxies.
type arm struct {
	name      string
	options   *Options
	storm     *Storm
	kinds     map[string]refserver.Kind
	plan      *plan.Plan
	writer    *history.Writer
	base      *clock.Base
	blocks    map[string]int // scenario → block of task numbers
	scenarios map[int]string // and the other way round
	record    *record
	upstreams map[string]*upstream
	proxies   map[string]*proxy.Proxy
}

// open starts every server of the arm and the fault layer before each. What it
// opened before an error is closed again.
func (a *arm) open(ctx context.Context) (*target, error) {
	t := &target{
		arm: a.name, clock: a.options.Clock, base: a.base, seed: a.options.Seed,
		blocks: a.blocks, servers: map[string]*liveServer{}, record: a.record,
	}
	for _, spec := range a.storm.Servers {
		live, err := a.openServer(ctx, spec)
		if err != nil {
			return nil, errors.Join(err, a.close())
		}
		t.servers[spec.Name] = live
	}
	return t, nil
}

func (a *arm) openServer(ctx context.Context, spec ServerSpec) (*liveServer, error) {
	u, err := a.openUpstream(ctx, spec)
	if u != nil {
		a.upstreams[spec.Name] = u
	}
	if err != nil {
		return nil, err
	}
	live := &liveServer{spec: spec, server: u.server, forced: spec.Forced, header: u.header, host: u.addr}
	if a.options.BypassFaults {
		return live, nil
	}
	p, err := proxy.Start(proxy.Options{
		Name: spec.Name, Arm: a.name, Upstream: u.addr, Keys: u.server.Keys,
		Decider: a.plan, Receipts: a.record, Tap: a.record, Toxics: a.plan.Rules(),
		Clock: a.options.Clock, Base: a.base,
	})
	if err != nil {
		return nil, fmt.Errorf("the fault layer of %s: %w", spec.Name, err)
	}
	a.proxies[spec.Name] = p
	live.host = p.Addr()
	return live, nil
}

// run drives the script's scenarios through the arm, once.
func (a *arm) run(stop context.Context, program *engine.Program, module *xk6mcp.Module, t *target) (*engine.Result, error) {
	module.Use(t)
	hooks := module.Hooks()
	start := a.base.Wall()
	hooks.Sample = func(s engine.Sample) {
		a.writer.Sample(history.Sample{
			Arm: a.name, Metric: s.Metric.Name(), Value: s.Value, Tags: s.Tags,
			At: history.Instant(s.Time.Sub(start)),
		})
	}
	return program.Run(context.WithoutCancel(stop), engine.RunOptions{
		Hooks: hooks, Stop: stop, StopGrace: stopGrace, Tags: map[string]string{"arm": a.name},
	})
}

// close ends the fault layer first, so that no cut is left half done, and then
// the servers. Its error says what was not whole.
func (a *arm) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var failed error
	for name, p := range a.proxies {
		if err := p.Close(ctx); err != nil {
			failed = errors.Join(failed, fmt.Errorf("closing the fault layer of %s: %w", name, err))
		}
	}
	for name, u := range a.upstreams {
		if err := u.close(ctx); err != nil {
			failed = errors.Join(failed, fmt.Errorf("closing %s: %w", name, err))
		}
	}
	return failed
}
