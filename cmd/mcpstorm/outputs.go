package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mcpstorm/history"
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

// shown reports whether the summary of the metrics is written: the script's
// handleSummary can take its place.
func (f *runFlags) shown(o *run.Outcome) bool {
	return o.Summary != nil && o.Outputs == nil && summary.Mode(f.summary) != summary.Disabled
}

// printThresholds says which thresholds do not hold, but for those that the summary of
// the metrics tells: it is of the last arm.
func (f *runFlags) printThresholds(w io.Writer, o *run.Outcome) {
	list := o.Thresholds
	if f.shown(o) {
		list = list[:len(list)-len(o.Summary.Result.Thresholds)]
	}
	style := f.style()
	for _, t := range list {
		name := fmt.Sprintf("threshold %s %s: ", summary.Printable(t.Metric), summary.Printable(t.Expr))
		switch {
		case t.NoData:
			fmt.Fprintln(w, style.Paint(history.Inconclusive, name+"no data"))
		case !t.OK:
			fmt.Fprintln(w, style.Paint(history.Fail, fmt.Sprintf("%sfailed, it is %.6g", name, t.Value)))
		}
	}
}

// showSummary writes the summary of the metrics, and the file that was asked for.
func (f *runFlags) showSummary(w io.Writer, o *run.Outcome) error {
	if o.Summary == nil {
		return nil
	}
	if style := f.style(); f.shown(o) {
		dumb := style.ASCII || os.Getenv("TERM") == "dumb"
		fmt.Fprintln(w)
		if err := summary.Text(w, *o.Summary, summary.Style{Color: style.Color, ASCII: dumb, Width: style.Width}); err != nil {
			return err
		}
	}
	return f.outputs.exportSummary(o)
}

// exportSummary writes the file that was asked for.
func (f *outputFlags) exportSummary(o *run.Outcome) error {
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
