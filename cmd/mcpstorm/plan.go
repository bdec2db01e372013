package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/run"
)

func planCommand() *cobra.Command {
	var f runFlags
	var supposed run.Supposed
	var asJSON bool
	c := &cobra.Command{
		Use:   "plan SCRIPT",
		Short: "Print what would break when, and start nothing",
		Example: `  mcpstorm plan scenarios/user-turns.js
  mcpstorm plan scenarios/user-turns.js --seed 7 --rollouts 24 --ops 6 --json`,
		Args: needs("SCRIPT"),
	}
	f.bind(c)
	f.bindK6(c, true)
	c.Flags().IntVar(&supposed.Rollouts, "rollouts", 512, "suppose so many rollouts of each scenario, at most as many as it plans")
	c.Flags().IntVar(&supposed.Ops, "ops", 5, "suppose so many operations of each rollout, the connect included")
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole plan and every mark as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		const most = 1_000_000
		if supposed.Rollouts < 1 || supposed.Ops < 1 || supposed.Ops > most/supposed.Rollouts {
			return fmt.Errorf("--rollouts %d --ops %d: want 1 or more, and at most %d operations in all", supposed.Rollouts, supposed.Ops, most)
		}
		o, err := f.resolve(args[0])
		if err != nil {
			return err
		}
		log, err := f.log.open(os.Stderr)
		if err != nil {
			return err
		}
		defer func() { _ = log.close() }()
		o.Print = log.print
		schedule, err := run.Plan(c.Context(), o, supposed)
		if err != nil {
			return err
		}
		switch {
		case asJSON:
			out := json.NewEncoder(os.Stdout)
			out.SetIndent("", "  ")
			err = out.Encode(schedule)
		case c.Flags().Changed("ops"):
			err = schedule.Text(os.Stdout, f.style())
		default:
			err = cmp.Or(schedule.Text(os.Stdout, f.style()), supposedOps(os.Stdout, schedule, supposed.Ops))
		}
		if err != nil {
			return cannot(err)
		}
		return nil
	}
	return c
}

// supposedOps says below a plan how many operations of a rollout were supposed where
// nobody said, for a script that makes more has marks that are not shown.
func supposedOps(w io.Writer, schedule *reports.Schedule, ops int) error {
	marked := func(a reports.ArmSchedule) bool { return len(a.Marked) > 0 }
	if !slices.ContainsFunc(schedule.Arms, marked) {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nThe marks are those of %d operations a rollout, the connect included, which is a guess: a script\n"+
		"is not run to count its own. --ops N says otherwise, and shows the marks of operations after t…/s%02d.\n", ops, ops)
	return err
}
