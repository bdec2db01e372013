package output_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/output"
)

// scrape reads an endpoint as Prometheus does.
func scrape(t *testing.T, out output.Output) string {
	t.Helper()
	_, url, _ := strings.Cut(out.Where(), " at ")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", response.StatusCode, err, body)
	}
	return string(body)
}

func TestPrometheus(t *testing.T) {
	p := program(t, script)
	out, err := output.Open(output.Spec{Name: output.Prometheus}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{"tool": "append", "bad-name": "x", "vu": "7", "9": "n", "__x": "y", "le": "z"}
	add := func(m *engine.Metric, values ...float64) {
		for _, v := range values {
			out.Sample(engine.Sample{Metric: m, Value: v, Tags: tags, Time: at})
		}
	}
	add(metric(t, p, "took", engine.Trend, true), 15, 150, 1500)
	add(metric(t, p, "size", engine.Trend, false), 3, 20)
	add(metric(t, p, "checks", engine.Rate, false), 1, 1, 0)
	add(metric(t, p, "calls", engine.Counter, false), 3, -1)
	add(metric(t, p, "vus", engine.Gauge, false), 5, 4)
	text := scrape(t, out)
	const set = `bad_name="x",`
	for _, want := range []string{
		"# TYPE mcpstorm_took_seconds histogram\n",
		`tag_9="n",tag___x="y",tag_le="z",tool="append",le="0.02"} 1` + "\n",
		`tool="append",le="0.2"} 2` + "\n",
		"mcpstorm_took_seconds_sum{" + set + `tag_9="n",tag___x="y",tag_le="z",tool="append"} 1.665` + "\n",
		"mcpstorm_took_seconds_count{" + set,
		"# TYPE mcpstorm_size histogram\n",
		"# TYPE mcpstorm_calls_total counter\n",
		"mcpstorm_calls_total{" + set + `tag_9="n",tag___x="y",tag_le="z",tool="append"} 2` + "\n",
		`mcpstorm_checks_passes_total{` + set + `tag_9="n",tag___x="y",tag_le="z",tool="append"} 2` + "\n",
		`mcpstorm_checks_fails_total{` + set + `tag_9="n",tag___x="y",tag_le="z",tool="append"} 1` + "\n",
		"# TYPE mcpstorm_vus gauge\nmcpstorm_vus{" + set + `tag_9="n",tag___x="y",tag_le="z",tool="append"} 4` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "vu=") {
		t.Error("the number of a virtual user became a label")
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}

// TestPrometheusIsBounded gives more series than an endpoint keeps: what is left
// out is told.
func TestPrometheusIsBounded(t *testing.T) {
	p := program(t, script)
	out, err := output.Open(output.Spec{Name: output.Prometheus}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := metric(t, p, "calls", engine.Counter, false)
	for i := range 10_003 {
		out.Sample(engine.Sample{Metric: m, Value: 1, Tags: map[string]string{"n": time.Duration(i).String()}, Time: at})
	}
	err = out.Close()
	if !errors.Is(err, output.ErrWrite) || !strings.Contains(err.Error(), "3 samples were left out") {
		t.Errorf("got %v, want 3 samples left out", err)
	}
}

func TestPortInUse(t *testing.T) {
	first, err := output.Open(output.Spec{Name: output.Prometheus}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	_, addr, _ := strings.Cut(first.Where(), "http://")
	addr, _, _ = strings.Cut(addr, "/")
	if _, err := output.Open(output.Spec{Name: output.Prometheus, Target: addr}, nil); !errors.Is(err, output.ErrOpen) {
		t.Errorf("got %v, want ErrOpen", err)
	}
}
