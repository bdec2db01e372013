package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpstorm/reports/html"
)

func write(t *testing.T, p html.Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// full is a page with every part, and one text everywhere.
func full(text string) html.Page {
	line := html.Line{Text: text, Tone: html.Bad}
	table := html.Table{Name: text, Note: text, Head: []string{text, text}, Rows: [][]html.Cell{{html.Text(text), {line, line}}}}
	folded := table
	folded.Folded = true
	return html.Page{
		Title: text, Run: text, When: text, Tone: html.Bad, Verdict: text, Headline: text, Reasons: []string{text}, Lead: text,
		Figures:  []html.Figure{{Name: text, Value: text, Note: text, Tone: html.Bad}},
		Asserted: []html.Assertion{{ID: text, Status: text, Tone: html.Bad, Doc: text, Finding: text, Clauses: []html.Line{line}}},
		Missing:  []html.Line{line}, Proofs: []html.Proof{{ID: text, Text: text, Events: []string{text}, Command: text}},
		Charts: []html.Chart{{SVG: []byte("<svg>" + text + "</svg>"), Title: text, Alt: text}},
		Phases: []html.Table{table}, Truth: []html.Table{table}, Arms: &table, Thresholds: []html.Table{table}, Metrics: []html.Table{folded},
		Plan: []html.Table{table}, Host: []html.Pair{{Name: text, Value: text}}, Command: text, Notes: []string{text},
	}
}

var section = regexp.MustCompile(`<section id="([a-z]+)"`)

// A part that is empty is left out, and every part that is there can be jumped to.
func TestParts(t *testing.T) {
	every := []string{"asserted", "missing", "proof", "charts", "phases", "truth", "arms", "thresholds", "metrics", "plan", "host", "repeat"}
	for name, c := range map[string]struct {
		page html.Page
		want []string
	}{
		"nothing": {html.Page{}, []string{"host", "repeat"}},
		"all":     {full("x"), every},
	} {
		document := write(t, c.page)
		var got []string
		for _, match := range section.FindAllStringSubmatch(document, -1) {
			got = append(got, match[1])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: parts %v, want %v", name, got, c.want)
		}
		for _, id := range got {
			if id != "missing" && !strings.Contains(document, `<a href="#`+id+`">`) {
				t.Errorf("%s: nothing leads to %s", name, id)
			}
		}
	}
}

// A page is filled in whole by full, so that the tests of it leave nothing out.
func TestFullIsFull(t *testing.T) {
	page := reflect.ValueOf(full("x"))
	for i := range page.NumField() {
		if page.Field(i).IsZero() {
			t.Errorf("%s is empty", page.Type().Field(i).Name)
		}
	}
}

// No text makes a tag, whatever it holds and wherever it stands.
func TestTextsMakeNoTags(t *testing.T) {
	tag := regexp.MustCompile(`</?[a-zA-Z]+`)
	want := tag.FindAllString(write(t, full("harmless")), -1)
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `</style></title></section>`, `<!--`, `{{.Run}}`, `javascript:x`,
	} {
		if got := tag.FindAllString(write(t, full(text)), -1); !slices.Equal(got, want) {
			t.Errorf("%s makes tags of its own", text)
		}
	}
}

// The policy lets in the style sheet that is there, and it is whole.
func TestPolicy(t *testing.T) {
	document := write(t, html.Page{})
	_, rest, _ := strings.Cut(document, "<style>")
	style, _, ok := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	hash := strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;")
	if !ok || !strings.Contains(document, "sha256-"+hash) {
		t.Errorf("the policy does not name sha256-%s", hash)
	}
	if !strings.Contains(document, "default-src &#39;none&#39;") {
		t.Error("the policy lets other things in")
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style sheet asks for more")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteReportsItsWriter(t *testing.T) {
	if err := html.Write(brokenPipe{}, html.Page{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}
