package proxy

import (
	"fmt"
	"maps"
	"slices"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// Begin says that the arm begins now. It is the zero of every window and every
// burst: before it no window of time is open and no burst comes. Only the first
// call counts, and none after Close.
func (p *Proxy) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() == nil && p.hub.Begin() && p.opts.Decider != nil {
		bursts := p.opts.Decider.Bursts(p.opts.Name)
		p.wg.Go(func() { p.runBursts(bursts) })
		if stalls := p.opts.Decider.Stalls(p.opts.Name); len(stalls) > 0 {
			p.wg.Go(func() { p.runStalls(stalls) })
		}
	}
}

// runBursts waits for one burst after another. Those whose time has not come when
// the proxy closes are put on record.
func (p *Proxy) runBursts(bursts []plan.Burst) {
	for _, b := range bursts {
		if p.opts.Clock.Sleep(p.ctx, b.At-p.hub.Elapsed()) != nil {
			p.hub.BurstFailed(b, history.FaultUnarmed, fmt.Sprintf("the arm ended before %v", b.At))
			continue
		}
		p.strike(b)
	}
}

// strike cuts the connections that a burst chooses, all before the first record
// is handed over, which may block.
func (p *Proxy) strike(b plan.Burst) {
	open := p.live()
	chosen := b.Choose(slices.Collect(maps.Keys(open)))
	var records []func()
	for _, id := range chosen {
		records = append(records, open[id].conn.Burst(b))
	}
	p.wg.Go(func() {
		for _, record := range records {
			record()
		}
		if len(chosen) == 0 {
			p.hub.BurstFailed(b, history.FaultMissed, fmt.Sprintf("none of %d open connections was chosen", len(open)))
		}
	})
}

// live are the connections that can be cut, by their ordinals.
func (p *Proxy) live() map[int64]*pair {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[int64]*pair)
	for id, pair := range p.pairs {
		if pair.live() {
			out[id] = pair
		}
	}
	return out
}
