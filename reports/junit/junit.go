// Package junit writes test results in the XML that CI servers read as JUnit's. The
// document keeps to what both of the published descriptions of it allow, that of Ant's
// report task and that of Jenkins: see ci/browser/testdata/junit.xsd.
//
// Texts may hold anything: what XML cannot carry is replaced, and markup is escaped.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Outcome is how a test case ended.
type Outcome int

// The outcomes of a test case.
const (
	Passed  Outcome = iota
	Failed          // what was asserted does not hold
	Errored         // it could not be told whether it holds
	Skipped         // it was not asked, and nobody needs it to be
)

// Case is one test case.
type Case struct {
	Class   string // what it belongs to, as words with dots between them
	Name    string
	Outcome Outcome
	// Kind is a stable word for the failure or error, Message one line about it, and
	// Text everything else, in lines. A case that passed needs none.
	Kind, Message, Text string
}

// Property is something that a reader of a suite should know.
type Property struct{ Name, Value string }

// Suite is a list of cases with a name.
type Suite struct {
	Name       string
	Start      time.Time // shown in UTC, to the second
	Took       time.Duration
	Properties []Property
	Cases      []Case
	Output     string // what was printed
}

// Write writes a document of suites. Its errors are those of w.
func Write(w io.Writer, suites []Suite) error {
	document := xmlSuites{}
	for i, s := range suites {
		document.Suites = append(document.Suites, s.xml(i))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// The document as XML has it. Ant's description wants every attribute and the order of
// these elements; Jenkins's forbids a few more attributes that others have.
type (
	xmlSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suites  []xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Package    string        `xml:"package,attr"`
		ID         int           `xml:"id,attr"`
		Name       string        `xml:"name,attr"`
		Timestamp  string        `xml:"timestamp,attr"`
		Hostname   string        `xml:"hostname,attr"`
		Tests      int           `xml:"tests,attr"`
		Failures   int           `xml:"failures,attr"`
		Errors     int           `xml:"errors,attr"`
		Skipped    int           `xml:"skipped,attr"`
		Time       string        `xml:"time,attr"`
		Properties []xmlProperty `xml:"properties>property"`
		Cases      []xmlCase     `xml:"testcase"`
		Out        string        `xml:"system-out"`
		Err        string        `xml:"system-err"`
	}
	xmlProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	xmlCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		Time    string     `xml:"time,attr"`
		Skipped *xmlResult `xml:"skipped"`
		Error   *xmlResult `xml:"error"`
		Failure *xmlResult `xml:"failure"`
	}
	xmlResult struct {
		Kind    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (s Suite) xml(id int) xmlSuite {
	out := xmlSuite{
		Package: "mcpstorm", ID: id, Name: s.Name, Hostname: "localhost", // a host's own name is nobody's business
		Timestamp: s.Start.UTC().Format("2006-01-02T15:04:05"), Time: fmt.Sprintf("%.3f", s.Took.Seconds()),
		Tests: len(s.Cases), Properties: []xmlProperty{}, Out: s.Output,
	}
	for _, p := range s.Properties {
		out.Properties = append(out.Properties, xmlProperty(p))
	}
	for _, c := range s.Cases {
		one := xmlCase{Name: c.Name, Class: c.Class, Time: "0"}
		result := &xmlResult{c.Kind, c.Message, c.Text}
		switch c.Outcome {
		case Failed:
			one.Failure = result
			out.Failures++
		case Errored:
			one.Error = result
			out.Errors++
		case Skipped:
			one.Skipped = result
			out.Skipped++
		}
		out.Cases = append(out.Cases, one)
	}
	return out
}
