package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
)

// every is each cell of the whole matrix.
func every() (cells []cell) {
	for _, era := range wire.Eras() {
		for _, preset := range presets {
			cells = append(cells, cellsOf(era, preset)...)
		}
	}
	return cells
}

// TestEveryCellIsAllowedFor: what can occur has a row, and what cannot says why.
func TestEveryCellIsAllowedFor(t *testing.T) {
	rows, err := parseAllowed(allowedText)
	if err != nil {
		t.Fatal(err)
	}
	possible := 0
	used := map[*row]bool{}
	for _, c := range every() {
		if c.impossible() != "" {
			continue
		}
		possible++
		r := allowedFor(rows, c)
		if r == nil {
			t.Errorf("%+v has no row", c)
			continue
		}
		used[r] = true
	}
	if possible < 800 || len(used) != len(rows) {
		t.Errorf("%d cells can occur, and they use %d of %d rows", possible, len(used), len(rows))
	}
}

// TestAllowedIsNoLooserThanTheDesign: a client that tries once is told of a call that
// was executed as often as its cut says.
func TestAllowedIsNoLooserThanTheDesign(t *testing.T) {
	rows, err := parseAllowed(allowedText)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range every() {
		if c.impossible() != "" || c.Preset != "verifiers-0.2.0" {
			continue
		}
		for _, p := range allowedFor(rows, c).pairs {
			may := false
			for _, truth := range truths(c) {
				may = may || truth == p.Truth
			}
			if !may {
				t.Errorf("%+v may be %s, and its cut means %v", c, p, truths(c))
			}
		}
	}
}

func TestBadRows(t *testing.T) {
	for name, text := range map[string]string{
		"too few columns":     "C1 fin * settle *",
		"no such word":        "C1 fin * settle * maybe/1",
		"no number":           "C1 fin * settle * ok/x",
		"more than is told":   "C1 fin * settle * ok/3",
		"several without why": "C1 fin * settle * ok/0,ok/1",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseAllowed(text); !errors.Is(err, ErrAllowed) {
				t.Errorf("parseAllowed: %v", err)
			}
		})
	}
}

func TestJudgements(t *testing.T) {
	rows, err := parseAllowed("C4 rst * settle * ok/1")
	if err != nil {
		t.Fatal(err)
	}
	here := cell{wire.EraSessions, "settle", history.Unsafe, plan.C4, plan.RST}
	seen := func(receipts int, told history.Told, truth int) *observed {
		return &observed{Cell: here, Receipts: receipts, Pairs: map[pair]int{{told, truth}: receipts}}
	}
	wrong := seen(3, history.ToldOK, 1)
	wrong.wrong("a receipt and no exchange")
	never := seen(0, history.ToldOK, 1)
	never.Pairs = nil
	elsewhere := seen(3, history.ToldOK, 1)
	elsewhere.Cell.Cut = plan.C5
	cannot := seen(1, history.ToldOK, 1)
	cannot.Cell.Cut = plan.C8
	cannot.Cell.Era = wire.EraStateless
	for _, tt := range []struct {
		name string
		o    *observed
		want string
		exit int
	}{
		{"within", seen(3, history.ToldOK, 1), within, exitOK},
		{"a replay", seen(3, history.ToldOK, 2), outside, exitOutside},
		{"another word", seen(3, history.ToldUnknown, 1), outside, exitOutside},
		{"too few", seen(2, history.ToldOK, 1), few, exitFew},
		{"none", never, few, exitFew},
		{"records that disagree", wrong, disagree, exitOutside},
		{"no row", elsewhere, outside, exitOutside},
		{"what cannot occur occurred", cannot, outside, exitOutside},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.judge(rows, 3)
			if got := (matrix{Cells: []*observed{tt.o}}).exit(); tt.o.Judgement != tt.want || got != tt.exit {
				t.Errorf("%s, exit %d, want %s, exit %d", tt.o.Judgement, got, tt.want, tt.exit)
			}
		})
	}
}

// TestSample is the matrix of two presets, one attempt a cell.
func TestSample(t *testing.T) {
	for _, args := range [][]string{
		{"-eras", wire.EraSessions, "-presets", "settle"},
		{"-eras", wire.EraStateless, "-presets", "at-most-once"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir := t.TempDir()
			var out, errs bytes.Buffer
			code, err := run(context.WithoutCancel(t.Context()), append(args, "-each", "1", "-deadline", "4s", "-out", dir), &out, &errs)
			if err != nil || code != exitOK {
				t.Errorf("exit %d, %v\n%s", code, err, out.String())
			}
			for _, name := range []string{"matrix.json", "matrix.md"} {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil || !strings.Contains(string(text), "C3w") {
					t.Errorf("%s holds %d bytes: %v", name, len(text), err)
				}
			}
		})
	}
}
