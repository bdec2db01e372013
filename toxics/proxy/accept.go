package proxy

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
)

// How long accept waits after a failure, at first and at most.
const (
	backOffFirst = 5 * time.Millisecond
	backOffMost  = time.Second
)

// accept takes connections until the listener closes. A failure, such as a full
// descriptor table, is counted and waited out.
func (p *Proxy) accept() {
	pause := backOffFirst
	for {
		client, err := p.listener.AcceptTCP()
		switch {
		case err == nil:
			pause = backOffFirst
			if id := p.accepted.Add(1); p.admit(id, client) {
				p.wg.Go(func() { p.connect(id, client) })
			}
		case errors.Is(err, net.ErrClosed):
			return
		default:
			p.acceptErrors.Add(1)
			if p.opts.Clock.Sleep(p.ctx, pause) != nil {
				return
			}
			pause = min(2*pause, backOffMost)
		}
	}
}

// connect dials the server and starts the links. A client whose server cannot be
// dialled, or is killed meanwhile, is reset.
func (p *Proxy) connect(id int64, client *net.TCPConn) {
	kills, up := p.killed()
	if !up {
		p.orphan(id, client)
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.opts.DialTimeout)
	defer cancel()
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, "tcp", p.opts.Upstream)
	if now, _ := p.killed(); err != nil && now > kills {
		p.orphan(id, client)
		return
	}
	if err != nil {
		p.unreached(err)
		reset(client)
		return
	}
	pair := newPair(client, server.(*net.TCPConn), p.opts.Clock)
	pair.conn = p.hub.NewConn(id, pair)
	pair.after = p.after
	watched, done := context.WithCancel(p.ctx)
	p.wg.Add(1)
	pair.ended = func() {
		done()
		pair.conn.Finish()
		p.forget(id)
		p.wg.Done()
	}
	chain := p.chain.Load()
	for _, t := range chain.installed {
		p.hub.Installed(id, t.Name, t.Type)
	}
	if !p.remember(id, pair, kills) {
		done()
		p.wg.Done()
		reset(pair.server.sock)
		p.orphan(id, client)
		return
	}
	if pair.conn.Expires() {
		p.wg.Go(func() { pair.conn.WatchIdle(watched, p.opts.Clock) })
	}
	p.hub.Start(pair.conn, func() {
		name := strconv.FormatInt(id, 10)
		chain.tox.Toxics.StartLink(p.server, name+"upstream", &pair.client, &pair.server, stream.Upstream)
		chain.tox.Toxics.StartLink(p.server, name+"downstream", &pair.server, &pair.client, stream.Downstream)
	})
}

// unreached counts a connection that could not be carried: for want of a descriptor or
// a port of our own, or because the server is not there.
func (p *Proxy) unreached(err error) {
	switch {
	case p.ctx.Err() != nil: // the proxy closes
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.ENOBUFS):
		p.acceptErrors.Add(1)
	default:
		p.dialErrors.Add(1)
	}
}

// remember lists an open connection, so that a burst can cut it and Close can end
// it. One that comes too late for Close is ended here. One whose server has been
// killed since, and not only so many times, is not listed.
func (p *Proxy) remember(id int64, pair *pair, kills int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kills > kills {
		return false
	}
	p.pairs[id] = pair
	if p.ctx.Err() != nil {
		pair.shut()
	}
	return true
}

func (p *Proxy) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pairs, id)
}

// after calls a function some time later, unless the proxy closes first.
func (p *Proxy) after(d time.Duration, call func()) {
	p.wg.Go(func() {
		if p.opts.Clock.Sleep(p.ctx, d) == nil {
			call()
		}
	})
}
