package refserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// IdleTimeout is how long an idle connection is kept. It is far longer than any
// think time: a server that closes a connection just when the next request is
// sent on it fails calls without any fault, and those failures would be ours.
const IdleTimeout = 10 * time.Minute

// ServeOptions are the options of Serve.
type ServeOptions struct {
	Logger *slog.Logger // for trouble with connections; nil: discarded
}

// Listening is a server on a listener. Its methods may be called from any
// goroutine.
type Listening struct {
	addr   string
	server Server
	http   *http.Server
	served chan error     // what http.Server.Serve returned
	conns  sync.WaitGroup // connections whose goroutine has not ended

	once  sync.Once
	ended chan struct{}
	err   error // set before ended is closed
}

// Serve serves s on addr, which must be a numeric loopback address with a port,
// such as 127.0.0.1:0; any other gives ErrNotLoopback. There is no limit on how
// long an answer may take. The end of ctx does not end the serving: Close does,
// and it closes s too.
func Serve(ctx context.Context, addr string, s Server, opts ServeOptions) (*Listening, error) {
	if ap, err := netip.ParseAddrPort(addr); err != nil || !ap.Addr().IsLoopback() {
		return nil, fmt.Errorf("%w: %q", ErrNotLoopback, addr)
	}
	var listen net.ListenConfig
	ln, err := listen.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("refserver: listening: %w", err)
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Listening{addr: ln.Addr().String(), server: s, served: make(chan error, 1), ended: make(chan struct{})}
	l.http = &http.Server{
		Handler:     s,
		IdleTimeout: IdleTimeout,
		ErrorLog:    slog.NewLogLogger(opts.Logger.Handler(), slog.LevelWarn),
		ConnState:   l.count,
	}
	go func() { l.served <- l.http.Serve(ln) }()
	return l, nil
}

// Addr is the address that is listened on, with the port that was given.
func (l *Listening) Addr() string { return l.addr }

// URL is the address as a base URL without a path.
func (l *Listening) URL() string { return "http://" + l.addr }

// count is called by net/http once when a connection's goroutine is about to
// start and once when it ends.
func (l *Listening) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		l.conns.Done()
	}
}

// Close stops listening, ends every connection, closes the server, and waits
// until all of it is done or ctx ends. Each call returns the same error, or
// ctx's cause if that came first.
func (l *Listening) Close(ctx context.Context) error {
	l.once.Do(func() { go l.close(ctx) })
	select {
	case <-l.ended:
		return l.err
	case <-ctx.Done():
		return fmt.Errorf("refserver: closing %s: %w", l.addr, context.Cause(ctx))
	}
}

func (l *Listening) close(ctx context.Context) {
	defer close(l.ended)
	err := l.http.Close()
	if served := <-l.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	err = errors.Join(err, l.server.Close(ctx))
	l.conns.Wait()
	l.err = err
}
