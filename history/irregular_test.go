//go:build unix

package history_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcpstorm/history"
)

// What stands in a file's place and is none is refused, and not waited for.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	for _, name := range []string{history.ManifestFile, history.OpsFile, history.EffectsFile("sim", 1), history.SamplesFile} {
		dir := store(t, history.WriterOptions{})
		remove(t, dir, name)
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := history.Open(dir)
		if name == history.SamplesFile {
			err = history.ReadSamples(dir, func(history.Sample) error { return nil })
		}
		if !errors.Is(err, history.ErrIrregular) || !strings.Contains(err.Error(), name) {
			t.Errorf("a pipe as %s: %v", name, err)
		}
	}
	dir := store(t, history.WriterOptions{})
	remove(t, dir, history.OpsFile)
	if err := os.Symlink("/dev/zero", filepath.Join(dir, history.OpsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := history.Open(dir); !errors.Is(err, history.ErrIrregular) {
		t.Errorf("a device: %v", err)
	}
}
