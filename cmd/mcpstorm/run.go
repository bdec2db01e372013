package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/run"
)

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run SCRIPT",
		Short: "Run a scenario script, and print the verdict",
		Example: `  mcpstorm run scenarios/user-turns.js
  mcpstorm run scenarios/user-turns.js --bug FM-01
  mcpstorm run scenarios/user-turns.js --policy sim=at-most-once --seed 7`,
		Args: needs("SCRIPT"),
	}
	f.bind(c)
	f.bindK6(c, true)
	f.outputs.bind(c)
	c.RunE = func(_ *cobra.Command, args []string) error { return f.run(args[0]) }
	return c
}

// bind declares the flags that are mcpstorm's own.
func (f *runFlags) bind(c *cobra.Command) {
	o, flags := &f.options, c.Flags()
	flags.Uint64Var(&f.root, "seed", 1, "the root of all chance: one seed, one fault plan")
	flags.StringArrayVar(&o.Policies, "policy", nil, "client policy: NAME, or SERVER=NAME for one server")
	flags.StringVar(&o.Era, "era", "", "MCP version of every server: 2025-11-25, 2026-07-28, or both (each arm once in each)")
	flags.StringVar(&o.Reissue, "reissue", "", "spec: in the era 2026-07-28, send a call again whose answer broke, as its changelog asks")
	bindKnown(flags, &o.Known, "known-failures.yaml beside the script")
	flags.StringVar(&f.faults, "faults", "", "a JSON file with a fault plan in the place of the script's")
	flags.StringSliceVar(&o.Only, "only", nil, "run only these tasks, with the faults and turns that are theirs: t000017,…")
	flags.StringSliceVar(&o.Bugs, "bug", nil, "plant a bug in the server that has it: FM-NN[,…]")
	flags.DurationVar(&f.latency, "turn-latency", 0, "how long a user simulator thinks (default: the script's)")
	flags.StringVar(&o.Dir, "dir", "", "the run folder (default: runs/<UTC time>-<id>)")
	flags.BoolVar(&f.publish.NoCharts, "no-charts", false, "draw nothing (mcpstorm report draws a stored run)")
	flags.BoolVar(&f.publish.NoReports, "no-reports", false, "write no report (mcpstorm report writes those of a stored run)")
	flags.StringVar(&o.ToxiproxyAPI, "toxiproxy-api", "", "serve toxiproxy's HTTP API at HOST:PORT, to change toxics while the run lasts")
	flags.BoolVar(&o.BypassFaults, "bypass-faults", false, "send clients past the fault layer (tests the harness itself)")
	flags.BoolVar(&o.NoHostProbe, "no-host-probe", false, "do not ask whether the host was the limit (tests on a shared machine)")
	_ = flags.MarkHidden("bypass-faults")
	_ = flags.MarkHidden("no-host-probe")
}

// run runs a script, and prints the verdict.
func (f *runFlags) run(script string) error {
	o, err := f.resolve(script)
	if err != nil {
		return err
	}
	screen := run.NewProgress(os.Stderr, columns(os.Stderr))
	log, err := f.log.open(screen)
	if err != nil {
		return err
	}
	defer func() { _ = log.close() }()
	o.Print, o.Warn, o.NoCharts = log.print, log.warn, true // they are drawn once the verdict is told
	if !f.quiet {
		o.Progress = screen
	}
	f.outputs.apply(&o, f.summary, log)
	for _, stranger := range strangers(os.Environ()) {
		log.warn(stranger)
	}
	relaxCollector()
	stop, recorded, release := signalsTo(screen)
	defer release()
	o.Recorded = recorded
	outcome, err := run.Run(stop, o)
	if errors.Is(err, history.ErrExists) {
		return cannot(fmt.Errorf("%w: give --dir a folder that is empty or not there yet, or leave it out for a new one below runs", err))
	} else if err != nil {
		return err
	}
	if outcome.Plain {
		fmt.Println(plainEnding(outcome))
	} else if err := reports.TerminalBeside(os.Stdout, outcome.Verdict, outcome.History, outcome.Beside(), f.style()); err != nil {
		return cannot(err)
	}
	unpublished := f.report(outcome, log)
	f.printThresholds(os.Stdout, outcome)
	printRest(outcome, o.AllowEmptyThresholds, log)
	if err := f.showSummary(os.Stdout, outcome); err != nil {
		return cannot(err)
	}
	if err := writeOutputs(outcome.Outputs); err != nil {
		return cannot(err)
	}
	if unpublished && outcome.Exit == run.ExitPass {
		fmt.Println(reports.VerdictLine(outcome.Verdict.Status, "its reports could not be written (exit 2)", f.style()))
		return exit(run.ExitInconclusive)
	}
	return exit(outcome.Exit)
}

// report draws the charts of a run and writes its reports. One that cannot be written
// is told, and can be written later.
func (f *runFlags) report(o *run.Outcome, log *logger) (failed bool) {
	if o.Plain {
		return false
	}
	published, err := reports.Publish(o.History, o.Verdict, f.publish)
	o.Charts = published.Charts
	if len(published.Reports) > 0 {
		fmt.Println("report", published.Reports[0])
	}
	printUndrawn(published.Undrawn)
	if err != nil {
		log.note(engine.LevelError, err.Error())
		log.note(engine.LevelError, mends(o))
	}
	return err != nil
}

// mends says whether the reports that could not be written can be written later.
func mends(o *run.Outcome) string {
	if o.History.Manifest.State == history.StateFailed {
		return "the history is not whole either, and no report can mend that: " + o.Dir + " tells as much as was recorded"
	}
	return "the history is kept: mcpstorm report " + o.Dir + " writes what is missing"
}

// columns is how wide a terminal is; zero for anything else.
func columns(file *os.File) int {
	if !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return max(width, 20)
}

// style is how the terminal wants its text.
func (f *runFlags) style() reports.Style {
	s := style()
	s.Color = s.Color && !f.noColor
	return s
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

// plainEnding stands in the place of a verdict where nothing was asserted.
func plainEnding(o *run.Outcome) string {
	if beside := o.Beside(); beside != "" {
		return run.NoStorm + ", but " + beside
	}
	return run.NoStorm
}

// printRest says what the verdict does not: the errors of the script, the troubles of
// the harness itself, and whether it was the limit.
func printRest(o *run.Outcome, allowEmpty bool, log *logger) {
	if !allowEmpty && slices.ContainsFunc(o.Thresholds, func(t engine.ThresholdResult) bool { return t.NoData }) {
		log.warn("--allow-empty-thresholds passes a threshold without data, as k6 does")
	}
	for _, trouble := range slices.Concat(o.Thrown, o.Troubles) {
		log.note(engine.LevelError, trouble)
	}
	if o.Failed != nil {
		log.note(engine.LevelError, o.Failed.Error())
	}
	for _, generator := range o.Generators {
		for _, s := range generator.Scenarios {
			if o.Plain && s.Interrupted > 0 { // no verdict counts them
				log.warn(fmt.Sprintf("scenario %s: iterations interrupted at its end, and not counted: %d", s.Name, s.Interrupted))
			}
		}
		for _, warning := range generator.Warnings() {
			log.warn(warning)
		}
	}
	if len(o.Charts) > 0 {
		fmt.Println("chart", o.Charts[0])
	}
}

// writeOutputs writes what the script's handleSummary returned. What cannot be
// written keeps nothing else from being written.
func writeOutputs(outputs map[string][]byte) error {
	var failed error
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
			failed = errors.Join(failed, fmt.Errorf("handleSummary: writing %s: %w", name, err))
		}
	}
	return failed
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
