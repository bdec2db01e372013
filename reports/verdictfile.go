package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcpstorm/history"
	"mcpstorm/reports/safe"
)

// The errors of this package.
var (
	// ErrNoVerdict says that a run directory holds no verdict.
	ErrNoVerdict = errors.New("reports: no verdict")
	// ErrVerdictSchema says that a verdict was written in a shape that this version
	// does not know.
	ErrVerdictSchema = errors.New("reports: unknown verdict schema")
)

// WriteVerdict writes verdict.json into a run directory in one step, so that a
// reader sees the old one or the new one, whole. Several writers at once are safe:
// the last one wins. Credentials are taken out of its texts.
func WriteVerdict(dir string, v history.Verdict) error {
	data, err := json.MarshalIndent(safe.Redacted(v), "", "  ")
	if err != nil {
		return fmt.Errorf("reports: encoding the verdict: %w", err)
	}
	if err := writeWhole(filepath.Join(dir, history.VerdictFile), append(data, '\n')); err != nil {
		return fmt.Errorf("reports: writing the verdict: %w", err)
	}
	return nil
}

// replace fills a file, closes it and puts it in the place of another.
func replace(part *os.File, path string, data []byte) error {
	_, err := part.Write(data)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}

// ReadVerdict reads verdict.json of a run directory. The error wraps ErrNoVerdict
// where there is none and ErrVerdictSchema for a version that it does not know.
func ReadVerdict(dir string) (history.Verdict, error) {
	path := filepath.Join(dir, history.VerdictFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return history.Verdict{}, fmt.Errorf("%w in %s", ErrNoVerdict, dir)
	}
	if err != nil {
		return history.Verdict{}, fmt.Errorf("reports: reading the verdict: %w", err)
	}
	var v history.Verdict
	if err := json.Unmarshal(data, &v); err != nil {
		return history.Verdict{}, fmt.Errorf("reports: reading %s: %w", path, err)
	}
	if v.Schema != history.Schema {
		return history.Verdict{}, fmt.Errorf("%w: %s says %d, this version reads %d", ErrVerdictSchema, path, v.Schema, history.Schema)
	}
	return v, nil
}
