package main

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/xk6-mcp/run"
)

func inspectCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "inspect SCRIPT",
		Short: "Print what a script's options and storm come to, and start nothing",
		Example: `  mcpstorm inspect scenarios/user-turns.js
  mcpstorm inspect scenarios/user-turns.js --vus 24 --policy at-most-once`,
		Args: needs("SCRIPT"),
	}
	f.bind(c)
	f.bindK6(c, false)
	c.RunE = func(c *cobra.Command, args []string) error {
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
		inspection, err := run.Inspect(c.Context(), o)
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		if err := out.Encode(inspection); err != nil {
			return cannot(err)
		}
		return nil
	}
	return c
}
