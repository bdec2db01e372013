package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// The judgements on a cell.
const (
	within     = "ok"
	impossible = "cannot occur"
	outside    = "OUTSIDE"
	disagree   = "RECORDS DISAGREE"
	few        = "TOO FEW"
)

// judge compares what was observed with what is allowed.
func (o *observed) judge(rows []row, each int) {
	if why := o.Cell.impossible(); why != "" {
		o.Judgement, o.Why = impossible, why
		if o.Receipts > 0 {
			o.Judgement = outside
		}
		return
	}
	r := allowedFor(rows, o.Cell)
	if r == nil {
		o.Judgement, o.Why = outside, "allowed.txt has no row for it"
		return
	}
	o.Allowed, o.Why, o.Judgement = r.pairs, r.why, within
	for p := range o.Pairs {
		if !slices.Contains(r.pairs, p) {
			o.Judgement = outside
		}
	}
	switch {
	case o.Judgement == outside:
	case o.Wrong != nil && o.Receipts > 0:
		o.Judgement = disagree
	case o.Receipts < each:
		o.Judgement = few
	}
}

// matrix is all that was observed.
type matrix struct {
	Each  int         `json:"each"`
	Took  string      `json:"took"`
	Load  string      `json:"load_average"`
	Cells []*observed `json:"cells"`
}

// count is how many cells have a judgement.
func (m matrix) count(judgement string) (n int) {
	for _, o := range m.Cells {
		if o.Judgement == judgement {
			n++
		}
	}
	return n
}

func (m matrix) exit() int {
	switch {
	case m.count(outside)+m.count(disagree) > 0:
		return exitOutside
	case m.count(few) > 0 || m.count(within) == 0:
		return exitFew
	}
	return exitOK
}

// summary is the matrix in one line.
func (m matrix) summary() string {
	attempts, disturbed := 0, 0
	for _, o := range m.Cells {
		attempts += o.Receipts
		disturbed += o.Disturbed
	}
	return fmt.Sprintf("%d cells: %d ok, %d cannot occur, %d outside, %d whose records disagree, %d with too few attempts; %d attempts, and %d more that the machine disturbed, in %s at a load average of %s",
		len(m.Cells), m.count(within), m.count(impossible), m.count(outside), m.count(disagree), m.count(few), attempts, disturbed, m.Took, m.Load)
}

var columns = []string{"era", "preset", "class", "cut", "manner", "attempts", "seen", "told/executed", "allowed", "", "why"}

// cells are the columns of one cell.
func (o *observed) cells() []string {
	var pairs, allowed []string
	for p, n := range o.Pairs {
		pairs = append(pairs, fmt.Sprintf("%s %d", p, n))
	}
	for _, p := range o.Allowed {
		allowed = append(allowed, p.String())
	}
	slices.Sort(pairs)
	why := o.Why
	if len(o.Wrong) > 0 {
		why = cmp.Or(why, "records") + ": " + o.Wrong[0]
	}
	c := o.Cell
	return []string{
		c.Era, c.Preset, string(c.Class), c.Cut, c.Manner, fmt.Sprint(o.Receipts), fmt.Sprint(o.Seen),
		strings.Join(pairs, ", "), strings.Join(allowed, ", "), o.Judgement, why,
	}
}

// print writes the table for a terminal.
func (m matrix) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(columns, "\t"))
	for _, o := range m.Cells {
		fmt.Fprintln(table, strings.Join(o.cells(), "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, m.summary())
	return err
}

// write leaves the table in a folder, as JSON and as Markdown.
func (m matrix) write(dir string) error {
	if dir == "" {
		return nil
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	var text strings.Builder
	line := func(cells []string) { fmt.Fprintln(&text, "| "+strings.Join(cells, " | ")+" |") }
	fmt.Fprintf(&text, "# Told by truth, cell by cell\n\n%s.\n\n", m.summary())
	line(columns)
	line(slices.Repeat([]string{"---"}, len(columns)))
	for _, o := range m.Cells {
		line(o.cells())
	}
	return errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "matrix.json"), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, "matrix.md"), []byte(text.String()), 0o644),
	)
}
