package output

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mcpstorm/xk6-mcp/engine"
)

const (
	// anyPort is where a scrape endpoint listens that was given no address.
	anyPort = "127.0.0.1:0"
	// mostSeries bounds the series of an endpoint. Samples of further ones are
	// counted and left out.
	mostSeries    = 10_000
	headerTimeout = 5 * time.Second
)

// endpoint is a Prometheus scrape endpoint. What it shows is the whole run so
// far, and it is gone when the run is over.
type endpoint struct {
	addr   string
	server *http.Server
	served chan error
	labels *interner[labels]

	mu      sync.Mutex // guards what a scrape reads and a sample changes
	series  map[seriesKey]series
	dropped int64
}

// seriesKey tells series apart: a metric and the text of its labels.
type seriesKey struct {
	metric *engine.Metric
	labels string
}

func openPrometheus(addr string) (*endpoint, error) {
	if addr == "" {
		addr = anyPort
	}
	if err := CheckLoopback(addr); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOpen, err)
	}
	e := &endpoint{
		addr: listener.Addr().String(), served: make(chan error, 1),
		labels: newInterner(labelsOf), series: make(map[seriesKey]series),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(e)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	e.server = &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout}
	go func() { e.served <- e.server.Serve(listener) }()
	return e, nil
}

// CheckLoopback refuses an address, HOST:PORT, that other machines could reach.
// The error wraps ErrSpec.
func CheckLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%w: address %q: want HOST:PORT", ErrSpec, addr)
	}
	ip, err := netip.ParseAddr(host)
	if host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: address %q: only loopback, such as 127.0.0.1", ErrSpec, addr)
	}
	return nil
}

// Where implements Output.
func (e *endpoint) Where() string { return "Prometheus metrics at http://" + e.addr + "/metrics" }

// Sample implements Output.
func (e *endpoint) Sample(s engine.Sample) {
	set := e.labels.of(s.Tags)
	key := seriesKey{s.Metric, set.text}
	e.mu.Lock()
	defer e.mu.Unlock()
	one, known := e.series[key]
	if !known {
		if len(e.series) >= mostSeries {
			e.dropped++
			return
		}
		one = newSeries(s.Metric, set.labels)
		e.series[key] = one
	}
	one.add(s.Value)
}

// Close implements Output.
func (e *endpoint) Close() error {
	err := e.server.Close()
	if served := <-e.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if e.dropped > 0 {
		err = errors.Join(err, fmt.Errorf("%d samples were left out: more than %d series", e.dropped, mostSeries))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWrite, err)
	}
	return nil
}

// Describe implements prometheus.Collector. It describes nothing, because the
// series are known only once they have come.
func (e *endpoint) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (e *endpoint) Collect(out chan<- prometheus.Metric) {
	for _, m := range e.snapshot() {
		out <- m
	}
}

// snapshot lists the series that there are, so that a slow scraper holds up nobody.
func (e *endpoint) snapshot() (all []prometheus.Metric) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range e.series {
		all = append(all, one.metrics()...)
	}
	return all
}
