package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/reports/safe"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain DIR TASK",
		Short: "Tell everything about one task in plain words",
		Example: `  mcpstorm explain runs/latest t000017
  mcpstorm explain runs/latest 17
  mcpstorm explain runs/latest t000017.2
  mcpstorm explain runs/latest t000017/s03`,
		Args: needs("DIR", "TASK"),
		RunE: func(_ *cobra.Command, args []string) error {
			stored, err := open(args[0])
			if errors.Is(err, history.ErrTorn) && stored != nil {
				fmt.Fprintln(os.Stderr, "mcpstorm:", err)
			} else if err != nil {
				return cannot(err)
			}
			timeline, err := check.Explain(stored, args[1])
			switch {
			case errors.Is(err, check.ErrTaskForm):
				return err
			case err != nil:
				return cannot(err)
			}
			fmt.Print(safe.All(timeline))
			return nil
		},
	}
}
