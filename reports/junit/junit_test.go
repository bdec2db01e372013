package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"mcpstorm/reports/junit"
)

func write(t *testing.T, suites ...junit.Suite) string {
	t.Helper()
	var out bytes.Buffer
	if err := junit.Write(&out, suites); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWrite(t *testing.T) {
	got := write(t, junit.Suite{
		Name: "a", Start: time.Date(2026, 11, 29, 1, 2, 3, 4, time.FixedZone("", 3600)), Took: 1500 * time.Millisecond,
		Properties: []junit.Property{{Name: "seed", Value: "7"}},
		Cases: []junit.Case{
			{Class: "x.main", Name: "one"},
			{Class: "x.main", Name: "two", Outcome: junit.Failed, Kind: "violated", Message: "m", Text: "line 1\nline 2"},
			{Class: "x.main", Name: "three", Outcome: junit.Errored, Kind: "inconclusive", Message: "m"},
			{Class: "x.main", Name: "four", Outcome: junit.Skipped, Kind: "not evaluated", Message: "m"},
		},
	})
	for _, want := range []string{
		`timestamp="2026-11-29T00:02:03" hostname="localhost" tests="4" failures="1" errors="1" skipped="1" time="1.500"`,
		`<property name="seed" value="7"></property>`,
		`<testcase name="one" classname="x.main" time="0"></testcase>`,
		`<failure type="violated" message="m">line 1&#xA;line 2</failure>`,
		`<error type="inconclusive" message="m"></error>`,
		`<skipped type="not evaluated" message="m"></skipped>`,
		`<system-out></system-out>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// Whatever a text holds, the document is well formed, has no element that nobody wrote,
// and says the text again where XML can carry it.
func TestHostileTexts(t *testing.T) {
	for name, text := range map[string]string{
		"markup":      `</failure><testcase name="x"/><!-- `,
		"CDATA's end": `]]>`,
		"an entity":   `&amp; &x; &#0;`,
		"quotes":      `" ' name="x"`,
		"controls":    "\x00\x1b[31m\x07\u009b",
		"no UTF-8":    "\xff\xfe",
		"direction":   "\u202e",
	} {
		t.Run(name, func(t *testing.T) {
			document := write(t, junit.Suite{
				Name: text, Properties: []junit.Property{{Name: text, Value: text}}, Output: text,
				Cases: []junit.Case{{Class: text, Name: text, Outcome: junit.Failed, Kind: text, Message: text, Text: text}},
			})
			decoder, elements, said := xml.NewDecoder(strings.NewReader(document)), 0, ""
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%v in\n%s", err, document)
				}
				switch token := token.(type) {
				case xml.StartElement:
					elements++
				case xml.CharData:
					said += string(token)
				case xml.Comment, xml.Directive:
					t.Errorf("a %T came out of a text", token)
				}
			}
			if elements != 8 {
				t.Errorf("%d elements, want 8:\n%s", elements, document)
			}
			if name != "controls" && name != "no UTF-8" && !strings.Contains(said, text) {
				t.Errorf("%q is not in it", text)
			}
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteReportsItsWriter(t *testing.T) {
	if err := junit.Write(brokenPipe{}, nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}
