package proxy

import (
	"context"
	"net"
	"sync"
	"time"

	"mcpstorm/internal/clock"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// lingering is how long both sides may take to notice an orderly cut. Within it,
// what they still send is read and dropped: closing a socket with unread bytes
// would turn the FIN into an RST.
const lingering = time.Second

// pair is the two sockets of one connection. The upstream link reads the client
// leg and writes the server leg, the downstream link the reverse. It implements
// toxics.Legs.
type pair struct {
	client, server leg
	clock          clock.Clock
	conn           *toxics.Conn
	ended          func() // called once, when both links have ended
	// after calls a function some time later, unless the proxy closes first.
	after func(time.Duration, func())

	open  context.Context    // ends when both sockets have been closed for good
	shoot context.CancelFunc // says so

	mu    sync.Mutex
	turn  *sync.Cond // something below, or of a leg, has changed
	cut   bool       // a fault has cut both legs
	held  bool       // a fault has made one leg void, or both
	watch watch
}

func newPair(client, server *net.TCPConn, c clock.Clock) *pair {
	p := &pair{clock: c}
	p.open, p.shoot = context.WithCancel(context.Background())
	p.turn = sync.NewCond(&p.mu)
	p.client = leg{pair: p, other: &p.server, sock: client}
	p.server = leg{pair: p, other: &p.client, sock: server}
	return p
}

// Cut implements toxics.Legs.
func (p *pair) Cut(manner string, how plan.Detail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.over(); err != nil {
		return err
	}
	switch {
	case manner == plan.Hold:
		p.hold(how)
	case how.Leg != "":
		p.cutOne(manner, how)
	case manner == plan.RST, manner == plan.Forget:
		p.cut = true
		p.abort()
	default:
		p.cut = true
		p.finish()
	}
	p.turn.Broadcast()
	return nil
}

// finish closes both legs in order. The caller holds the mutex.
func (p *pair) finish() {
	p.tell(plan.FIN)
	deadline := p.clock.Now().Add(lingering)
	for _, l := range []*leg{&p.client, &p.server} {
		_ = l.sock.CloseWrite() // the peer may have closed it already
		if l == &p.client || !p.watches() {
			_ = l.sock.SetReadDeadline(deadline)
		}
	}
}

// over is why there is nothing left to cut, or nil. The caller holds the mutex.
func (p *pair) over() error {
	switch {
	case p.client.left:
		return toxics.ErrClientLeft
	case p.cut, p.held, p.shot(), p.client.done, p.client.failed:
		return toxics.ErrOver
	}
	return nil
}

// Over implements toxics.Legs.
func (p *pair) Over() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over()
}

// live reports whether there is a connection to cut.
func (p *pair) live() bool { return p.Over() == nil }

// abort resets both sockets. The caller holds the mutex.
func (p *pair) abort() {
	p.tell(plan.RST)
	p.shoot()
	reset(p.client.sock)
	reset(p.server.sock)
	p.turn.Broadcast()
}

// shot reports whether both sockets have been closed for good.
func (p *pair) shot() bool { return p.open.Err() != nil }

// shut closes both sockets, whatever is under way.
func (p *pair) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close()
}

// close closes both sockets. The caller holds the mutex.
func (p *pair) close() {
	p.shoot()
	closeSoon(p.client.sock)
	closeSoon(p.server.sock)
	p.turn.Broadcast()
}

// AwaitUp implements toxics.Legs.
func (p *pair) AwaitUp(n int64) bool { return p.await(&p.server, n) }

// AwaitDown implements toxics.Legs.
func (p *pair) AwaitDown(n int64) bool { return p.await(&p.client, n) }

// Up implements toxics.Legs.
func (p *pair) Up() int64 { return p.server.count() }

// Down implements toxics.Legs.
func (p *pair) Down() int64 { return p.client.count() }

// await waits until n bytes in all have left through a leg. It ends early when
// they never will, or when the client has left and nobody waits for them.
func (p *pair) await(l *leg, n int64) bool {
	p.mu.Lock()
	for l.written < n && !l.done && !l.mute() && !p.client.left {
		p.turn.Wait()
	}
	written := l.written >= n
	p.mu.Unlock()
	return written && p.flushed(l)
}

// flushed waits until the kernel has sent what it took: a reset throws away what
// it still holds.
func (p *pair) flushed(l *leg) bool {
	const step = time.Millisecond
	for range int(lingering / step) {
		if unsent(l.sock) == 0 {
			return true
		}
		if p.clock.Sleep(context.Background(), step) != nil {
			return false
		}
	}
	return false
}

// reset closes a socket with an RST.
func reset(sock *net.TCPConn) {
	_ = sock.SetLinger(0) // fails only on a closed socket
	closeSoon(sock)
}

// closeSoon closes a socket, whatever mutex its caller holds: Close waits for the end
// of a write that is under way, and a write waits for the pair's mutex.
func closeSoon(sock *net.TCPConn) {
	go func() { _ = sock.Close() }()
}
