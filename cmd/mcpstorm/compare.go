package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/reports/compare"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	rules, ignore           []string
	force, markdown, asJSON bool
	save, chart             string
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare BASE HEAD…",
		Short: "Say which rates differ between stored runs, and whether by more than chance",
		Long: `Say which rates differ between stored runs, and whether by more than chance.
BASE and each HEAD is a run folder, or a file that --save wrote.

Exit code 1: a rate rose by more than chance, or a budget is exceeded. 2: the runs are
not of the same thing, an arm that BASE judges is judged in HEAD no more, or a budget
was not measured or is undecided, because the interval of the difference reaches from
below it to above: the reason says how many rollouts would decide it. 0: none of these.`,
		Example: `  mcpstorm compare runs/BASE runs/latest
  mcpstorm compare ci/baselines/user-turns-2025-11-25.json runs/latest --fail-if 'no-spurious-failure rate +1pp'
  mcpstorm compare runs/BASE runs/latest --fail-if 'mcp_op_duration p99 +20%' --markdown
  mcpstorm compare runs/latest --save base.json`,
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.rules, "fail-if", nil, "a budget: 'RATE rate +0.5pp', 'mcp_op_duration p99 +20%'; as often as given")
	flags.StringSliceVar(&f.ignore, "ignore", nil, "compare though these differ: state, verdict, script, seed, arms, era, plan, load")
	flags.BoolVar(&f.force, "force", false, "compare whatever differs")
	flags.BoolVar(&f.markdown, "markdown", false, "print Markdown, for a pull request")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.StringVar(&f.chart, "chart", "", "draw the changes into this folder: compare.png and compare.svg")
	flags.StringVar(&f.save, "save", "", "write what a comparison needs of BASE into a small file that stands in for it")
	c.MarkFlagsMutuallyExclusive("markdown", "json")
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && f.save != "" || len(args) > 1 {
			return nil
		}
		return argumentsError(c, "BASE and HEAD, or BASE and --save,", len(args))
	}
	c.RunE = func(_ *cobra.Command, args []string) error { return f.compare(args[0], args[1:]) }
	return c
}

func (f *compareFlags) compare(basePath string, headPaths []string) error {
	options := compare.Options{Ignore: f.ignore, Force: f.force}
	for _, text := range f.rules {
		rule, err := compare.ParseRule(text)
		if err != nil {
			return fmt.Errorf("--fail-if: %w", err)
		}
		options.Rules = append(options.Rules, rule)
	}
	relaxCollector()
	boundMemory()
	base, err := compare.Open(basePath)
	if err != nil {
		return cannot(err)
	}
	if f.save != "" {
		if err := base.Save(f.save); err != nil {
			return cannot(err)
		}
	}
	if len(headPaths) == 0 {
		return nil
	}
	var heads []*compare.Measured
	for _, path := range headPaths {
		head, err := compare.Open(path)
		if err != nil {
			return cannot(err)
		}
		heads = append(heads, head)
	}
	report, err := compare.Compare(base, heads, options)
	if err != nil {
		return fmt.Errorf("--ignore: %w", err)
	}
	if err := f.print(report); err != nil {
		return cannot(err)
	}
	if f.chart != "" {
		if _, err := report.Draw(f.chart); err != nil {
			return cannot(err)
		}
	}
	return exit(report.ExitCode())
}

func (f *compareFlags) print(report *compare.Report) error {
	switch {
	case f.asJSON:
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	case f.markdown:
		return report.Markdown(os.Stdout)
	}
	return report.Text(os.Stdout)
}
