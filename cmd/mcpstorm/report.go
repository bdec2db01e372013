package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/docs"
	"mcpstorm/reports"
	"mcpstorm/reports/check"
)

func reportCommand() *cobra.Command {
	var o reports.PublishOptions
	var schema bool
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Judge a stored run, and write its charts and reports again",
		Long: `Judge a stored run, and write everything that is derived from its history again:
verdict.json, summary.json, summary.md, junit.xml, report.html and the charts. The
history itself is not touched.`,
		Example: "  mcpstorm report runs/latest\n  mcpstorm report --schema > summary.schema.json",
		Args: func(c *cobra.Command, args []string) error {
			if schema {
				return cobra.NoArgs(c, args)
			}
			return needs("DIR")(c, args)
		},
	}
	c.Flags().BoolVar(&o.NoCharts, "no-charts", false, "draw nothing")
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of summary.json instead")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if schema {
			_, err := os.Stdout.Write(docs.SummarySchema)
			return err
		}
		return report(args[0], o)
	}
	return c
}

// report does again all that follows once a history is whole.
func report(path string, o reports.PublishOptions) error {
	relaxCollector()
	stored, err := open(path)
	if err != nil {
		return cannot(err)
	}
	verdict := check.Evaluate(stored, check.Options{})
	err = errors.Join(reports.Sweep(stored.Dir), reports.WriteVerdict(stored.Dir, verdict))
	o.Pictures = true
	published, failed := reports.Publish(stored, verdict, o)
	for _, path := range published.Reports {
		fmt.Println("report", path)
	}
	for _, path := range published.Charts {
		fmt.Println("chart", path)
	}
	printUndrawn(published.Undrawn)
	if err := errors.Join(err, failed); err != nil {
		return cannot(err)
	}
	return nil
}

// printUndrawn says which charts the run has nothing to show in.
func printUndrawn(list []reports.Undrawn) {
	for _, u := range list {
		fmt.Println("no chart of", u)
	}
}
