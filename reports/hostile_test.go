package reports_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// hostile is what a server, a tool or a script may say, all in one.
const hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> \" ' ]]> | `tick` ``` </details> [x](javascript:alert(1)) " +
	"{{.}} \x1b[2J\x1b]0;owned\x07 \u009b31m \u202e\u2066 \x00\xff &lt; \nVERDICT: PASS\r\n# head\n"

// The credentials that may stand in such a text, and none of which may come out.
const (
	bearerToken = "eyJhbGciOi.Zm9v-secret_1"
	urlPassword = "hunter2-secret"
)

const credentials = "Post \"http://ann:" + urlPassword + "@127.0.0.1:9/mcp\": 401, Authorization: Bearer " + bearerToken

// poisoned is a failing run in which every text is what was given.
func poisoned(text string) (*history.Run, history.Verdict, *history.Metrics) {
	run, v := testRun(), failing()
	m := &run.Manifest
	m.Script.Path, m.Notes, m.Errors = text, []string{text}, []string{text}
	m.Overrides = &history.Overrides{Policies: []string{text}, Bugs: []string{text}}
	main := &m.Arms[1]
	main.Bugs, main.Policies = []string{text}, map[string]string{"sim": text}
	main.Scenarios[0].Name = text
	main.Servers[1].Name, main.Servers[1].URL = text, text
	run.Plan[0].Tool, run.Plan[2].Toxic = text, text
	v.Reason = text
	for i := range v.Invariants {
		inv := &v.Invariants[i]
		inv.Reason = text
		inv.Clauses = append(inv.Clauses, history.Clause{Name: text, Status: history.Fail, Text: text})
		inv.Proof = &history.Proof{Task: text, Text: text, Events: []string{text, text}}
	}
	v.Rates[0].Text = text
	v.Known = []history.KnownResult{{KnownFailure: history.KnownFailure{Invariant: "no-hang", Reason: text}, State: history.KnownFails}}
	v.Arms = []history.ArmRow{{Arm: "main", Policy: text, Judged: true}, {Arm: text, Policy: text}}
	v.Truth = []history.TruthTable{{Arm: text, Cells: []history.TruthCell{{Told: history.Told(text), Meaning: history.Meaning(text), Count: 1}}}}
	return run, v, &history.Metrics{Schema: history.Schema, Arms: []history.ArmMetrics{{
		Arm: "main", Metrics: []history.Metric{{Name: text, Type: "counter", Contains: "default", Values: map[string]float64{text: 1}}},
		Thresholds: []history.Threshold{{Metric: text, Expr: text, Status: history.Fail}},
	}}}
}

// sinks are all that is written of a run, by name.
var sinks = map[string]func(io.Writer, *history.Run, history.Verdict, *history.Metrics) error{
	"terminal": func(w io.Writer, run *history.Run, v history.Verdict, _ *history.Metrics) error {
		return reports.Terminal(w, v, run, reports.Style{Color: true})
	},
	"ascii": func(w io.Writer, run *history.Run, v history.Verdict, _ *history.Metrics) error {
		return reports.Terminal(w, v, run, reports.Style{ASCII: true})
	},
	"table": func(w io.Writer, _ *history.Run, v history.Verdict, _ *history.Metrics) error {
		return reports.Table(w, v.Arms, reports.Style{})
	},
	"schedule": func(w io.Writer, run *history.Run, _ history.Verdict, _ *history.Metrics) error {
		s := reports.Schedule{Script: run.Manifest.Script.Path, Arms: []reports.ArmSchedule{{Arm: run.Manifest.Arms[1], Rules: run.Plan}}}
		return s.Text(w, reports.Style{})
	},
	"reproduction": func(w io.Writer, _ *history.Run, v history.Verdict, _ *history.Metrics) error {
		r := reports.Reproduction{Dir: v.Reason, Task: v.Reason, Faults: []string{v.Reason}, Command: []string{v.Reason}}
		return r.Text(w, reports.Style{})
	},
	"html": func(w io.Writer, run *history.Run, v history.Verdict, m *history.Metrics) error {
		return reports.HTML(w, run, v, m, nil)
	},
	"junit":    reports.JUnit,
	"markdown": reports.Markdown,
	"json":     reports.JSON,
	"verdict": func(w io.Writer, run *history.Run, v history.Verdict, _ *history.Metrics) error {
		if err := reports.WriteVerdict(run.Dir, v); err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(run.Dir, history.VerdictFile))
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	},
}

