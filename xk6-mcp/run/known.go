package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mcpstorm/history"
	"mcpstorm/reports"
)

// knownFailures reads the list of known failures that was named, or else the one that
// stands beside the script. None is an empty list.
func (o Options) knownFailures() ([]history.KnownFailure, error) {
	path := o.Known
	if path == "" {
		path = filepath.Join(filepath.Dir(o.Script), reports.KnownFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return reports.ReadKnown(path)
}
