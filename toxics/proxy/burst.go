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
	if p.ctx.Err() != nil || !p.hub.Begin() {
		return
	}
	for _, gate := range p.hub.Gates() {
		p.wg.Go(func() { gate.Run(p.ctx, p.opts.Clock) })
	}
	if p.opts.Decider != nil {
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
		if b.Kill {
			p.killAtItsTime(b)
			continue
		}
		records, open := p.strike(b)
		p.wg.Go(func() {
			if len(records) == 0 {
				p.hub.BurstFailed(b, history.FaultMissed, fmt.Sprintf("none of %d open connections was chosen", open))
			}
			handOver(records)
		})
	}
}

// strike cuts the connections that a burst chooses, out of so many open ones. Their
// records may block, and are handed over when all are cut.
func (p *Proxy) strike(b plan.Burst) (records []func(), open int) {
	live := p.live()
	for _, id := range b.Choose(slices.Collect(maps.Keys(live))) {
		records = append(records, live[id].conn.Burst(b))
	}
	return records, len(live)
}

func handOver(records []func()) {
	for _, record := range records {
		record()
	}
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
