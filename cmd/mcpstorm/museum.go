package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/xk6-mcp/run"
	"mcpstorm/xk6-mcp/run/museum"
)

func museumCommand() *cobra.Command {
	var o museum.Options
	var asJSON, markdown bool
	c := &cobra.Command{
		Use:   "museum [FM-NN…]",
		Short: "Plant what is known to be broken, and show that it is caught",
		Example: `  mcpstorm museum
  mcpstorm museum FM-05 --seeds 3`,
	}
	flags := c.Flags()
	flags.IntVar(&o.Seeds, "seeds", 1, "with how many seeds, from 1")
	flags.IntVar(&o.Parallel, "parallel", 0, "runs at once (default: two for each core)")
	flags.BoolVar(&o.Generic, "generic", false, "one plan that knows none of them, in the place of each exhibit's own")
	flags.StringVar(&o.Dir, "dir", "", "keep the histories in this folder (default: they are dropped)")
	flags.BoolVar(&asJSON, "json", false, "print what was shown as JSON")
	flags.BoolVar(&markdown, "markdown", false, "print the table of the README, and run nothing")
	c.RunE = func(_ *cobra.Command, ids []string) error {
		exhibits, err := museum.Find(ids)
		if err != nil {
			return err
		}
		if o.Seeds < 1 || o.Parallel < 0 {
			return fmt.Errorf("--seeds %d --parallel %d: want 1 or more seeds, and no negative number", o.Seeds, o.Parallel)
		}
		if markdown {
			fmt.Print(museum.Markdown(exhibits))
			return nil
		}
		o.IDs = ids
		return showMuseum(o, asJSON)
	}
	return c
}

// showMuseum shows exhibits, and fails unless each is caught and each twin is clean.
func showMuseum(o museum.Options, asJSON bool) error {
	o.Note = func(s museum.Shown) {
		what := s.ID
		if s.Twin {
			what += " twin"
		}
		fmt.Fprintf(os.Stderr, "%s, seed %d: %s\n", what, s.Seed, s.Verdict)
	}
	relaxCollector()
	stop, release := signals()
	defer release()
	rows, err := museum.Show(stop, o)
	if err != nil {
		return cannot(err)
	}
	code := run.ExitPass
	if !museum.AsExpected(rows, o) {
		code = run.ExitViolated
	}
	if asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(rows); err != nil {
			return cannot(err)
		}
		return exit(code)
	}
	for _, r := range rows {
		if o.Generic {
			continue
		}
		if err := museum.Proof(os.Stdout, r); err != nil {
			return cannot(err)
		}
	}
	if err := museum.Table(os.Stdout, rows); err != nil {
		return cannot(err)
	}
	return exit(code)
}
