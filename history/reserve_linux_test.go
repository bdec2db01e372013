package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fill makes a disk full for the next file that is written in one step.
func fill(t *testing.T, path string) {
	t.Helper()
	if err := os.Symlink("/dev/full", path+".part"); err != nil {
		t.Fatal(err)
	}
}

// The last word of a run comes into the manifest though the disk is full, in place of the
// first one.
func TestAFullDiskTakesTheLastWord(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		state  RunState
		full   bool // and the error says so
	}{
		"a short one":              {"writing ops.ndjson: no space left on device", StateFailed, false},
		"one that does not fit in": {strings.Repeat("x", 100<<10), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ManifestFile)
			if err := writeManifest(path, Manifest{ID: "x", State: StateRunning}); err != nil {
				t.Fatal(err)
			}
			fill(t, path)
			err := writeManifest(path, Manifest{ID: "x", State: StateFailed, Errors: []string{c.reason}})
			if errors.Is(err, syscall.ENOSPC) != c.full {
				t.Fatal(err)
			}
			run := &Run{Dir: dir}
			if err := run.readManifest(); err != nil {
				t.Fatal(err)
			}
			if m := run.Manifest; !c.full && (m.State != c.state || len(m.Errors) != 1 || m.Errors[0] != c.reason) {
				t.Errorf("state %s, errors %q", m.State, m.Errors)
			}
		})
	}
}

// Where what is to be written is too long for its place, the run is put down as failed,
// and the digests of its files go.
func TestWhatDoesNotFitIsFailed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ManifestFile)
	if err := writeManifest(path, Manifest{ID: "x", State: StateRunning}); err != nil {
		t.Fatal(err)
	}
	fill(t, path)
	many := map[string]string{}
	for i := range 1000 {
		many[EffectsFile("sim", i)] = "xxh64:0123456789abcdef"
	}
	if err := writeManifest(path, Manifest{ID: "x", State: StateFinished, Digests: many}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v, want ENOSPC", err)
	}
	run := &Run{Dir: dir}
	if err := run.readManifest(); err != nil {
		t.Fatal(err)
	}
	if m := run.Manifest; m.State != StateFailed || m.Digests != nil || len(m.Errors) != 1 || !strings.Contains(m.Errors[0], "no space left") {
		t.Errorf("state %s, %d digests, errors %q", m.State, len(m.Digests), m.Errors)
	}
}
