package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcpstorm/history"
)

// seal ends a stored run as one that came to its end, and returns its directory.
func seal(t *testing.T, dir string) string {
	t.Helper()
	edit(t, dir, func(m *history.Manifest) {
		m.State = history.StateFinished
		if err := m.Seal(dir); err != nil {
			t.Fatal(err)
		}
	})
	return dir
}

// edit changes the manifest of a stored run.
func edit(t *testing.T, dir string, change func(*history.Manifest)) {
	t.Helper()
	var m history.Manifest
	data, err := os.ReadFile(filepath.Join(dir, history.ManifestFile))
	if err := errors.Join(err, json.Unmarshal(data, &m)); err != nil {
		t.Fatal(err)
	}
	change(&m)
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	overwrite(t, dir, history.ManifestFile, string(data))
}

// replace puts one text in the place of another of the same length.
func replace(t *testing.T, dir, name, old, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || !bytes.Contains(data, []byte(old)) || len(old) != len(text) {
		t.Fatalf("%s does not hold %q: %v", name, old, err)
	}
	overwrite(t, dir, name, strings.Replace(string(data), old, text, 1))
}

// lines changes the lines of a file.
func lines(t *testing.T, dir, name string, change func([]string)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	list := strings.SplitAfter(string(data), "\n")
	change(list)
	overwrite(t, dir, name, strings.Join(list, ""))
}

// What keeps the number of lines is noticed too.
func TestChangedFilesAreNoticed(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  error
		text  string
	}{
		"one byte": {func(t *testing.T, dir string) {
			replace(t, dir, history.OpsFile, "t000000/s02", "t000000/s03")
		}, history.ErrChanged, history.OpsFile},
		"a line in the place of its neighbour": {func(t *testing.T, dir string) {
			lines(t, dir, history.OpsFile, func(list []string) { list[1] = list[0] })
		}, history.ErrChanged, history.OpsFile},
		"two lines swapped": {func(t *testing.T, dir string) {
			lines(t, dir, history.OpsFile, func(list []string) { list[0], list[1] = list[1], list[0] })
		}, history.ErrChanged, history.OpsFile},
		"the effects of another run": {func(t *testing.T, dir string) {
			replace(t, dir, history.EffectsFile("sim", 1), `"commit"`, `"refuse"`)
		}, history.ErrChanged, history.EffectsFile("sim", 1)},
		"the plan": {func(t *testing.T, dir string) {
			replace(t, dir, history.PlanFile, `"C4"`, `"C3"`)
		}, history.ErrChanged, history.PlanFile},
		"one process more": {func(t *testing.T, dir string) {
			overwrite(t, dir, history.EffectsFile("sim", 2), "")
		}, history.ErrChanged, history.EffectsFile("sim", 2)},
		"other metrics": {func(t *testing.T, dir string) {
			replace(t, dir, history.MetricsFile, "arms", "legs")
		}, history.ErrChanged, history.MetricsFile},
		"no metrics": {func(t *testing.T, dir string) {
			remove(t, dir, history.MetricsFile)
		}, history.ErrMissing, history.MetricsFile},
		"a manifest without records": {func(t *testing.T, dir string) {
			edit(t, dir, func(m *history.Manifest) { m.Records = nil })
		}, history.ErrMissing, "manifest.json says that the run ended, and has lost its records"},
		"a manifest without the effects": {func(t *testing.T, dir string) {
			edit(t, dir, func(m *history.Manifest) {
				m.Arms = []history.Arm{{Name: "main", Servers: []history.Server{{Name: "sim"}}}}
			})
		}, history.ErrChanged, "sim records no effects, and effects.sim.1.ndjson is there"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := store(t, history.WriterOptions{})
			if err := history.WriteMetrics(dir, history.Metrics{}); err != nil {
				t.Fatal(err)
			}
			seal(t, dir)
			if run, err := history.Open(dir); err != nil || run.Unsealed {
				t.Fatalf("whole: %v", err)
			}
			c.spoil(t, dir)
			if _, err := history.Open(dir); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("Open: %v, want %v and %q", err, c.want, c.text)
			}
		})
	}
}

// Samples are no part of what is judged, and are held against their digest where they
// are read.
func TestChangedSamplesAreNoticed(t *testing.T) {
	dir := seal(t, store(t, history.WriterOptions{}))
	none := func(history.Sample) error { return nil }
	if err := history.ReadSamples(dir, none); err != nil {
		t.Fatalf("whole: %v", err)
	}
	replace(t, dir, history.SamplesFile, "iterations", "operations")
	if err := history.ReadSamples(dir, none); !errors.Is(err, history.ErrChanged) {
		t.Errorf("ReadSamples: %v, want ErrChanged", err)
	}
}

// The digests that a writer takes while it writes are those of its files, packed or not.
func TestAWriterSealsWhatItWrote(t *testing.T) {
	for name, above := range map[string]int64{"plain": -1, "packed": 1} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), dirName)
			w, err := history.Create(dir, history.WriterOptions{PackAbove: above})
			if err != nil {
				t.Fatal(err)
			}
			for range 3000 {
				w.Op(history.Op{Op: "t000000/s01"})
				w.Wire(history.Wire{Server: "sim"})
			}
			written, read := history.Manifest{State: history.StateFinished}, history.Manifest{}
			if err := errors.Join(w.Close(), w.Seal(&written), read.Seal(dir), w.Manifest(written)); err != nil {
				t.Fatal(err)
			}
			for file, digest := range read.Digests {
				if written.Digests[file] != digest || written.Records[file] != read.Records[file] {
					t.Errorf("%s: %d lines with %s were written, %d with %s read", file, written.Records[file], written.Digests[file], read.Records[file], digest)
				}
			}
			if run, err := history.Open(dir); err != nil || run.Unsealed || len(run.Ops) != 3000 {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

func TestWhatCannotBeSealed(t *testing.T) {
	w, err := history.Create(filepath.Join(t.TempDir(), dirName), history.WriterOptions{
		OpenFile: func(string) (io.WriteCloser, error) { return &fullDisk{left: 10}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Op(history.Op{})
	<-w.Failed()
	var m history.Manifest
	if err := errors.Join(w.Close(), w.Seal(&m)); !errors.Is(err, syscall.ENOSPC) || m.Digests != nil {
		t.Errorf("Seal: %v with %d digests, want ENOSPC and none", err, len(m.Digests))
	}
	dir := store(t, history.WriterOptions{})
	appendTo(t, dir, history.EffectsFile("sim", 1), `{"arm":"ma`)
	if err := m.Seal(dir); !errors.Is(err, history.ErrTorn) || !strings.Contains(err.Error(), "effects.sim.1.ndjson:2") || m.Digests != nil {
		t.Errorf("Seal: %v with %d digests, want ErrTorn and none", err, len(m.Digests))
	}
}

// A run that did not end has no digests, and is read as far as it got.
func TestUnsealedIsSaid(t *testing.T) {
	run, err := history.Open(store(t, history.WriterOptions{}))
	if err != nil || !run.Unsealed {
		t.Errorf("Open: %v, unsealed %v", err, run != nil && run.Unsealed)
	}
}
