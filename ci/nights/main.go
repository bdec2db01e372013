// Command nights keeps the history of the nightly job: a line for each run, and a chart
// of the last thirty nights.
//
//	nights -add RUN -scenario NAME -era ERA    prints the line of a run
//	nights -draw DIR FILE…                     draws the lines of files into a folder
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
	"mcpstorm/reports/compare"
)

// line is one run of one night.
type line struct {
	Schema   int              `json:"schema"`
	Wall     time.Time        `json:"wall"`
	Scenario string           `json:"scenario"`
	Era      string           `json:"era"`
	Run      string           `json:"run"`
	Revision string           `json:"revision,omitempty"`
	Host     compare.Host     `json:"host"`
	Status   history.Status   `json:"status"`
	Reason   string           `json:"reason,omitempty"`
	Failed   history.Interval `json:"failed"` // of all judged arms together
}

func main() {
	add := flag.String("add", "", "print the line of this run folder")
	scenario := flag.String("scenario", "", "the scenario that ran, for -add")
	era := flag.String("era", "", "the era that it ran in, for -add")
	draw := flag.String("draw", "", "draw the lines of the files named into this folder")
	flag.Parse()
	var err error
	switch {
	case *add != "" && *draw == "" && *scenario != "" && *era != "" && flag.NArg() == 0:
		err = printLine(os.Stdout, *add, *scenario, *era)
	case *draw != "" && *add == "" && flag.NArg() > 0:
		err = drawLines(os.Stdout, *draw, flag.Args())
	default:
		err = errors.New("want -add RUN -scenario NAME -era ERA, or -draw DIR FILE…")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nights:", err)
		os.Exit(2)
	}
}

func printLine(w io.Writer, dir, scenario, era string) error {
	m, err := compare.Open(dir)
	if err != nil {
		return err
	}
	l := line{
		Schema: 1, Wall: m.Wall, Scenario: scenario, Era: era, Run: m.Run, Revision: m.Revision, Host: m.Host, Status: m.Status, Reason: m.Reason,
	}
	for i := range m.Arms {
		if failed, ok := m.Arms[i].Rate("failed"); ok {
			l.Failed.Count += failed.Count
			l.Failed.Of += failed.Of
		}
	}
	if l.Failed.Of > 0 {
		l.Failed.Rate = float64(l.Failed.Count) / float64(l.Failed.Of)
	}
	return json.NewEncoder(w).Encode(l)
}

func drawLines(w io.Writer, dir string, files []string) error {
	var list []chart.Night
	for _, file := range files {
		lines, err := readLines(file)
		if err != nil {
			return err
		}
		for _, l := range lines {
			list = append(list, chart.Night{Name: l.Scenario + " " + l.Era, Wall: l.Wall, Status: l.Status, Failed: l.Failed})
		}
	}
	paths, err := chart.WriteNights(list, fmt.Sprintf("mcpstorm nightly · %d runs in the history", len(list)), dir)
	for _, path := range paths {
		fmt.Fprintln(w, "wrote", path)
	}
	return err
}

func readLines(file string) (lines []line, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	scanner := bufio.NewScanner(in)
	for n := 1; scanner.Scan(); n++ {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil || l.Schema != 1 {
			return nil, fmt.Errorf("%s:%d: no line of this version: %.80q", file, n, scanner.Text())
		}
		lines = append(lines, l)
	}
	return lines, scanner.Err()
}
