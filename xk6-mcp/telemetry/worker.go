package telemetry

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"mcpstorm/history"
)

// scope names what makes the telemetry.
const scope = "mcpstorm/xk6-mcp/telemetry"

// mostPending bounds the exchanges that wait for the end of their operation.
const mostPending = 100_000

// buckets are those of MCP's semantic conventions, in seconds.
var buckets = []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}

// worker turns records into measurements and spans, on one goroutine.
type worker struct {
	wall     time.Time
	tracer   trace.Tracer
	sent     *delivery
	requests metric.Float64Histogram // one message of MCP
	sessions metric.Float64Histogram
	ops      metric.Float64Histogram // one operation, with all its attempts
	places   map[placeKey]attributes
	pending  map[opKey][]history.Attempt
	waiting  int
	open     map[sessionKey]session
}

type (
	placeKey   struct{ arm, server string }
	opKey      struct{ arm, rollout, op string }
	sessionKey struct{ arm, rollout, server string }
)

func newWorker(meters *sdkmetric.MeterProvider, tracers *sdktrace.TracerProvider, wall time.Time, sent *delivery) (*worker, error) {
	w := &worker{
		wall: wall, tracer: tracers.Tracer(scope), sent: sent, places: make(map[placeKey]attributes),
		pending: make(map[opKey][]history.Attempt), open: make(map[sessionKey]session),
	}
	meter := meters.Meter(scope)
	for _, h := range []struct {
		into        *metric.Float64Histogram
		name, about string
	}{
		{&w.requests, "mcp.client.operation.duration", "The duration of an MCP request or notification as its sender saw it."},
		{&w.sessions, "mcp.client.session.duration", "The duration of an MCP session as its client saw it."},
		{&w.ops, "mcpstorm.operation.duration", "The duration of an operation, with every attempt at it."},
	} {
		var err error
		*h.into, err = meter.Float64Histogram(h.name, metric.WithUnit("s"), metric.WithDescription(h.about), metric.WithExplicitBucketBoundaries(buckets...))
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// work takes records until the queue is closed.
func (w *worker) work(queue <-chan any) {
	for record := range queue {
		switch r := record.(type) {
		case place:
			w.places[placeKey{r.arm, r.server}] = r.attributes
		case history.Attempt:
			w.attempt(r)
		case history.Op:
			w.op(r)
		}
	}
	for _, orphans := range w.pending { // whose operation was never recorded
		for _, a := range orphans {
			w.request(context.Background(), a, &history.Op{}, false)
		}
	}
}

// attempt keeps an exchange until its operation has ended.
func (w *worker) attempt(a history.Attempt) {
	w.session(a)
	key := keyOf(a.Arm, a.Rollout, a.Op)
	if w.waiting >= mostPending {
		w.request(context.Background(), a, &history.Op{}, false)
		return
	}
	w.waiting++
	w.pending[key] = append(w.pending[key], a)
}

// keyOf names an operation. A settle or a look-up, t000017/s02.settle, belongs to
// the operation that it settles.
func keyOf(arm, rollout, op string) opKey {
	op, _, _ = strings.Cut(op, ".")
	return opKey{arm, rollout, op}
}

// op measures an operation and its exchanges.
func (w *worker) op(o history.Op) {
	key := keyOf(o.Arm, o.Rollout, o.Op)
	attempts := w.pending[key]
	delete(w.pending, key)
	w.waiting -= len(attempts)

	set := w.operation(&o)
	ctx := context.Background()
	w.ops.Record(ctx, seconds(o.Start, o.End), metric.WithAttributes(set...))
	ctx, span := w.tracer.Start(ctx, spanName(&o, attempts), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(w.at(o.Start)), trace.WithAttributes(set...), trace.WithAttributes(opFacts(&o, attempts)...))
	answer := lastCall(attempts)
	for i, a := range attempts {
		w.request(ctx, a, &o, i == answer && o.Told == history.ToldToolError)
	}
	if o.Told != history.ToldOK {
		span.SetStatus(codes.Error, textOf(o.Cause, string(o.Told)))
	}
	w.end(span, o.End)
}

// lastCall is the index of the exchange that gave a tool's answer, -1 for none.
func lastCall(attempts []history.Attempt) int {
	for i := len(attempts) - 1; i >= 0; i-- {
		if methods[attempts[i].Role] == methodCall {
			return i
		}
	}
	return -1
}

// request measures one exchange. One that carries no message of MCP, as a GET or a
// DELETE, is a span alone.
func (w *worker) request(ctx context.Context, a history.Attempt, o *history.Op, toolFailed bool) {
	set := w.exchange(a, o, toolFailed)
	name := methodOf(a.Role, o.Kind)
	if name != "" {
		w.requests.Record(ctx, seconds(a.Start, a.End), metric.WithAttributes(set...))
		if name == methodCall {
			name = strings.TrimSpace(name + " " + toolOf(a, o))
		}
	} else if name = string(a.Role); a.Role == history.RoleGet || a.Role == history.RoleDelete {
		name = strings.ToUpper(name)
	}
	_, span := w.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(w.at(a.Start)), trace.WithAttributes(set...), trace.WithAttributes(exchangeFacts(a)...))
	if a.Cause != nil || toolFailed {
		span.SetStatus(codes.Error, textOf(a.Cause, toolError))
	}
	w.end(span, a.End)
}

func (w *worker) end(span trace.Span, at history.Instant) {
	w.sent.spans.Add(1)
	span.End(trace.WithTimestamp(w.at(at)))
}

func (w *worker) at(i history.Instant) time.Time { return w.wall.Add(time.Duration(i)) }

func seconds(from, to history.Instant) float64 { return time.Duration(to - from).Seconds() }

func textOf(c *history.Cause, instead string) string {
	if c == nil || c.Text == "" {
		return instead
	}
	return c.Text
}
