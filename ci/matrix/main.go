// Command matrix breaks the calls of every client that people ship at every place, in
// every manner and in both eras, a few hundred times each, and compares what callers
// were told and what servers executed with what is allowed (allowed.txt). It prints the
// table of it, and writes it as JSON and Markdown.
//
// It exits 1 when a cell is outside of what is allowed or its records disagree, and 2
// when a cell had too few attempts or could not be run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
)

// settings are what the command line says.
type settings struct {
	each     int           // attempts of a cell
	deadline time.Duration // of a call
	presets  []string
	eras     []string
	out      string // a folder for matrix.json and matrix.md; empty writes none
}

func main() {
	debug.SetGCPercent(400) // as mcpstorm run has it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// The exit codes.
const (
	exitOK      = 0
	exitOutside = 1
	exitFew     = 2
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK, nil
	}
	if err != nil {
		return exitFew, err
	}
	rows, err := parseAllowed(allowedText)
	if err != nil {
		return exitFew, err
	}
	start := system.Now()
	cells, err := s.measure(ctx, rows, stderr)
	if err != nil {
		return exitFew, err
	}
	m := matrix{Each: s.each, Cells: cells, Took: system.Since(start).Round(time.Second).String(), Load: loadAverage()}
	if err := errors.Join(m.print(stdout), m.write(s.out)); err != nil {
		return exitFew, err
	}
	return m.exit(), nil
}

func parse(args []string, stderr io.Writer) (settings, error) {
	s := settings{presets: presets, eras: wire.Eras()}
	flags := flag.NewFlagSet("matrix", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.each, "each", 200, "attempts that meet each cell's fault")
	flags.DurationVar(&s.deadline, "deadline", 2*time.Second, "of every call; what is held waits for it: give a busy machine more")
	flags.StringVar(&s.out, "out", "", "write matrix.json and matrix.md into this `folder`")
	words := func(name string, into *[]string, known []string) {
		flags.Func(name, "only these, of "+strings.Join(known, ", "), func(text string) error {
			*into = strings.Split(text, ",")
			for _, word := range *into {
				if !slices.Contains(known, word) {
					return fmt.Errorf("unknown %q", word)
				}
			}
			return nil
		})
	}
	words("presets", &s.presets, presets)
	words("eras", &s.eras, wire.Eras())
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.each < 1 || s.deadline <= 0 {
		return s, errors.New("matrix: -each and -deadline must be above zero")
	}
	return s, nil
}

// measure makes one run for each era and preset, and judges its cells.
func (s settings) measure(ctx context.Context, rows []row, stderr io.Writer) (cells []*observed, err error) {
	dir, err := os.MkdirTemp("", "matrix")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, era := range s.eras {
		for _, preset := range s.presets {
			fmt.Fprintf(stderr, "matrix: %s %s\n", era, preset)
			list, err := s.storm(ctx, filepath.Join(dir, era+"-"+preset), era, preset)
			if err != nil {
				return nil, fmt.Errorf("matrix: %s %s: %w", era, preset, err)
			}
			for _, o := range list {
				o.judge(rows, s.each)
			}
			cells = append(cells, list...)
		}
	}
	return cells, nil
}

// system is the one clock of the command.
var system = clock.System{}

// loadAverage is how busy the machine was in the end, where it says so.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
