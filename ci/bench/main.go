// Command bench measures what mcpstorm's own machinery costs. It drives the same
// number of calls in flight down three paths to one server process: a plain
// net/http echo, which is the floor; our client, direct; and our client through
// the fault layer, its taps and the history. Only the ratios to the echo of the
// same round mean anything on another machine, and they are what the budgets
// speak of. It is a benchmark and no test: a missed budget does not fail it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"mcpstorm/internal/clock"
)

// warmUp is the part of a window that every round runs before it.
const warmUp = 0.2

// settings are what the command line says.
type settings struct {
	rounds   int
	window   time.Duration // of one round of one path
	inFlight int
	gogc     int
	rollouts int    // held open to weigh one; 0 skips it
	users    int    // the same of virtual users alone
	profiles string // a directory for CPU profiles; empty takes none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is the command. Told to serve, it is the server process of another one.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 1 && args[0] == serveFlag {
		return serve(os.Stdin, stdout)
	}
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(s.gogc))
	server, err := startServer(ctx, s.gogc)
	if err != nil {
		return err
	}
	m, err := measureAll(ctx, s, server.addr)
	if err := errors.Join(err, server.stop()); err != nil {
		return err
	}
	return m.print(stdout, s)
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.rounds, "rounds", 7, "rounds of each path, one path after another")
	seconds := flags.Float64("seconds", 2, "seconds of one round of one path")
	flags.IntVar(&s.inFlight, "in-flight", 64, "calls in flight")
	flags.IntVar(&s.gogc, "gogc", 400, "GOGC of both processes; 400 is what mcpstorm run uses")
	flags.IntVar(&s.rollouts, "rollouts", 1000, "rollouts held open to weigh one; 0 skips it")
	flags.IntVar(&s.users, "users", 5000, "virtual users held to weigh one without its connections; 0 skips it")
	flags.StringVar(&s.profiles, "profile", "", "write a CPU profile of each path's last round into this `directory`")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	s.window = time.Duration(*seconds * float64(time.Second))
	if s.rounds < 1 || s.window <= 0 || s.inFlight < 1 || s.gogc < 1 || s.rollouts < 0 || s.users < 0 {
		return s, errors.New("bench: -rounds, -seconds, -in-flight and -gogc must be above zero, and -rollouts and -users not below")
	}
	return s, nil
}

// measureAll takes the paths in turn, so that a machine that is slow for a while
// is slow for all of them.
func measureAll(ctx context.Context, s settings, addr string) (*measured, error) {
	m := &measured{rounds: map[string][]reading{}}
	for range s.rounds {
		for _, p := range paths {
			r, err := round(ctx, s, p, addr)
			if err != nil {
				return nil, fmt.Errorf("bench: %s: %w", p.name, err)
			}
			m.rounds[p.name] = append(m.rounds[p.name], r)
		}
	}
	var err error
	if s.users > 0 {
		if m.user, err = weighUsers(ctx, s.users); err != nil {
			return nil, fmt.Errorf("bench: holding %d virtual users: %w", s.users, err)
		}
	}
	if s.rollouts > 0 {
		if m.weight, err = weigh(ctx, addr, s.rollouts); err != nil {
			return nil, fmt.Errorf("bench: holding %d rollouts open: %w", s.rollouts, err)
		}
	}
	return m, nil
}

// system is the one clock of the benchmark.
var system = clock.System{}
