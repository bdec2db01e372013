package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/summary"
)

// closeTimeout bounds the closing of everything that an arm opened.
const closeTimeout = 10 * time.Second

// arm is one whole engine run on fresh servers and proxies.
type arm struct {
	parent    *run
	spec      ArmSpec
	storm     *Storm // as this arm sees it
	kinds     map[string]refserver.Kind
	plan      *plan.Plan
	blocks    map[string]int // scenario → its block of task numbers in this arm
	scenarios map[int]string // block → scenario, over all arms
	record    *record
	heal      *history.Heal
	breakdown *summary.Breakdown // nil unless one is wanted

	upstreams map[string]*upstream
	proxies   map[string]*proxy.Proxy
	api       *proxy.API // nil unless one is wanted

	began used // at start

	// What is known once the arm has run.
	start, end history.Instant
	used       used // between them
	lateness   *history.Lateness
	dialErrors int64
	refused    int64
	untracked  int64
	troubles   []error
}

// run drives the script's scenarios through the arm, once. Troubles that leave
// the result whole are kept; an error does not.
func (a *arm) run(stop context.Context) (*engine.Result, error) {
	a.record.holdings = a.hold()
	t, err := a.open(stop)
	if err != nil {
		a.shut()
		return nil, err
	}
	r := a.parent
	r.totals.enter(a.spec.Name)
	r.module.Use(t)
	hooks := r.module.Hooks()
	hooks.Sample = a.sample
	hooks.Progress = func(now engine.Progress) { r.options.Progress.update(a.spec.Name, now) }
	begin := sync.OnceFunc(a.begin)
	if r.startsAtOnce() {
		hooks.Before = beginning(begin, hooks.Before)
	} else {
		begin()
	}
	probe := watchLateness(r.options.Clock, r.options.NoHostProbe)
	result, err := r.program.Run(context.WithoutCancel(stop), engine.RunOptions{
		Hooks: hooks, Pick: r.pick, Stop: stop, StopGrace: stopGrace, Tags: map[string]string{"arm": a.spec.Name}, NoSummary: r.options.NoSummary,
	})
	begin() // where no rollout did
	r.module.Community.Close()
	a.lateness = probe.stop()
	a.finish()
	a.shut()
	a.record.holdings.close(context.WithoutCancel(stop))
	return result, err
}

// sample records one metric point.
func (a *arm) sample(s engine.Sample) {
	a.parent.outputs.sample(s)
	if a.breakdown != nil {
		a.breakdown.Sample(s)
	}
	a.parent.writer.Sample(history.Sample{
		Arm: a.spec.Name, Metric: s.Metric.Name(), Value: s.Value, Tags: s.Tags,
		At: history.Instant(s.Time.Sub(a.parent.base.Wall())),
	})
}

// open starts every server of the arm and the fault layer before each. After an error too
// its caller shuts the arm.
func (a *arm) open(ctx context.Context) (*target, error) {
	r := a.parent
	t := &target{
		arm: a.spec.Name, clock: r.options.Clock, base: r.base, seed: r.options.Seed, blocks: a.blocks,
		servers: map[string]*liveServer{}, record: a.record, restarts: a.storm.Restarts, storm: a.storm,
	}
	for _, spec := range a.storm.Servers {
		live, err := a.openServer(ctx, spec)
		if err != nil {
			return nil, err
		}
		t.servers[spec.Name] = live
	}
	if err := a.openAPI(); err != nil {
		return nil, err
	}
	r.outputs.serve(a.spec.Name, t.servers)
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
	live := &liveServer{spec: spec, server: u.server, fates: u.fates, header: u.header, host: u.addr}
	if a.parent.options.BypassFaults {
		return live, nil
	}
	p, err := proxy.Start(proxy.Options{
		Name: spec.Name, Arm: a.spec.Name, Upstream: u.addr, KeyRule: u.server.Keys,
		Decider: a.decider(), Receipts: a.record, Tap: a.record, Toxics: a.plan.Rules(),
		Clock: a.parent.options.Clock, Base: a.parent.base, Killer: u.killer(),
	})
	if err != nil {
		return nil, fmt.Errorf("the fault layer of %s: %w", spec.Name, err)
	}
	a.proxies[spec.Name] = p
	live.host, live.refuse = p.Addr(), p.Refuse
	return live, nil
}

// openAPI lets toxiproxy's clients drive the arm's toxics, where that is wanted. The
// control arm is to have none.
func (a *arm) openAPI() (err error) {
	if addr := a.parent.options.ToxiproxyAPI; addr != "" && !a.spec.Control() {
		a.api, err = proxy.StartAPI(addr, slices.Collect(maps.Values(a.proxies))...)
	}
	return err
}

// decider is the arm's plan, or none at all where there is nothing to cut.
func (a *arm) decider() toxics.Decider {
	if len(a.plan.Rules()) == 0 {
		return nil
	}
	return a.plan
}

// shut closes everything that the arm opened. What was not whole is a trouble.
func (a *arm) shut() {
	if err := a.close(); err != nil {
		a.troubles = append(a.troubles, err)
	}
}

// close ends the fault layer first, so that no cut is left half done, and then
// the servers. Its error says what was not whole.
func (a *arm) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var failed error
	if a.api != nil {
		failed = a.api.Close(ctx)
	}
	for name, p := range a.proxies {
		if err := p.Close(ctx); err != nil {
			failed = errors.Join(failed, fmt.Errorf("closing the fault layer of %s: %w", name, err))
		}
		stats := p.Stats()
		a.dialErrors += stats.DialErrors
		a.refused += stats.AcceptErrors
		a.untracked += stats.Untracked
	}
	for name, u := range a.upstreams {
		if err := u.close(ctx); err != nil {
			failed = errors.Join(failed, fmt.Errorf("closing %s: %w", name, err))
		}
	}
	return failed
}
