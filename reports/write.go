package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpstorm/history"
)

// Write writes everything that is derived from a history beside it: summary.json,
// junit.xml, summary.md and report.html, each in one step, so that a reader sees the old
// one or the new one, whole. charts are what WriteCharts wrote. It touches no file of the
// history and goes on after a failure, so that one file that cannot be written costs no
// other. It returns the paths that it wrote, the report in front.
func Write(run *history.Run, v history.Verdict, charts []string) (paths []string, failed error) {
	metrics, err := history.ReadMetrics(run.Dir)
	if err != nil {
		failed = fmt.Errorf("reports: %w", err)
	}
	for _, out := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{HTMLFile, func(w io.Writer) error { return HTML(w, run, v, metrics, charts) }},
		{MarkdownFile, func(w io.Writer) error { return Markdown(w, run, v, metrics) }},
		{JUnitFile, func(w io.Writer) error { return JUnit(w, run, v, metrics) }},
		{SummaryFile, func(w io.Writer) error { return JSON(w, run, v, metrics) }},
	} {
		var data bytes.Buffer
		err := out.write(&data)
		if err == nil {
			err = writeWhole(filepath.Join(run.Dir, out.name), data.Bytes())
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("reports: writing %s: %w", out.name, err))
			continue
		}
		paths = append(paths, filepath.Join(run.Dir, out.name))
	}
	return paths, failed
}

// partSuffix ends the name of a file that is not whole yet.
const partSuffix = ".part"

// writeWhole puts a file in the place of another in one step. Several writers at once
// are safe: the last one wins.
func writeWhole(path string, data []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+partSuffix)
	if err != nil {
		return err
	}
	if err := replace(part, path, data); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

// Sweep removes what a writer of reports left unfinished in a run directory when it was
// killed. It must not run beside one that is at work.
func Sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reports: %w", err)
	}
	for _, e := range entries {
		if unfinished(e.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

func unfinished(name string) bool {
	if strings.HasPrefix(name, chartStage) {
		return true
	}
	return strings.HasSuffix(name, partSuffix) && slices.ContainsFunc(
		[]string{HTMLFile, MarkdownFile, JUnitFile, SummaryFile, history.VerdictFile},
		func(file string) bool { return strings.HasPrefix(name, file+".") },
	)
}
