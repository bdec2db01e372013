package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
)

// PublishOptions are the settings of Publish.
type PublishOptions struct {
	NoCharts  bool // draw nothing
	NoReports bool // write no report
	Pictures  bool // draw a PNG of every chart, and not only of those in front
}

// Published is what Publish wrote.
type Published struct {
	Charts  []string  // PNG and SVG, the one to look at first in front
	Reports []string  // the report to read first in front
	Undrawn []Undrawn // charts that the run has nothing to show in
}

// Publish draws the charts of a stored run and writes its reports, with the charts in
// them, beside its history. What it made is returned also beside an error: a file that
// cannot be written costs no other. It may be done again at any time, and does not touch
// the history.
func Publish(run *history.Run, v history.Verdict, o PublishOptions) (p Published, failed error) {
	if !o.NoCharts {
		p.Charts, p.Undrawn, failed = stageCharts(run, v, o.Pictures)
	}
	if !o.NoReports {
		written, err := Write(run, v, p.Charts)
		p.Reports, failed = written, errors.Join(failed, err)
	}
	return p, failed
}

// chartStage begins the name of the folder in which charts are drawn.
const chartStage = ".charts-"

// stageCharts draws into a folder of its own, so that each chart comes beside the
// history in one step. An arm that never ran has none, which is no failure.
func stageCharts(run *history.Run, v history.Verdict, pictures bool) (paths []string, undrawn []Undrawn, failed error) {
	stage, err := os.MkdirTemp(run.Dir, chartStage+"*")
	if err != nil {
		return nil, nil, fmt.Errorf("reports: %w", err)
	}
	drawn, undrawn, err := writeCharts(run, v, stage, pictures)
	if !errors.Is(err, chart.ErrNoAttempts) {
		failed = err
	}
	for _, path := range drawn {
		final := filepath.Join(run.Dir, filepath.Base(path))
		if err := os.Rename(path, final); err != nil {
			failed = errors.Join(failed, fmt.Errorf("reports: %w", err))
			continue
		}
		paths = append(paths, final)
	}
	return paths, undrawn, errors.Join(failed, os.RemoveAll(stage))
}
