package output_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/output"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at is when every sample of these tests was taken.
var at = time.Date(2026, 3, 1, 12, 0, 0, 250_000_000, time.UTC)

// program is a script that declares a metric of every type.
func program(t testing.TB, script string) *engine.Program {
	t.Helper()
	p, err := engine.Load("script.js", engine.LoadOptions{Source: []byte(script), Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func metric(t testing.TB, p *engine.Program, name string, kind engine.MetricType, isTime bool) *engine.Metric {
	t.Helper()
	m, err := p.RegisterMetric(name, kind, isTime)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const script = `export const options = { thresholds: { checks: ['rate>0.9', 'rate>0.5'], 'checks{a:b}': ['rate>0.1'] } };
export default function () {}`

// samples are one of each type, with tags that need care.
func samples(t testing.TB, p *engine.Program) []engine.Sample {
	tags := map[string]string{"scenario": "s", "check": `a "quoted", <b>` + "\n\x1b[31m", "tool": "append", "arm": "main"}
	return []engine.Sample{
		{Metric: metric(t, p, "took", engine.Trend, true), Value: 12.5, Tags: tags, Time: at},
		{Metric: metric(t, p, "checks", engine.Rate, false), Value: 1, Tags: tags, Time: at},
		{Metric: metric(t, p, "calls", engine.Counter, false), Value: 3, Time: at},
		{Metric: metric(t, p, "calls", engine.Counter, false), Value: 1e21, Time: at},
	}
}

// write sends samples through a file output and returns what the file then holds.
func write(t *testing.T, name, file string, p *engine.Program, all []engine.Sample) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	out, err := output.Open(output.Spec{Name: name, Target: path}, p.Options().Thresholds)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		out.Sample(s)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestJSONIsAsDocumented(t *testing.T) {
	p := program(t, script)
	got := string(write(t, output.JSON, "out.json", p, samples(t, p)))
	want := `{"type":"Metric","data":{"type":"trend","contains":"time","tainted":null,"thresholds":[],"submetrics":null},"metric":"took"}
{"type":"Point","data":{"time":"2026-03-01T12:00:00.25Z","value":12.5,"tags":{"arm":"main","check":"a \"quoted\", <b>\n\u001b[31m","scenario":"s","tool":"append"}},"metric":"took"}
{"type":"Metric","data":{"type":"rate","contains":"default","tainted":null,"thresholds":["rate>0.9","rate>0.5"],"submetrics":null},"metric":"checks"}
{"type":"Point","data":{"time":"2026-03-01T12:00:00.25Z","value":1,"tags":{"arm":"main","check":"a \"quoted\", <b>\n\u001b[31m","scenario":"s","tool":"append"}},"metric":"checks"}
{"type":"Metric","data":{"type":"counter","contains":"default","tainted":null,"thresholds":[],"submetrics":null},"metric":"calls"}
{"type":"Point","data":{"time":"2026-03-01T12:00:00.25Z","value":3,"tags":null},"metric":"calls"}
{"type":"Point","data":{"time":"2026-03-01T12:00:00.25Z","value":1e+21,"tags":null},"metric":"calls"}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

func TestCSVIsAsDocumented(t *testing.T) {
	p := program(t, script)
	data := write(t, output.CSV, "out.csv", p, samples(t, p))
	got, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	check := "a \"quoted\", <b>\n\x1b[31m"
	want := [][]string{
		strings.Split("metric_name,timestamp,metric_value,check,error,error_code,group,method,name,proto,scenario,status,subproto,tls_version,url,extra_tags", ","),
		{"took", "1772366400", "12.500000", check, "", "", "", "", "", "", "s", "", "", "", "", "arm=main&tool=append"},
		{"checks", "1772366400", "1.000000", check, "", "", "", "", "", "", "s", "", "", "", "", "arm=main&tool=append"},
		{"calls", "1772366400", "3.000000", "", "", "", "", "", "", "", "", "", "", "", "", ""},
		{"calls", "1772366400", "1000000000000000000000.000000", "", "", "", "", "", "", "", "", "", "", "", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCompressed(t *testing.T) {
	p := program(t, script)
	all := samples(t, p)
	for _, name := range []string{output.JSON, output.CSV} {
		packed, err := gzip.NewReader(bytes.NewReader(write(t, name, "out.gz", p, all)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		if want := write(t, name, "out", p, all); !bytes.Equal(got, want) {
			t.Errorf("%s: compressed %q, plain %q", name, got, want)
		}
	}
}

// TestManyTags gives every sample a set of tags of its own, more than are remembered.
func TestManyTags(t *testing.T) {
	p := program(t, script)
	m := metric(t, p, "calls", engine.Counter, false)
	const n = 20_000
	var all []engine.Sample
	for i := range n {
		all = append(all, engine.Sample{Metric: m, Value: 1, Tags: map[string]string{"iter": string(rune('a'+i%26)) + time.Duration(i).String()}, Time: at})
	}
	data := write(t, output.CSV, "out.csv", p, all)
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(rows) != n+1 {
		t.Fatalf("%d rows, %v; want %d", len(rows), err, n+1)
	}
	for i, row := range rows[1:] {
		if want := "iter=" + all[i].Tags["iter"]; row[15] != want {
			t.Fatalf("row %d has the tags %q, want %q", i, row[15], want)
		}
	}
}

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatalf("a full disk is simulated by /dev/full: %v", err)
	}
	one := samples(t, program(t, script))[0]
	for _, name := range []string{output.JSON, output.CSV} {
		out, err := output.Open(output.Spec{Name: name, Target: "/dev/full"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 10_000 {
			out.Sample(one)
		}
		if err := out.Close(); !errors.Is(err, output.ErrWrite) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: got %v, want ErrWrite for a full disk", name, err)
		}
	}
}

func TestSpecs(t *testing.T) {
	for text, want := range map[string]output.Spec{
		"json=a.json":               {Name: "json", Target: "a.json"},
		"csv=a=b.csv.gz":            {Name: "csv", Target: "a=b.csv.gz"},
		"prometheus":                {Name: "prometheus"},
		"otlp=http://127.0.0.1:431": {Name: "otlp", Target: "http://127.0.0.1:431"},
	} {
		got, err := output.Parse(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":             "want one of json=FILE",
		"jason=a":      `"jason=a"; want one of json=FILE or json=FILE.gz, csv=`,
		"json":         "want json=FILE",
		"json=":        "want json=FILE",
		"csv":          "want csv=FILE",
		"prometheus=":  "want prometheus or prometheus=127.0.0.1:PORT",
		"cloud=secret": "want one of",
	} {
		_, err := output.Parse(text)
		if !errors.Is(err, output.ErrSpec) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", text, err, want)
		}
	}
}

func TestCannotOpen(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere", "out")
	for _, s := range []output.Spec{{Name: "json", Target: missing}, {Name: "csv", Target: missing}} {
		if _, err := output.Open(s, nil); !errors.Is(err, output.ErrOpen) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got %v, want ErrOpen for a missing folder", s, err)
		}
	}
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:80", ":9090", "example.com:1", "127.0.0.1"} {
		if _, err := output.Open(output.Spec{Name: "prometheus", Target: addr}, nil); !errors.Is(err, output.ErrSpec) {
			t.Errorf("%s: got %v, want ErrSpec", addr, err)
		}
	}
	if _, err := output.Open(output.Spec{Name: "otlp"}, nil); !errors.Is(err, output.ErrSpec) {
		t.Errorf("otlp: got %v, want ErrSpec", err)
	}
}
