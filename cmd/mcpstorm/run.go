package main

import (
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcpstorm/internal/seed"
	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/run"
)

func runCommand() *cobra.Command {
	var o run.Options
	var root uint64
	var latency time.Duration
	var env []string
	c := &cobra.Command{
		Use:   "run SCRIPT",
		Short: "Run a scenario script, and print the verdict",
		Example: `  mcpstorm run scenarios/user-turns.js
  mcpstorm run scenarios/user-turns.js --bug FM-01
  mcpstorm run scenarios/user-turns.js --policy sim=at-most-once --seed 7`,
		Args: needs("SCRIPT"),
	}
	flags := c.Flags()
	flags.Uint64Var(&root, "seed", 1, "the root of all chance: one seed, one fault plan")
	flags.IntVar(&o.VUs, "vus", 0, "virtual users of every scenario (default: the script's)")
	flags.StringArrayVar(&o.Policies, "policy", nil, "client policy: NAME, or SERVER=NAME for one server")
	flags.StringVar(&o.Era, "era", "", "MCP version of every server: 2025-11-25, 2026-07-28, or both (each arm once in each)")
	flags.StringVar(&o.Reissue, "reissue", "", "spec: in the era 2026-07-28, send a call again whose answer broke, as its changelog asks")
	flags.StringSliceVar(&o.Bugs, "bug", nil, "plant a bug in the server that has it: FM-NN[,…]")
	flags.DurationVar(&latency, "turn-latency", 0, "how long a user simulator thinks (default: the script's)")
	flags.StringVar(&o.Dir, "dir", "", "the run folder (default: runs/<UTC time>-<id>)")
	flags.StringArrayVarP(&env, "env", "e", nil, "NAME=VALUE for the script's __ENV")
	flags.BoolVar(&o.NoCharts, "no-charts", false, "draw nothing (mcpstorm report draws a stored run)")
	flags.BoolVar(&o.BypassFaults, "bypass-faults", false, "send clients past the fault layer (tests the harness itself)")
	flags.BoolVar(&o.NoHostProbe, "no-host-probe", false, "do not ask whether the host was the limit (tests on a shared machine)")
	_ = flags.MarkHidden("bypass-faults")
	_ = flags.MarkHidden("no-host-probe")
	c.RunE = func(_ *cobra.Command, args []string) error {
		o.Script, o.Seed = args[0], seed.Root(root)
		if flags.Changed("turn-latency") {
			o.TurnLatency = &latency
		}
		if flags.Changed("vus") && o.VUs < 1 {
			return fmt.Errorf("--vus %d: want 1 or more", o.VUs)
		}
		var err error
		if o.Env, err = environment(env); err != nil {
			return err
		}
		relaxCollector()
		o.Console = os.Stderr
		o.Progress = run.Progress{Out: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd()))}
		o.Version, o.Revision = version()
		stop, release := signals()
		defer release()
		outcome, err := run.Run(stop, o)
		if err != nil {
			return err
		}
		if err := reports.Terminal(os.Stdout, outcome.Verdict, outcome.History, style()); err != nil {
			return cannot(err)
		}
		printRest(outcome)
		if err := writeOutputs(outcome.Outputs); err != nil {
			return cannot(err)
		}
		return exit(outcome.Exit)
	}
	return c
}

// gcPercent lets the heap grow to five times what is live before it is collected.
// A storm allocates much and keeps little: time GOGC=100 make storm against make
// storm to see what it is worth. GOGC in the environment wins.
const gcPercent = 400

func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// printRest says what the verdict does not: thresholds, and the troubles of the
// harness itself.
func printRest(o *run.Outcome) {
	for _, t := range o.Thresholds {
		switch {
		case t.NoData:
			fmt.Printf("threshold %s %s: no data\n", t.Metric, t.Expr)
		case !t.OK:
			fmt.Printf("threshold %s %s: failed, it is %.6g\n", t.Metric, t.Expr, t.Value)
		}
	}
	for _, trouble := range o.Troubles {
		fmt.Fprintln(os.Stderr, "mcpstorm:", trouble)
	}
	if len(o.Charts) > 0 {
		fmt.Println("chart", o.Charts[0])
	}
}

// writeOutputs writes what the script's handleSummary returned.
func writeOutputs(outputs map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		var err error
		switch name {
		case "stdout":
			_, err = os.Stdout.Write(outputs[name])
		case "stderr":
			_, err = os.Stderr.Write(outputs[name])
		default:
			err = os.WriteFile(name, outputs[name], 0o644)
		}
		if err != nil {
			return fmt.Errorf("handleSummary: writing %s: %w", name, err)
		}
	}
	return nil
}

// environment reads NAME=VALUE pairs.
func environment(pairs []string) (map[string]string, error) {
	env := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env %s: want NAME=VALUE", pair)
		}
		env[name] = value
	}
	return env, nil
}

// style is how the terminal wants its text.
func style() reports.Style {
	s := reports.Style{Width: 80}
	fd := int(os.Stdout.Fd())
	if !term.IsTerminal(fd) {
		return s
	}
	if width, _, err := term.GetSize(fd); err == nil && width > 40 {
		s.Width = min(width, 120)
	}
	s.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}
