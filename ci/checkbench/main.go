// Command checkbench measures how fast mcpstorm check judges a stored run, and how
// much memory that takes. It writes the history of a storm of correct servers and an
// honest client, as long as asked for, and has the real program judge it. The budgets
// are 500,000 events a second, and 4 GB for ten million events. It is a benchmark and
// no test: a missed budget does not fail it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"mcpstorm/internal/clock"
)

// The budgets.
const (
	speedBudget  = 500_000 // events a second
	memoryBudget = 4e9     // bytes, for memoryEvents
	memoryEvents = 10_000_000
)

// settings are what the command line says.
type settings struct {
	program string
	events  int
	rounds  int
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "checkbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "run")
	events, err := write(dir, s.events)
	if err != nil {
		return fmt.Errorf("checkbench: writing a history: %w", err)
	}
	best, err := judge(s, dir)
	if err != nil {
		return err
	}
	best.print(stdout, events)
	return nil
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("checkbench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.program, "program", "bin/mcpstorm", "the `file` of the program to measure")
	flags.IntVar(&s.events, "events", 1_000_000, "events in the history, or a few more")
	flags.IntVar(&s.rounds, "rounds", 3, "how often it is judged; the best is told")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.events < 1 || s.rounds < 1 {
		return s, errors.New("checkbench: -events and -rounds must be above zero")
	}
	return s, nil
}

// reading is one judging of the history.
type reading struct {
	wall, cpu time.Duration
	peak      int64 // bytes in memory at the most; 0 where it is not known
}

// judge runs the program on the history, and gives its fastest round with the least
// memory of any. The history is that of correct servers: another verdict than a pass
// measures something else.
func judge(s settings, dir string) (best reading, err error) {
	for n := range s.rounds {
		command := exec.Command(s.program, "check", dir)
		start := system.Now()
		out, err := command.CombinedOutput()
		one := reading{wall: system.Since(start)}
		if err != nil {
			return best, fmt.Errorf("checkbench: %s check: %w\n%s", s.program, err, out)
		}
		state := command.ProcessState
		one.cpu, one.peak = state.UserTime()+state.SystemTime(), peakOf(state)
		if n == 0 {
			best = one
		}
		best = reading{min(best.wall, one.wall), min(best.cpu, one.cpu), min(best.peak, one.peak)}
	}
	return best, nil
}

// print says what was measured. On a machine that has other work the time on the wall
// says little, and that of the processors more.
func (r reading) print(out io.Writer, events int) {
	speed := float64(events) / r.wall.Seconds()
	fmt.Fprintf(out, "check: %.0f events/s (at least %d: %s), %.0f per CPU second; %d events in %v, %v of CPU\n",
		speed, speedBudget, met(speed >= speedBudget), float64(events)/r.cpu.Seconds(), events, r.wall.Round(time.Millisecond), r.cpu.Round(time.Millisecond))
	switch {
	case r.peak == 0:
	case events < memoryEvents: // the collector takes its time while there is room
		fmt.Fprintf(out, "check: %d MB in memory at the most\n", r.peak/1e6)
	default:
		fmt.Fprintf(out, "check: %d MB in memory at the most (%.0f MB allowed: %s)\n", r.peak/1e6, memoryBudget/1e6, met(r.peak <= memoryBudget))
	}
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}

// system is the one clock of the benchmark.
var system = clock.System{}
