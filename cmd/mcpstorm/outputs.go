package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/engine"
	"mcpstorm/xk6-mcp/engine/output"
	"mcpstorm/xk6-mcp/engine/summary"
	"mcpstorm/xk6-mcp/run"
)

// outputFlags say where a run's samples and its summary go.
type outputFlags struct {
	out    []string
	export string
}

func (f *outputFlags) bind(c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.out, "out", "o", nil, "where samples go beside the history, as often as given: "+output.Usage())
	flags.StringVar(&f.export, "summary-export", "", "a file for the summary of the metrics as flat JSON")
}

// apply puts the outputs into the options of a run.
func (f *outputFlags) apply(o *run.Options, mode string, log *logger) {
	o.Out, o.Breakdown = f.out, summary.Mode(mode) == summary.Full
	o.Announce = func(line string) { log.note(engine.LevelInfo, line) }
}

// show writes the summary of the metrics, unless the script's handleSummary has
// taken its place, and the file that was asked for.
func (f *outputFlags) show(w io.Writer, o *run.Outcome, mode string, style reports.Style) error {
	if o.Summary == nil {
		return nil
	}
	if o.Outputs == nil && summary.Mode(mode) != summary.Disabled {
		dumb := style.ASCII || os.Getenv("TERM") == "dumb"
		fmt.Fprintln(w)
		if err := summary.Text(w, *o.Summary, summary.Style{Color: style.Color, ASCII: dumb, Width: style.Width}); err != nil {
			return err
		}
	}
	if f.export == "" {
		return nil
	}
	data, err := summary.Export(o.Summary.Result)
	if err == nil {
		err = os.WriteFile(f.export, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("--summary-export: %w", err)
	}
	return nil
}
