package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"mcpstorm/history"
)

// The errors of this package.
var (
	// ErrEndpoint is a collector's URL that cannot be used.
	ErrEndpoint = errors.New("telemetry: bad endpoint")
	// ErrRefused is a collector that is not there when the run begins.
	ErrRefused = errors.New("telemetry: no collector")
	// ErrExport is telemetry that did not arrive, or not all of it. A run is none the
	// worse for it.
	ErrExport = errors.New("telemetry is not whole")
)

// DefaultEndpoint is where a collector listens for OTLP over HTTP by convention.
const DefaultEndpoint = "http://127.0.0.1:4318"

const (
	// queueLength is how many records may wait. Further ones are dropped, and
	// counted, so that no client ever waits for a collector.
	queueLength = 1 << 14
	// spanQueue is how many spans may wait to be sent.
	spanQueue     = 1 << 15
	dialTimeout   = time.Second
	exportTimeout = 2 * time.Second
	exportEvery   = 5 * time.Second
	spansEvery    = time.Second
	// closeTimeout bounds the sending of what is left at the end.
	closeTimeout = 5 * time.Second
)

// Options are the settings of an Exporter.
type Options struct {
	// Endpoint is the collector's URL, on this machine: http://HOST:PORT, with a path
	// before /v1/traces and /v1/metrics if it has one. Empty means DefaultEndpoint.
	Endpoint string
	// Run is the run's id, and Version what was built.
	Run, Version string
	// Wall is the wall-clock time of Instant 0.
	Wall time.Time
}

// Exporter sends what the clients of a run did to a collector. Op, Attempt and
// Serve may be called from any goroutine; they never wait and never fail.
type Exporter struct {
	endpoint string
	queue    chan any // history.Op, history.Attempt or place
	worked   chan struct{}
	http     *http.Client
	meters   *metric.MeterProvider
	tracers  *trace.TracerProvider
	sent     *delivery
	dropped  atomic.Int64

	closing sync.RWMutex // held for reading while a record is put into the queue
	closed  bool
}

// Open connects to a collector. It fails where the URL is bad, or where nothing
// listens; what goes wrong later is told by Close. The caller must Close it.
func Open(ctx context.Context, o Options) (*Exporter, error) {
	if o.Endpoint == "" {
		o.Endpoint = DefaultEndpoint
	}
	u, err := CheckEndpoint(o.Endpoint)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, fmt.Errorf("%w at %s: %w", ErrRefused, o.Endpoint, err)
	}
	_ = conn.Close() // it has served its purpose
	e := &Exporter{
		endpoint: o.Endpoint, queue: make(chan any, queueLength), worked: make(chan struct{}), sent: &delivery{},
		http: &http.Client{
			Transport:     &http.Transport{DialContext: dialer.DialContext}, // and no proxy
			Timeout:       exportTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if err := e.providers(ctx, u, o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEndpoint, err)
	}
	w, err := newWorker(e.meters, e.tracers, o.Wall, e.sent)
	if err != nil {
		return nil, errors.Join(err, e.shutDown())
	}
	go func() {
		defer close(e.worked)
		w.work(e.queue)
	}()
	return e, nil
}

// CheckEndpoint reads a collector's URL. It refuses what is not plain HTTP to this
// machine, and wraps ErrEndpoint.
func CheckEndpoint(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" || u.Port() == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%w %q: want a URL such as %s", ErrEndpoint, endpoint, DefaultEndpoint)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%w %q: only loopback, such as %s", ErrEndpoint, endpoint, DefaultEndpoint)
	}
	return u, nil
}

// Where says, in a line for a terminal, where the telemetry goes.
func (e *Exporter) Where() string { return "OpenTelemetry to " + e.endpoint }

// Serve says where the servers of an arm are, HOST:PORT by their names, before the
// first operation on them.
func (e *Exporter) Serve(arm string, addrs map[string]string) {
	for server, addr := range addrs {
		e.put(newPlace(arm, server, addr))
	}
}

// Op takes an operation that has ended. Its attempts come before it.
func (e *Exporter) Op(o history.Op) { e.put(o) }

// Attempt takes one exchange of an attempt.
func (e *Exporter) Attempt(a history.Attempt) { e.put(a) }

func (e *Exporter) put(record any) {
	e.closing.RLock()
	defer e.closing.RUnlock()
	if e.closed {
		e.dropped.Add(1)
		return
	}
	select {
	case e.queue <- record:
	default:
		e.dropped.Add(1)
	}
}

// Close sends what is left, for at most a few seconds, and says what did not
// arrive. Its error wraps ErrExport.
func (e *Exporter) Close() error {
	e.closing.Lock()
	already := e.closed
	e.closed = true
	e.closing.Unlock()
	if already {
		return nil
	}
	close(e.queue)
	<-e.worked
	failed := errors.Join(e.shutDown(), e.sent.failure())
	if n := e.dropped.Load(); n > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d records were dropped, because the queue was full", n))
	}
	if lost := e.sent.lost(); lost > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d of %d spans did not arrive", lost, e.sent.spans.Load()))
	}
	if failed != nil {
		return fmt.Errorf("%w: %s: %w", ErrExport, e.endpoint, oneLine{failed})
	}
	return nil
}

// shutDown flushes both signals, the metrics first: they are few, and tell the most.
func (e *Exporter) shutDown() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	defer e.http.CloseIdleConnections()
	return errors.Join(e.meters.Shutdown(ctx), e.tracers.Shutdown(ctx))
}
