package run_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// total is how many samples there were of a metric in an arm, and their sum.
type total struct {
	Count int64
	Sum   float64
}

// TestOutputsHoldWhatTheHistoryHolds runs one storm with every kind of output.
func TestOutputsHoldWhatTheHistoryHolds(t *testing.T) {
	t.Parallel()
	spans := &spanCounter{}
	collector := httptest.NewServer(spans)
	defer collector.Close()
	path := filepath.Join(t.TempDir(), "points.json")
	scraped := ""
	o := storm(t, turnsScript, run.Options{
		Seed: 1, Out: []string{"json=" + path, "otlp=" + collector.URL, "prometheus"},
		Announce: func(line string) {
			if _, url, ok := strings.Cut(line, "Prometheus metrics at "); ok {
				scraped = url
				if err := scrape(url); err != nil {
					t.Error(err)
				}
			}
		},
	})
	if len(o.Troubles) > 0 || o.Exit != run.ExitPass {
		t.Errorf("exit %d, troubles %v", o.Exit, o.Troubles)
	}
	if diff := cmp.Diff(samplesOf(t, o.Dir), pointsOf(t, path)); diff != "" {
		t.Errorf("points (-history +file)\n%s", diff)
	}
	if h := o.History; spans.roots != len(h.Ops) || spans.children != len(h.Attempts) {
		t.Errorf("%d operations and %d exchanges, the history has %d and %d", spans.roots, spans.children, len(h.Ops), len(h.Attempts))
	}
	if err := scrape(scraped); err == nil {
		t.Errorf("%s still answers after the run", scraped)
	}
}

func scrape(url string) error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// samplesOf are the totals of a history's samples, by arm and metric.
func samplesOf(t *testing.T, dir string) map[string]total {
	t.Helper()
	totals := map[string]total{}
	err := history.ReadSamples(dir, func(s history.Sample) error {
		sum := totals[s.Arm+" "+s.Metric]
		totals[s.Arm+" "+s.Metric] = total{sum.Count + s.Count(), sum.Sum + s.Sum()}
		return nil
	})
	if err != nil || len(totals) < 10 {
		t.Fatalf("the history has %d metrics, %v", len(totals), err)
	}
	return totals
}

// pointsOf are the same of a file of NDJSON.
func pointsOf(t *testing.T, path string) map[string]total {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got := map[string]total{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Type, Metric string
			Data         json.RawMessage
		}
		var point struct {
			Value float64
			Tags  map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		if line.Type != "Point" {
			continue
		}
		if err := json.Unmarshal(line.Data, &point); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		key := point.Tags["arm"] + " " + line.Metric
		got[key] = total{got[key].Count + 1, got[key].Sum + point.Value}
	}
	return got
}

// spanCounter is a collector that counts the spans that it is sent, those with a
// parent apart.
type spanCounter struct {
	mu              sync.Mutex
	roots, children int
}

func (c *spanCounter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	var sent collectortrace.ExportTraceServiceRequest
	if err == nil && strings.HasSuffix(r.URL.Path, "/traces") {
		err = proto.Unmarshal(data, &sent)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range sent.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, span := range ss.Spans {
				if len(span.ParentSpanId) == 0 {
					c.roots++
				} else {
					c.children++
				}
			}
		}
	}
}

// TestACollectorThatGoesAway is told, and changes nothing else.
func TestACollectorThatGoesAway(t *testing.T) {
	server := httptest.NewServer(&spanCounter{})
	defer server.Close()
	script := regexp.MustCompile(`faults: .*,\n`).ReplaceAllString(turnsScript, "faults: [],\n")
	o := storm(t, script, run.Options{
		Seed: 1, Out: []string{"otlp=" + server.URL}, Announce: func(string) { server.Close() },
	})
	if o.Exit != run.ExitPass || len(o.Troubles) != 1 || !strings.HasPrefix(o.Troubles[0], "--out otlp: telemetry is not whole: "+server.URL) {
		t.Errorf("exit %d, troubles %q; want a pass and what did not arrive", o.Exit, o.Troubles)
	}
}

// TestOutputsAreCheckedFirst gives outputs that there are not: nothing is started.
func TestOutputsAreCheckedFirst(t *testing.T) {
	for _, tt := range []struct {
		name string
		out  []string
		code int
	}{
		{"unknown", []string{"cloud"}, run.ExitOptions},
		{"twice", []string{"otlp", "otlp=http://127.0.0.1:1"}, run.ExitOptions},
		{"not loopback", []string{"prometheus=192.0.2.1:9090"}, run.ExitOptions},
		{"bad URL", []string{"otlp=https://127.0.0.1:4318"}, run.ExitOptions},
		{"no folder", []string{"json=" + filepath.Join(t.TempDir(), "no", "where")}, run.ExitInconclusive},
		{"the second one", []string{"json=" + filepath.Join(t.TempDir(), "a"), "csv=" + t.TempDir()}, run.ExitInconclusive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := start(t, t.Context(), turnsScript, run.Options{Out: tt.out})
			var failed *run.Error
			if !errors.As(err, &failed) || failed.Code != tt.code || !strings.HasPrefix(failed.Error(), "--out") {
				t.Errorf("got %v, want --out and code %d", err, tt.code)
			}
		})
	}
}
