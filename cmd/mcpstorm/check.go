package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/reports/check"
)

func checkCommand() *cobra.Command {
	var assert, known string
	c := &cobra.Command{
		Use:   "check DIR",
		Short: "Judge a stored run again",
		Example: `  mcpstorm check runs/latest
  mcpstorm check runs/latest --assert all`,
		Args: needs("DIR"),
	}
	c.Flags().StringVar(&assert, "assert", "", `"all" judges by every invariant that this version knows`)
	bindKnown(c.Flags(), &known, "the one that the run was judged with")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if assert != "" && assert != "all" {
			return fmt.Errorf("--assert %s: want all", assert)
		}
		spareCollector()
		stored, err := open(args[0])
		if err != nil && (stored == nil || stored.Manifest.Ended()) { // else a torn last line is no damage
			return cannot(err)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "mcpstorm:", err)
		}
		options := check.Options{All: assert == "all"}
		if known != "" {
			if options.Known, err = readKnown(known, &stored.Manifest); err != nil {
				return err
			}
		}
		verdict := check.Evaluate(stored, options)
		if err := errors.Join(reports.Terminal(os.Stdout, verdict, stored, style()), reports.WriteVerdict(stored.Dir, verdict)); err != nil {
			return cannot(err)
		}
		return exit(reports.ExitCode(verdict.Status))
	}
	return c
}

// memoryBound is how much memory judging takes before the collector works harder to
// take no more: ten million events fit into it. GOMEMLIMIT in the environment wins.
const memoryBound = 3300 << 20

func boundMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryBound)
	}
}

// spareCollector leaves the collector off up to that bound. Judging keeps nearly all that
// it allocates, and to go through it again and again takes as long as to judge it. GOGC
// in the environment wins.
func spareCollector() {
	boundMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(-1)
	}
}

// open reads the run that a path names.
func open(path string) (*history.Run, error) {
	dir, err := history.Resolve(path)
	if err != nil {
		return nil, err
	}
	return history.Open(dir)
}
