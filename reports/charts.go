package reports

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
	"mcpstorm/reports/safe"
)

// Chart is one chart that was written.
type Chart struct {
	// Path is the PNG's, if there is one, and SVG that of the same picture as an SVG.
	Path, SVG string
	// Title is the finding that it shows, and Alt what it shows in words, for a
	// reader who cannot see it. Both are harmless text without markup: package safe.
	Title, Alt string
}

// Undrawn is a chart that was not drawn, because the run has nothing to show in it.
type Undrawn struct {
	Name   string // what its file would have been called
	Reason string // harmless text, in a few words
}

// String says what was not drawn and why, in a line.
func (u Undrawn) String() string { return u.Name + ": " + u.Reason }

// WriteCharts draws what the end of a run shows of it: every chart as an SVG, and as a
// PNG those that stand in front, which are the comparison of the arms and the
// timelines. An SVG takes a hundredth of a PNG's time; DrawCharts draws all as both. It
// returns the paths that it wrote, the one to look at first in front. A chart that the
// run has no data for is no error, but for a timeline: every arm that ran has one.
func WriteCharts(run *history.Run, v history.Verdict, dir string) ([]string, error) {
	paths, _, err := writeCharts(run, v, dir, false)
	return paths, err
}

// writeCharts is WriteCharts, with a PNG of every chart where pictures are wanted. It
// says what it left out beside.
func writeCharts(run *history.Run, v history.Verdict, dir string, pictures bool) ([]string, []Undrawn, error) {
	plan := planned(run, v)
	for i := range plan {
		plan[i].vector = !pictures && plan[i].name != policiesName && !isTimeline(plan[i].name)
	}
	charts, undrawn, err := write(plan, v, dir)
	return Paths(charts), undrawn, errors.Join(err, missing(run, undrawn))
}

// Paths lists the files of charts, in their order.
func Paths(charts []Chart) (paths []string) {
	for _, c := range charts {
		if c.Path != "" {
			paths = append(paths, c.Path)
		}
		paths = append(paths, c.SVG)
	}
	return paths
}

// missing is an error for the timelines that there should be.
func missing(run *history.Run, undrawn []Undrawn) error {
	if len(chart.JudgedArms(run)) == 0 {
		return fmt.Errorf("%w: run %s has none that is judged", chart.ErrNoArm, run.Manifest.ID)
	}
	var errs []error
	for _, u := range undrawn {
		if isTimeline(u.Name) {
			errs = append(errs, fmt.Errorf("%w: %s", chart.ErrNoAttempts, u.Reason))
		}
	}
	return errors.Join(errs...)
}

// DrawCharts draws every chart that a run has data for into a folder, as PNG and
// SVG, in the order in which a reader wants them, and says which it left out and why.
// The verdict must be that of the run: an inconclusive one is marked as such in every
// chart. The error joins those of the files; charts holds what was written all the
// same.
func DrawCharts(run *history.Run, v history.Verdict, dir string) (charts []Chart, undrawn []Undrawn, err error) {
	return write(planned(run, v), v, dir)
}

// planned is every chart that a run may have, in a reader's order.
func planned(run *history.Run, v history.Verdict) []drawing {
	plan := append(comparison(run, v), perArm(run, v, timelineName, chart.Timeline)...)
	plan = append(plan, perArm(run, v, "outcomes", chart.Outcomes)...)
	plan = append(plan, perArm(run, v, "faults", chart.FaultMap)...)
	plan = append(plan, perArm(run, v, "latency", chart.Latency)...)
	if len(chart.JudgedArms(run)) > 0 {
		recovery := func() (*chart.Figure, error) { return chart.Recovery(run, options(v)) }
		plan = append(plan, drawing{name: "recovery", draw: recovery})
	}
	return plan
}

// What the files of the charts in front are called.
const (
	timelineName = "timeline"
	policiesName = "policies"
)

func isTimeline(name string) bool {
	return name == timelineName || strings.HasPrefix(name, timelineName+"-")
}

// drawing is one chart that may be drawn.
type drawing struct {
	name string // of its files, without a suffix
	draw func() (*chart.Figure, error)
	// vector says that it is wanted as an SVG alone.
	vector bool
}

func options(v history.Verdict) chart.Options {
	return chart.Options{Arms: v.Arms, Recovery: v.Recovery}
}

// perArm plans one chart for each judged arm: NAME, or NAME-ARM where there are
// several.
func perArm(run *history.Run, v history.Verdict, name string, draw func(*history.Run, chart.Options) (*chart.Figure, error)) []drawing {
	var plan []drawing
	arms := chart.JudgedArms(run)
	for _, arm := range arms {
		o, file := options(v), name
		o.Arm = arm
		if len(arms) > 1 {
			file += "-" + url.PathEscape(arm)
		}
		plan = append(plan, drawing{name: file, draw: func() (*chart.Figure, error) { return draw(run, o) }})
	}
	return plan
}

// comparison plans the comparison of the arms, where there is something to compare.
func comparison(run *history.Run, v history.Verdict) []drawing {
	rows := policyRows(v)
	if len(rows) < 2 {
		return nil
	}
	return []drawing{{name: policiesName, draw: func() (*chart.Figure, error) {
		return chart.Policies(rows, chart.Options{Provenance: chart.Provenance(run)})
	}}}
}

// write draws what is planned side by side, and keeps its order.
func write(plan []drawing, v history.Verdict, dir string) (charts []Chart, undrawn []Undrawn, err error) {
	drawn := make([]Chart, len(plan))
	errs := make([]error, len(plan))
	var drawing sync.WaitGroup
	for i, d := range plan {
		drawing.Go(func() { drawn[i], errs[i] = d.write(v, dir) })
	}
	drawing.Wait()
	for i, d := range plan {
		switch {
		case chart.IsEmpty(errs[i]):
			reason := strings.TrimPrefix(errs[i].Error(), chart.ErrNoData.Error()+": ")
			undrawn = append(undrawn, Undrawn{Name: d.name, Reason: safe.Text(reason)})
			errs[i] = nil
		case drawn[i].SVG != "":
			charts = append(charts, drawn[i])
		}
	}
	return charts, undrawn, errors.Join(errs...)
}

// write draws one chart and writes both its files.
func (d drawing) write(v history.Verdict, dir string) (Chart, error) {
	figure, err := d.draw()
	if err != nil {
		return Chart{}, err
	}
	if v.Status == history.Inconclusive {
		figure = figure.Marked(v.Reason)
	}
	stem := filepath.Join(dir, d.name)
	write := figure.WriteFiles
	if d.vector {
		write = figure.WriteVector
	}
	if _, err := write(stem); err != nil {
		return Chart{}, err
	}
	written := Chart{SVG: stem + ".svg", Title: figure.Title(), Alt: figure.Alt()}
	if !d.vector {
		written.Path = stem + ".png"
	}
	return written, nil
}

// policyRows are the arms beside control, in order of declaration.
func policyRows(v history.Verdict) (rows []chart.PolicyRow) {
	for _, arm := range v.Arms {
		if !arm.Control {
			rows = append(rows, chart.PolicyRow{
				Name: arm.Arm, Of: arm.Failed.Of, Failed: arm.Failed, SpuriousFailed: arm.Spurious, Replays: arm.Replayed,
			})
		}
	}
	return rows
}
