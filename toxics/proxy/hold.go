package proxy

import (
	"context"
	"time"

	"mcpstorm/toxics/plan"
)

// hold makes the connection a black hole, one way or both: what comes for a void
// leg is read and dropped, and its socket stays open whatever the other one does.
// The caller holds the mutex.
func (p *pair) hold(how plan.Detail) {
	p.held = true
	p.client.void = how.Way != plan.WayUp
	p.server.void = how.Way != plan.WayDown
	if how.For > 0 {
		p.after(how.For, p.release)
	}
}

// cutOne ends one leg, and keeps the other open and silent. The caller holds the
// mutex.
func (p *pair) cutOne(manner string, how plan.Detail) {
	p.hold(plan.Detail{For: how.For})
	ends := p.client.sock
	if how.Leg == plan.ServerLeg {
		ends = p.server.sock
		p.tell(manner)
	}
	if manner == plan.RST {
		reset(ends)
		return
	}
	_ = ends.CloseWrite() // the peer may have closed it already
}

// release ends a hold: whoever still waits is reset.
func (p *pair) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shot() {
		p.abort()
	}
}

// awaitRelease keeps a leg that is void as it is until the hold ends. The caller
// holds the mutex.
func (l *leg) awaitRelease() {
	for l.void && !l.pair.shot() {
		l.pair.turn.Wait()
	}
}

// Wait implements toxics.Legs.
func (p *pair) Wait(d time.Duration) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	passed := false
	go func() {
		err := p.clock.Sleep(ctx, d)
		p.mu.Lock()
		defer p.mu.Unlock()
		passed = err == nil
		p.turn.Broadcast()
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !passed && p.over() == nil {
		p.turn.Wait()
	}
	return passed
}

// Linger implements toxics.Legs.
func (p *pair) Linger(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.open, cancel)()
	_ = p.clock.Sleep(ctx, d) // whatever ends it
}

// Closed implements toxics.Legs.
func (p *pair) Closed() <-chan struct{} { return p.open.Done() }

// Give implements toxics.Legs.
func (p *pair) Give(answer []byte) {
	_, _ = p.client.Write(answer) // a leg reports no error
}