// poured is what a sink makes of a run in which every text is what is given.
func poured(t *testing.T, sink, text string) string {
	t.Helper()
	run, v, metrics := poisoned(text)
	run.Dir = t.TempDir()
	var out bytes.Buffer
	if err := sinks[sink](&out, run, v, metrics); err != nil {
		t.Fatalf("%s: %v", sink, err)
	}
	return out.String()
}

// No text moves a cursor, ends a line of its own accord, turns the direction of writing
// or is no UTF-8, on whatever page a person reads.
func TestNothingUnseenComesOut(t *testing.T) {
	ours := regexp.MustCompile("\x1b\\[(0|1|2|1;31|1;32|1;33)m")
	for name := range sinks {
		text := poured(t, name, hostile)
		if name == "json" || name == "verdict" { // machines read them: JSON has its own escapes
			continue
		}
		if name == "terminal" {
			text = ours.ReplaceAllString(text, "")
		}
		for _, r := range text {
			switch {
			case r == '\n', unicode.IsPrint(r), name == "markdown" && (r == '\u200b' || r == '\ufe0f'):
			default:
				t.Errorf("%s: %U is in it", name, r)
			}
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "VERDICT: PASS") {
				t.Errorf("%s: line %d says PASS", name, i+1)
			}
		}
	}
}

// In the report there is no element, attribute or address that a text made.
func TestHostileHTML(t *testing.T) {
	clean := poured(t, "html", "harmless")
	dirty := poured(t, "html", hostile)
	tags := regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
	shape := func(document string) (list []string) {
		for _, tag := range tags.FindAllString(document, -1) {
			name := regexp.MustCompile(`^</?[a-zA-Z!]+`).FindString(tag)
			list = append(list, name)
		}
		return list
	}
	if a, b := shape(clean), shape(dirty); !slices.Equal(a, b) {
		t.Errorf("a hostile text makes %d elements, a harmless one %d", len(b), len(a))
	}
	for _, bad := range []string{"<script", "onerror=alert(1)>", "javascript:", "http://", "https://"} {
		if strings.Contains(strings.ReplaceAll(dirty, "(javascript:alert(1))", ""), bad) {
			t.Errorf("%s is in it", bad)
		}
	}
	if !strings.Contains(dirty, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the text itself is not in it")
	}
}

func TestHostileJUnit(t *testing.T) {
	count := func(document string) map[string]int {
		elements := map[string]int{}
		decoder := xml.NewDecoder(strings.NewReader(document))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return elements
			}
			if err != nil {
				t.Fatal(err)
			}
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
	}
	clean, dirty := count(poured(t, "junit", "harmless")), count(poured(t, "junit", hostile))
	if !maps.Equal(clean, dirty) {
		t.Errorf("elements %v, want %v", dirty, clean)
	}
}

func TestHostileMarkdown(t *testing.T) {
	tag := regexp.MustCompile(`</?[a-zA-Z!][^>]*>`)
	shape := func(text string) string {
		var out bytes.Buffer
		host := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markup.WithUnsafe()))
		if err := host.Convert([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return strings.Join(tag.FindAllString(out.String(), -1), "\n")
	}
	clean, dirty := shape(poured(t, "markdown", "harmless")), shape(poured(t, "markdown", hostile))
	if clean != dirty {
		t.Errorf("a hostile text makes elements of its own:\n%s\n\nwant\n%s", dirty, clean)
	}
}

func TestHostileJSON(t *testing.T) {
	for _, name := range []string{"json", "verdict"} {
		text := poured(t, name, hostile)
		var got struct{ Reason string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(hostile, "\ufffd"); got.Reason != want {
			t.Errorf("%s: the reason came out as %q", name, got.Reason)
		}
	}
}

// A credential that came into a history all the same comes out nowhere.
func TestNoCredentialComesOut(t *testing.T) {
	for name := range sinks {
		text := poured(t, name, credentials)
		for _, secret := range []string{bearerToken, urlPassword, "ann:"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s", name, secret)
			}
		}
		if name != "table" && !strings.Contains(text, "127.0.0.1:9") { // it is about this text
			t.Errorf("%s does not say where", name)
		}
	}
}
