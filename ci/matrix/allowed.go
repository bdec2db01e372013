package main

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/history"
)

//go:embed allowed.txt
var allowedText string

// ErrAllowed says that a row of allowed.txt cannot be read.
var ErrAllowed = errors.New("matrix: bad row of allowed.txt")

// row is one row of allowed.txt.
type row struct {
	cuts, manners, eras, presets, classes []string
	pairs                                 []pair
	why                                   string
}

// parseAllowed reads rows; a # begins a comment.
func parseAllowed(text string) (rows []row, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 6 {
			return nil, fmt.Errorf("%w: %q has %d of 6 columns", ErrAllowed, strings.TrimSpace(line), len(fields))
		}
		list := func(i int) []string { return strings.Split(fields[i], ",") }
		r := row{cuts: list(0), manners: list(1), eras: list(2), presets: list(3), classes: list(4), why: strings.Join(fields[6:], " ")}
		for _, text := range list(5) {
			p, err := parsePair(text)
			if err != nil {
				return nil, err
			}
			r.pairs = append(r.pairs, p)
		}
		if len(r.pairs) > 1 && r.why == "" {
			return nil, fmt.Errorf("%w: %q allows several pairs and does not say why", ErrAllowed, strings.TrimSpace(line))
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func parsePair(text string) (pair, error) {
	told, truth, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(truth)
	known := []history.Told{history.ToldOK, history.ToldToolError, history.ToldNotExecuted, history.ToldUnknown, history.ToldNone}
	if err != nil || n < 0 || n > history.Often || !slices.Contains(known, history.Told(told)) {
		return pair{}, fmt.Errorf("%w: %q is no told/executed", ErrAllowed, text)
	}
	return pair{history.Told(told), n}, nil
}

// allowedFor is the row of a cell, or nil when none fits.
func allowedFor(rows []row, c cell) *row {
	fits := func(list []string, value string) bool { return list[0] == "*" || slices.Contains(list, value) }
	for i, r := range rows {
		if fits(r.cuts, c.Cut) && fits(r.manners, c.Manner) && fits(r.eras, c.Era) && fits(r.presets, c.Preset) && fits(r.classes, string(c.Class)) {
			return &rows[i]
		}
	}
	return nil
}
