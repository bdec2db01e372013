package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/history"
	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/run"
)

func reproduceCommand() *cobra.Command {
	var o run.ReproduceOptions
	var env []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "reproduce DIR",
		Short: "Shrink a violation of a stored run to the fewest faults",
		Example: `  mcpstorm reproduce runs/latest
  mcpstorm reproduce runs/latest --task t000017 --invariant exactly-once-turns --times 50`,
		Args: needs("DIR"),
	}
	flags := c.Flags()
	flags.StringVar(&o.Task, "task", "", "whose violation (default: that of the first proof)")
	flags.StringVar(&o.Invariant, "invariant", "", "which violation of it (default: the first in the verdict)")
	flags.IntVar(&o.Times, "times", 20, "how often each list of faults is tried")
	flags.IntVar(&o.Parallel, "parallel", 8, "rollouts that run side by side, while they are alone")
	flags.StringArrayVarP(&env, "env", "e", nil, "NAME=VALUE for the script's __ENV, which a history does not hold")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.RunE = func(_ *cobra.Command, args []string) (err error) {
		if o.Times < 1 || o.Parallel < 1 {
			return fmt.Errorf("--times %d --parallel %d: want 1 or more", o.Times, o.Parallel)
		}
		if o.Env, err = pairs("--env", env); err != nil {
			return err
		}
		if o.Dir, err = history.Resolve(args[0]); err != nil {
			return cannot(err)
		}
		o.Note = func(s reports.ReproduceStep) { fmt.Fprintln(os.Stderr, s.Text()) }
		relaxCollector()
		stop, release := signals()
		defer release()
		found, err := run.Reproduce(stop, o)
		if err != nil {
			return err
		}
		if !asJSON {
			err = found.Text(os.Stdout, style())
		} else {
			out := json.NewEncoder(os.Stdout)
			out.SetIndent("", "  ")
			err = out.Encode(found)
		}
		if err != nil {
			return cannot(err)
		}
		return nil
	}
	return c
}
