package proxy

import (
	"net"

	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// killServer ends the server's process, and starts it again after a while. From the
// first moment on no connection is let through, and those that are open are reset
// before the process ends, so that each has its record. First cuts the one for which
// the server is killed; where it cannot, nothing else is done.
func (p *Proxy) killServer(b plan.Burst, first func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.opts.Killer == nil:
		return toxics.ErrNoProcess
	case p.down:
		return toxics.ErrDown
	case p.ctx.Err() != nil:
		return toxics.ErrOver
	}
	if err := first(); err != nil {
		return err
	}
	p.kills++
	p.kill, p.down = b, true
	p.wg.Go(func() { p.outage(b) })
	return nil
}

// killAtItsTime kills the server when the time of a rule has come.
func (p *Proxy) killAtItsTime(b plan.Burst) {
	err := p.killServer(b, func() error { return nil })
	p.hub.KillTimed(b, err)
}

// outage is the time without a server. When the proxy closes first, or the process
// cannot be started, it has no end: the Killer knows why.
func (p *Proxy) outage(b plan.Burst) {
	records, _ := p.strike(b)
	err := p.opts.Killer.Kill()
	p.wg.Go(func() { handOver(records) })
	if err == nil && b.For > 0 {
		err = p.opts.Clock.Sleep(p.ctx, b.For)
	}
	if err == nil {
		err = p.opts.Killer.Start(p.ctx)
	}
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// killed is how often the server has been killed, and whether it is up.
func (p *Proxy) killed() (times int, up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kills, !p.down
}

// lastKill is the latest one.
func (p *Proxy) lastKill() plan.Burst {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kill
}

// orphan resets a connection that cannot reach its server for a kill.
func (p *Proxy) orphan(id int64, client *net.TCPConn) {
	reset(client)
	p.hub.Unreached(p.lastKill(), id)
}
