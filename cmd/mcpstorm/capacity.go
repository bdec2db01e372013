package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/run"
	"mcpstorm/xk6-mcp/run/capacity"
)

// capacityFlags are the flags of capacity.
type capacityFlags struct {
	settings capacity.Settings
	root     uint64
	latency  time.Duration
	faults   string
	env      []string
	asJSON   bool
}

func capacityCommand() *cobra.Command {
	var f capacityFlags
	c := &cobra.Command{
		Use:   "capacity SCRIPT",
		Short: "Search for the most rollouts at once that a target carries under a fault plan",
		Long: `Search for the most rollouts at once that a target carries under a fault plan.
Concurrency is doubled until an objective breaks, and the distance is then halved. The
capacity is the last level up to which the upper end of every 95 % interval is below
its objective. It says whose limit was met: the target's, the fault layer's, or this
host's. Stopped, it goes on when the same command is given again; levels that another
version or revision of mcpstorm has measured are measured again.`,
		Example: `  mcpstorm capacity scenarios/user-turns.js --objective 'failed<1%'
  mcpstorm capacity scenarios/user-turns.js --objective 'mcp_op_duration p99<2s' --policy settle,at-most-once`,
		Args: needs("SCRIPT"),
	}
	f.bind(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("turn-latency") {
			f.settings.Run.TurnLatency = &f.latency
		}
		return f.search(args[0])
	}
	return c
}

func (f *capacityFlags) bind(c *cobra.Command) {
	s, flags := &f.settings, c.Flags()
	flags.StringArrayVar(&s.Objectives, "objective", nil, "what must hold: 'failed<1%', 'mcp_op_duration p99<2s'; as often as given (default failed<1%)")
	flags.StringSliceVar(&s.Policies, "policy", nil, "a curve for each of these client policies (default: the script's)")
	flags.IntVar(&s.From, "from", 8, "the first level, in rollouts at once")
	flags.IntVar(&s.To, "to", 512, "the last level")
	flags.Float64Var(&s.Within, "within", 0.05, "how close to come, as a share of the capacity")
	flags.IntVar(&s.Rollouts, "rollouts", 0, "rollouts a level, at least (default: what the objectives need)")
	flags.StringVar(&s.Dir, "dir", "", "the folder of the search (default: runs/capacity-NAME-ID)")
	flags.BoolVar(&s.Keep, "keep", false, "keep the run of every level")
	flags.Uint64Var(&f.root, "seed", 1, "the root of all chance: one seed, one fault plan")
	flags.StringVar(&s.Run.Era, "era", "", "MCP version of every server")
	flags.StringVar(&f.faults, "faults", "", "a JSON file with a fault plan in the place of the script's")
	flags.StringSliceVar(&s.Run.Bugs, "bug", nil, "plant a bug in the server that has it: FM-NN[,…]")
	flags.DurationVar(&f.latency, "turn-latency", 0, "how long a user simulator thinks (default: the script's)")
	flags.StringArrayVarP(&f.env, "env", "e", nil, "NAME=VALUE for the script's __ENV")
	flags.BoolVar(&f.asJSON, "json", false, "print what was found as JSON")
	flags.BoolVar(&s.Run.NoHostProbe, "no-host-probe", false, "do not ask whether the host was the limit (tests on a shared machine)")
	_ = flags.MarkHidden("no-host-probe")
}

// check refuses levels that are none.
func (f *capacityFlags) check() error {
	s := f.settings
	switch {
	case s.From < 1:
		return fmt.Errorf("--from %d: want 1 or more", s.From)
	case s.To < s.From:
		return fmt.Errorf("--to %d: want %d, the first level, or more", s.To, s.From)
	case s.Within <= 0 || s.Within >= 1:
		return fmt.Errorf("--within %g: want a share between 0 and 1", s.Within)
	}
	return nil
}

