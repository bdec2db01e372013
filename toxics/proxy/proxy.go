// Package proxy carries toxics between clients and one server. It owns listening,
// accepting and dialling on raw TCP connections, and starts toxiproxy's links for
// both directions of each, so that a reset is a real reset, a refused dial is
// seen, and a full descriptor table is survived.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// The errors of this package.
var (
	// ErrRemote says that an address is not of this machine. Faults act on the
	// loopback interface only.
	ErrRemote = errors.New("proxy: not a loopback address")
	// ErrLeft says that Close ended with connections still open.
	ErrLeft = errors.New("proxy: connections left")
)

// The defaults of Options.
const (
	DefaultListen      = "127.0.0.1:0"
	DefaultDialTimeout = 5 * time.Second
)

// Options say what a proxy stands before and what its toxics share. Only Name
// and Upstream are needed.
type Options struct {
	Name     string // the server's name in the script
	Arm      string
	Listen   string // a loopback address; default DefaultListen
	Upstream string // the server's loopback address, host:port

	KeyRule  wire.KeyRule
	Decider  toxics.Decider     // nil: no cuts
	Receipts toxics.ReceiptSink // nil: no receipts
	Tap      toxics.Tap         // nil: no witness
	Killer   toxics.Killer      // nil: the server has no process that could be ended
	// Toxics are toxiproxy's own, to be installed on every connection. Rules for
	// another server, and rules that are no toxics, are skipped.
	Toxics []plan.Rule

	Clock       clock.Clock   // default the system's
	Base        *clock.Base   // default now
	DialTimeout time.Duration // default DefaultDialTimeout
}

// Stats are counts since the start. They are consistent one by one, not together.
type Stats struct {
	Accepted     int64 // connections accepted
	Open         int64 // connections open now
	DialErrors   int64 // connections whose server could not be dialled, for it was not there
	AcceptErrors int64 // connections that this machine could not carry, such as with a full descriptor table
	Untracked    int64 // connections that the witness could not follow to their end
}

// Proxy stands between clients and one server. All methods may be called from
// any goroutine.
type Proxy struct {
	opts     Options
	listener *net.TCPListener
	hub      *toxics.Hub
	server   *toxiproxy.ApiServer
	chain    atomic.Pointer[chain] // of the connections that are opened now

	ctx  context.Context // ends when the proxy closes
	stop context.CancelFunc
	wg   sync.WaitGroup // the accept loop and every connection

	stall stall

	mu    sync.Mutex
	kills int             // how often the server's process was ended
	kill  plan.Burst      // what ended it the last time
	down  bool            // and it has not been started again
	pairs map[int64]*pair // open connections by their ordinals
	added []toxicJSON     // toxics that came by the API

	accepted, dialErrors, acceptErrors atomic.Int64
}

// Start listens, with every toxic in place before the first connection. Its
// errors wrap ErrRemote where an address is not a loopback one.
func Start(opts Options) (*Proxy, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	p := &Proxy{opts: opts, pairs: make(map[int64]*pair)}
	p.hub = toxics.NewHub(toxics.HubOptions{
		Arm: opts.Arm, Server: opts.Name, KeyRule: opts.KeyRule,
		Decider: opts.Decider, Receipts: opts.Receipts, Tap: opts.Tap, Toxics: opts.Toxics, Base: opts.Base, Kill: p.killServer,
	})
	p.server = toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	chain, err := p.install(nil)
	if err != nil {
		p.hub.Close()
		return nil, err
	}
	p.chain.Store(chain)
	listener, err := net.Listen("tcp", opts.Listen)
	if err != nil {
		p.hub.Close()
		return nil, fmt.Errorf("proxy: %s: %w", opts.Name, err)
	}
	p.listener = listener.(*net.TCPListener)
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.wg.Go(p.accept)
	return p, nil
}

// fill checks the addresses and sets the defaults.
func (o *Options) fill() error {
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	for _, addr := range []string{o.Listen, o.Upstream} {
		if err := CheckLoopback(addr); err != nil {
			return err
		}
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Base == nil {
		o.Base = clock.NewBase(o.Clock)
	}
	if o.DialTimeout <= 0 {
		o.DialTimeout = DefaultDialTimeout
	}
	return nil
}

// CheckLoopback refuses every address, host:port, that is not of the loopback
// interface; its error wraps ErrRemote, or says what is wrong with the address.
func CheckLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("proxy: address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%w: %q", ErrRemote, addr)
}

// Addr is where clients connect, host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Stats are the counts so far.
func (p *Proxy) Stats() Stats {
	p.mu.Lock()
	open := int64(len(p.pairs))
	p.mu.Unlock()
	return Stats{
		Accepted: p.accepted.Load(), Open: open,
		DialErrors: p.dialErrors.Load(), AcceptErrors: p.acceptErrors.Load(),
		Untracked: p.hub.Untracked(),
	}
}

// Close closes the listener and every connection, drops the bursts whose time has
// not come, and waits until all have ended, each with its records handed over. When ctx ends first, it returns an error
// that wraps ErrLeft and says how many are left.
func (p *Proxy) Close(ctx context.Context) error {
	p.stop()
	_ = p.listener.Close() // a second Close finds it closed
	p.mu.Lock()
	for _, pair := range p.pairs {
		pair.shut()
	}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		p.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		p.hub.Close()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %d of %s: %w", ErrLeft, p.Stats().Open, p.opts.Name, context.Cause(ctx))
	}
}
