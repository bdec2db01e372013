package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mcpstorm/reports"
	"mcpstorm/reports/check"
)

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "report DIR",
		Short:   "Draw a stored run: timeline.png and .svg, and the comparison of its arms",
		Example: "  mcpstorm report runs/latest",
		Args:    needs("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			stored, err := open(args[0])
			if err != nil {
				return cannot(err)
			}
			paths, err := reports.WriteCharts(stored, check.Evaluate(stored, check.Options{}), stored.Dir)
			for _, path := range paths {
				fmt.Println("chart", path)
			}
			if err != nil {
				return cannot(err)
			}
			return nil
		},
	}
}