// search searches, says what it finds as it goes, and draws it.
func (f *capacityFlags) search(script string) error {
	if err := f.check(); err != nil {
		return err
	}
	o := &f.settings.Run
	o.Script, o.Seed = script, seed.Root(f.root)
	o.Version, o.Revision = version()
	var err error
	if o.Env, err = pairs("--env", f.env); err != nil {
		return err
	}
	if f.faults != "" {
		if o.Faults, err = run.ReadFaults(f.faults); err != nil {
			return err
		}
	}
	out := io.Writer(os.Stdout)
	if f.asJSON {
		out = io.Discard
	}
	f.settings.Stale = func(levels int, program string) {
		fmt.Fprintf(out, "  levels measured by %s, another build, and measured again: %d\n", program, levels)
	}
	f.settings.Each = func(policy string, l capacity.Level, known bool) { printCapacityLevel(out, policy, l, known) }
	relaxCollector()
	stop, release := signals()
	defer release()
	found, dir, err := capacity.Search(stop, f.settings)
	return f.conclude(out, found, dir, err)
}

// conclude prints what was found, and gives the exit code.
func (f *capacityFlags) conclude(out io.Writer, found *capacity.Result, dir string, err error) error {
	var failed *run.Error
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(os.Stderr, "mcpstorm: stopped; what was measured is in %s, and the same command goes on from there\n", dir)
		return exit(run.ExitStopped)
	case errors.As(err, &failed):
		return err
	case errors.Is(err, capacity.ErrObjective), errors.Is(err, capacity.ErrSettings), errors.Is(err, capacity.ErrAnother), errors.Is(err, capacity.ErrScript):
		return err
	case err != nil:
		return cannot(err)
	}
	fmt.Fprintln(out)
	for _, c := range found.Curves {
		printCurve(out, c)
	}
	charts, err := found.Draw(dir)
	if err != nil {
		return cannot(err)
	}
	for _, path := range append(charts, filepath.Join(dir, capacity.ResultFile)) {
		fmt.Fprintln(out, "wrote", path)
	}
	if f.asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(found); err != nil {
			return cannot(err)
		}
	}
	if slices.ContainsFunc(found.Curves, func(c capacity.Curve) bool { return c.Limit != nil && c.Limit.Kind != capacity.Target }) {
		return exit(run.ExitInconclusive) // the number is a limit of ours, and not the target's
	}
	return nil
}

func printCapacityLevel(out io.Writer, policy string, l capacity.Level, known bool) {
	word := "holds"
	if !l.Held {
		word = "breaks"
	}
	var readings []string
	for _, r := range l.Readings {
		upper := "no upper bound"
		if r.High != nil {
			upper = fmt.Sprintf("up to %.3g", *r.High)
		}
		readings = append(readings, fmt.Sprintf("%s: %.3g (%s)", r.Objective, r.Value, upper))
	}
	text := fmt.Sprintf("%4d at once %-6s  %s · %.0f op/s", l.Concurrency, word, strings.Join(readings, " · "), l.Throughput)
	if known {
		text += " · measured before"
	}
	fmt.Fprintf(out, "  %s\n", strings.TrimSpace(policy+" "+text))
}

// printCurve says what a policy carries, what stopped it, and where more brings little.
func printCurve(out io.Writer, c capacity.Curve) {
	name := "CAPACITY"
	if c.Policy != "" {
		name += " of " + c.Policy
	}
	switch {
	case c.Beyond:
		fmt.Fprintf(out, "%s: %d rollouts at once or more: no level broke an objective\n", name, c.Capacity)
	case c.Capacity == 0:
		fmt.Fprintf(out, "%s: none of the levels that were tried\n", name)
	default:
		fmt.Fprintf(out, "%s: %d rollouts at once\n", name, c.Capacity)
	}
	if c.Limit != nil {
		fmt.Fprintf(out, "  limit  %s: %s\n", c.Limit.Kind, c.Limit.Text)
	}
	if c.Knee > 0 {
		fmt.Fprintf(out, "  knee   beyond %d at once, more rollouts bring little more operations a second\n", c.Knee)
	}
}
