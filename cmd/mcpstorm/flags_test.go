package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mcpstorm/xk6-mcp/engine"
)

func TestStrangers(t *testing.T) {
	tests := []struct{ pair, want string }{
		{"K6_ITERATION=5", `K6_ITERATION is set in the environment, and nothing reads it; did you mean "K6_ITERATIONS"?`},
		{"K6_RPS=5", "K6_RPS is set in the environment, and nothing reads it"}, // as like K6_VUS as anything
		{"K6_RPS=", ""},
		{"K6_OUT=json=f", ""},
		{"K6_OTEL_METRIC_PREFIX=x", ""},
		{"HOME=/", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(strangers([]string{tt.pair}), "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.pair, got, tt.want)
		}
	}
}

func TestUnknownFlags(t *testing.T) {
	tests := []struct{ flag, meant string }{
		{"--iteratons", "--iterations"},
		{"--vsu", "--vus"},
		{"--rps", ""},
		{"--paused", ""},
	}
	for _, tt := range tests {
		err := runCommand().ParseFlags([]string{tt.flag})
		got := suggestFlag(runCommand(), err).Error()
		if tt.meant == "" && strings.Contains(got, "did you mean") || !strings.Contains(got, tt.meant) {
			t.Errorf("%s: %q, want %q", tt.flag, got, tt.meant)
		}
	}
}

// A variable sets the flag that was not given, of the verbs that have it.
func TestVariablesSetFlags(t *testing.T) {
	config := filepath.Join(t.TempDir(), "conf.json")
	t.Setenv("K6_CONFIG", config)
	t.Setenv("K6_OUT", "csv=samples.csv")
	t.Setenv("K6_SUMMARY_EXPORT", "variable.json")
	var f runFlags
	c := &cobra.Command{}
	f.bindK6(c, true)
	if err := f.setByVariables(); err != nil || f.config != config {
		t.Fatalf("without outputs: config %q, %v", f.config, err)
	}
	f = runFlags{}
	c = &cobra.Command{}
	f.bindK6(c, true)
	f.outputs.bind(c)
	if err := c.ParseFlags([]string{"--summary-export", "flag.json"}); err != nil {
		t.Fatal(err)
	}
	if err := f.setByVariables(); err != nil || !slices.Equal(f.outputs.out, []string{"csv=samples.csv"}) || f.outputs.export != "flag.json" {
		t.Errorf("out %q, summary export %q, %v", f.outputs.out, f.outputs.export, err)
	}
}

// Only plain text has the command's name before a note: JSON must stay JSON.
func TestNotesInEachFormat(t *testing.T) {
	for format, want := range map[string]string{"": "mcpstorm: warn: late", "raw": "late", "json": `{"level":"warn","msg":"late","source":"mcpstorm","time":"2`} {
		var out bytes.Buffer
		l := &logger{format: format, out: &out}
		l.note(engine.LevelWarn, "late")
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("format %q: %q, want %q", format, out.String(), want)
		}
	}
}

func TestOutputsAreWrittenPastOneThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "z.json")
	err := writeOutputs(map[string][]byte{filepath.Join(dir, "missing", "a.json"): []byte("a"), good: []byte("z")})
	if text, _ := os.ReadFile(good); err == nil || !strings.Contains(err.Error(), "a.json") || string(text) != "z" {
		t.Errorf("wrote %q, %v", text, err)
	}
}

func TestStandardInputIsRefused(t *testing.T) {
	if _, err := new(runFlags).resolve("-"); err == nil || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("got %v", err)
	}
}
