package reports_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcpstorm/docs"
	"mcpstorm/history"
	"mcpstorm/reports"
)

// verdicts are one of each kind.
func verdicts() map[string]history.Verdict {
	known := failing()
	known.Status, known.Invariants[1].Status = history.Pass, history.Known
	return map[string]history.Verdict{
		"pass": passing(), "fail": failing(), "inconclusive": inconclusive(), "known": known, "compared": compared(),
		"nothing": {Schema: history.Schema, Status: history.Inconclusive, Reason: "no invariant could be evaluated"},
	}
}

// storedRun is a run directory with a few files of a history.
func storedRun(t *testing.T) *history.Run {
	t.Helper()
	run := testRun()
	run.Dir = t.TempDir()
	for _, name := range []string{history.ManifestFile, history.OpsFile, history.PlanFile} {
		if err := os.WriteFile(filepath.Join(run.Dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := history.WriteMetrics(run.Dir, history.Metrics{Arms: []history.ArmMetrics{{
		Arm: "main", Duration: 5e9,
		Metrics: []history.Metric{{Name: "mcp_ops", Type: "counter", Contains: "default", Samples: 3, Values: map[string]float64{"count": 3}}},
		Thresholds: []history.Threshold{
			{Metric: "mcp_ops", Expr: "count>1", Value: 3, Status: history.Pass},
			{Metric: "mcp_none", Expr: "count>1", Status: history.NotEvaluated},
		},
	}}}); err != nil {
		t.Fatal(err)
	}
	return run
}

// content is every file of a directory by name.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[e.Name()] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var reportFiles = []string{reports.HTMLFile, reports.MarkdownFile, reports.JUnitFile, reports.SummaryFile}

func TestWrite(t *testing.T) {
	for name, v := range verdicts() {
		t.Run(name, func(t *testing.T) {
			run := storedRun(t)
			before := content(t, run.Dir)
			paths, err := reports.Write(run, v, nil)
			if err != nil {
				t.Fatal(err)
			}
			after := content(t, run.Dir)
			for i, file := range reportFiles {
				if after[file] == "" || paths[i] != filepath.Join(run.Dir, file) {
					t.Errorf("%s: %d bytes; paths %v", file, len(after[file]), paths)
				}
				delete(after, file)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the history changed:\n%s", diff)
			}
			again, err := reports.Write(run, v, nil)
			if err != nil || !slices.Equal(paths, again) {
				t.Errorf("a second time: %v, %v", again, err)
			}
		})
	}
}

// What stopped in the middle, by an output that cannot be written or by a kill, is
// finished by doing it again; meanwhile the history and what was written are whole.
func TestWriteIsFinishedLater(t *testing.T) {
	for _, file := range reportFiles {
		t.Run(file, func(t *testing.T) {
			run := storedRun(t)
			before := content(t, run.Dir)
			blocked := filepath.Join(run.Dir, file)
			if err := os.MkdirAll(filepath.Join(blocked, "in the way"), 0o755); err != nil {
				t.Fatal(err)
			}
			paths, err := reports.Write(run, failing(), nil)
			if err == nil || !strings.Contains(err.Error(), file) {
				t.Fatalf("%s was blocked: got %v", file, err)
			}
			if len(paths) != len(reportFiles)-1 {
				t.Errorf("one is blocked, and %v were written", paths)
			}
			if err := os.RemoveAll(blocked); err != nil {
				t.Fatal(err)
			}
			leftover := filepath.Join(run.Dir, file+".123.part") // as a kill leaves it
			if err := os.WriteFile(leftover, []byte("<html>half"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := reports.Sweep(run.Dir); err != nil {
				t.Fatal(err)
			}
			if _, err := reports.Write(run, failing(), nil); err != nil {
				t.Fatal(err)
			}
			after := content(t, run.Dir)
			for _, name := range reportFiles {
				delete(after, name)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("beside the reports (-before +after):\n%s", diff)
			}
		})
	}
}

func TestSweepLeavesTheRest(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"report.html.1.part", "verdict.json.2.part", "report.html", "ops.ndjson", "notes.part", "report.html.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".charts-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := reports.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"notes.part", "ops.ndjson", "report.html", "report.html.txt"}, left); diff != "" {
		t.Error(diff)
	}
	if err := reports.Sweep(filepath.Join(dir, "none")); err == nil {
		t.Error("no directory was swept")
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(docs.SummarySchema)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("summary.schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("summary.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// A summary is what its schema says, whatever the verdict.
func TestSummarySchema(t *testing.T) {
	compiled := schema(t)
	for name, v := range verdicts() {
		t.Run(name, func(t *testing.T) {
			run := storedRun(t)
			v.Truth = []history.TruthTable{{Arm: "main", Cells: []history.TruthCell{{Told: history.ToldOK, Low: 1, High: 2, Meaning: history.MeaningGood, Count: 3}}}}
			v.Known = []history.KnownResult{{KnownFailure: history.KnownFailure{Invariant: "no-hang", Reason: "r"}, State: history.KnownStale}}
			v.Recovery = []history.Recovery{{Arm: "main", Server: "sim", Served: 5, Rollouts: 2, Ended: 7}}
			v.Sweep = []history.SweepCoverage{{Arm: "main", Missing: []history.Excluded{{Count: 1, Reason: "r"}}}}
			if _, err := reports.Write(run, v, nil); err != nil {
				t.Fatal(err)
			}
			summary, err := jsonschema.UnmarshalJSON(strings.NewReader(content(t, run.Dir)[reports.SummaryFile]))
			if err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(summary); err != nil {
				t.Error(err)
			}
		})
	}
	for name, text := range map[string]string{
		"no verdict":      `{"schema": 1}`,
		"another schema":  strings.Replace(minimal, `"schema":1`, `"schema":2`, 1),
		"another verdict": strings.Replace(minimal, `"pass"`, `"maybe"`, 1),
	} {
		broken, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if compiled.Validate(broken) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

const minimal = `{"schema":1,"run":"r","status":"pass","invariants":[],"counts":{"rollouts":{},"ops":{},"attempts":0,"exchanges":0,"faults":{},"cuts":{},"commits":0,"replays":0},
"script":{"path":"a.js","sha256":""},"seed":1,"state":"finished","start":"2026-11-29T00:00:00Z","version":"","command":"","metrics":[]}`

// Every field that a summary can have is described by the schema.
func TestSchemaNamesEveryField(t *testing.T) {
	var described map[string]any
	if err := json.Unmarshal(docs.SummarySchema, &described); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	var collect func(any)
	collect = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			if properties, ok := node["properties"].(map[string]any); ok {
				for name := range properties {
					names[name] = true
				}
			}
			for _, child := range node {
				collect(child)
			}
		case []any:
			for _, child := range node {
				collect(child)
			}
		}
	}
	collect(described)
	var fields func(reflect.Type)
	fields = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			fields(of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "" && !f.Anonymous || name == "-" || !f.IsExported() {
					continue
				}
				if name != "" && !names[name] {
					t.Errorf("docs/summary.schema.json does not describe %s, which is %s.%s", name, of.Name(), f.Name)
				}
				fields(f.Type)
			}
		}
	}
	fields(reflect.TypeFor[reports.Summary]())
}
