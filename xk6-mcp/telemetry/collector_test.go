package telemetry_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is an OTLP collector over HTTP that keeps what it is sent.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	resource map[string]string
	spans    []*trace.Span
	metrics  map[string]*metrics.Metric // the last state of each
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]*metrics.Metric{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		var m collectortrace.ExportTraceServiceRequest
		c.take(w, r, &m, func() {
			for _, rs := range m.ResourceSpans {
				c.resource = attributes(rs.Resource.Attributes)
				for _, ss := range rs.ScopeSpans {
					c.spans = append(c.spans, ss.Spans...)
				}
			}
		})
	})
	mux.HandleFunc("POST /v1/metrics", func(w http.ResponseWriter, r *http.Request) {
		var m collectormetrics.ExportMetricsServiceRequest
		c.take(w, r, &m, func() {
			for _, rm := range m.ResourceMetrics {
				for _, sm := range rm.ScopeMetrics {
					for _, one := range sm.Metrics {
						c.metrics[one.Name] = one
					}
				}
			}
		})
	})
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request, into proto.Message, keep func()) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	data, err := io.ReadAll(body)
	if err == nil {
		err = proto.Unmarshal(data, into)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	keep()
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// attributes are a list of attributes by name, as text.
func attributes(list []*common.KeyValue) map[string]string {
	texts := make(map[string]string, len(list))
	for _, kv := range list {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			texts[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			texts[kv.Key] = strconv.FormatInt(v.IntValue, 10)
		}
	}
	return texts
}
