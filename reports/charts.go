package reports

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcpstorm/history"
	"mcpstorm/reports/chart"
)

// WriteCharts draws a run into a folder, as PNG and SVG: a timeline of every
// judged arm, and the comparison of the arms where there is more than one beside
// control. It returns the paths that it wrote, the one to look at first in front,
// also when one of the others failed.
func WriteCharts(run *history.Run, v history.Verdict, dir string) ([]string, error) {
	paths, failed := chart.WriteTimeline(run, v.Arms, dir)
	rows := policyRows(v)
	if len(rows) < 2 {
		return paths, failed
	}
	figure, err := chart.Policies(rows, chart.Options{Provenance: provenance(run)})
	if err != nil {
		return paths, errors.Join(failed, err)
	}
	for _, out := range []struct {
		name  string
		write func(io.Writer) error
	}{{"policies.svg", figure.WriteSVG}, {"policies.png", figure.WritePNG}} {
		path := filepath.Join(dir, out.name)
		if err := writeFile(path, out.write); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		paths = append([]string{path}, paths...)
	}
	return paths, failed
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

// provenance says where a figure's numbers come from.
func provenance(run *history.Run) string {
	m := &run.Manifest
	text := fmt.Sprintf("mcpstorm run %s · seed %d · %s", m.ID, m.Seed, m.Script.Path)
	if m.Revision != "" {
		text += " · commit " + m.Revision
	}
	return text
}

func writeFile(path string, write func(io.Writer) error) error {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("reports: %w", err)
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return fmt.Errorf("reports: writing %s: %w", path, err)
	}
	return nil
}
