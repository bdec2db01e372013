package telemetry

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// How long a failed export is tried again, and how soon.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = exportTimeout
)

// providers makes the SDK's two pipelines to one collector.
func (e *Exporter) providers(ctx context.Context, u *url.URL, o Options) error {
	path := strings.TrimSuffix(u.Path, "/")
	metrics, err := otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithEndpoint(u.Host), otlpmetrichttp.WithURLPath(path+"/v1/metrics"), otlpmetrichttp.WithInsecure(),
		otlpmetrichttp.WithHTTPClient(e.http), otlpmetrichttp.WithTimeout(exportTimeout),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryMost}),
	)
	if err != nil {
		return err
	}
	spans, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpoint(u.Host), otlptracehttp.WithURLPath(path+"/v1/traces"), otlptracehttp.WithInsecure(),
		otlptracehttp.WithHTTPClient(e.http), otlptracehttp.WithTimeout(exportTimeout),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMost, MaxElapsedTime: retryMost}),
	)
	if err != nil {
		return err
	}
	about := resource.NewSchemaless(
		attribute.String("service.name", "mcpstorm"),
		attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", o.Run),
	)
	e.meters = metric.NewMeterProvider(metric.WithResource(about), metric.WithReader(metric.NewPeriodicReader(
		sentMetrics{metrics, e.sent}, metric.WithInterval(exportEvery), metric.WithTimeout(exportTimeout),
	)))
	e.tracers = trace.NewTracerProvider(trace.WithResource(about), trace.WithSampler(trace.AlwaysSample()), trace.WithBatcher(
		sentSpans{spans, e.sent}, trace.WithMaxQueueSize(spanQueue), trace.WithBatchTimeout(spansEvery), trace.WithExportTimeout(exportTimeout),
	))
	return nil
}

// delivery remembers what was sent and what failed. The SDK would write every
// failure to standard error, in the middle of a run's progress.
type delivery struct {
	spans   atomic.Int64 // ended
	arrived atomic.Int64

	mu      sync.Mutex
	metrics error // of the last export: metrics are cumulative
	lostBy  error // of the first export of spans that failed
}

func (d *delivery) lost() int64 { return d.spans.Load() - d.arrived.Load() }

// failure is why metrics or spans did not arrive.
func (d *delivery) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.metrics, d.lostBy)
}

// sentMetrics is an exporter of metrics that keeps its errors to itself.
type sentMetrics struct {
	metric.Exporter
	sent *delivery
}

// Export implements metric.Exporter.
func (s sentMetrics) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	err := s.Exporter.Export(ctx, m)
	s.sent.mu.Lock()
	defer s.sent.mu.Unlock()
	s.sent.metrics = err
	return nil
}

// sentSpans is an exporter of spans that counts them and keeps its errors to itself.
type sentSpans struct {
	trace.SpanExporter
	sent *delivery
}

// ExportSpans implements trace.SpanExporter.
func (s sentSpans) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	err := s.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		s.sent.arrived.Add(int64(len(spans)))
		return nil
	}
	s.sent.mu.Lock()
	defer s.sent.mu.Unlock()
	if s.sent.lostBy == nil {
		s.sent.lostBy = err
	}
	return nil
}

// oneLine is a joined error in one line.
type oneLine struct{ error }

// Error implements error.
func (o oneLine) Error() string { return strings.ReplaceAll(o.error.Error(), "\n", "; ") }

// Unwrap gives the joined error.
func (o oneLine) Unwrap() error { return o.error }
