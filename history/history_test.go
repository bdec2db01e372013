package history_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcpstorm/history"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store writes a small history and returns its directory.
func store(t *testing.T, o history.WriterOptions) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := history.Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Manifest(history.Manifest{ID: "x", State: history.StateRunning}); err != nil {
		t.Fatal(err)
	}
	w.Plan(history.PlanRule{Arm: "main", Rule: "r01", On: "sim", Cut: "C4", Manner: "rst", Share: 0.15})
	w.Op(history.Op{Arm: "main", Op: "t000000/s01", Told: history.ToldOK})
	w.Op(history.Op{Arm: "main", Op: "t000000/s02", Told: history.ToldUnknown})
	w.Attempt(history.Attempt{Arm: "main", Op: "t000000/s01", Attempt: 1, Role: history.RoleCall})
	w.Rollout(history.Rollout{Arm: "main", Task: "t000000", Outcome: history.Completed})
	w.Wire(history.Wire{Arm: "main", Server: "sim", Handed: true})
	w.Fault(history.Fault{Arm: "main", Server: "sim", Rule: "r01", State: history.FaultDelivered})
	w.Sample(history.Sample{Arm: "main", Metric: "iterations", Value: 1})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := history.CreateEffects(dir, "sim")
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Effect(history.Effect{Arm: "main", Server: "sim", Kind: history.EffectCommit, N: 1}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	plain, err := history.Open(store(t, history.WriterOptions{PackAbove: -1}))
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.Ops) != 2 || len(plain.Effects) != 1 || len(plain.Wire) != 1 || plain.Faults[0].Rule != "r01" {
		t.Errorf("read back %d ops, %d effects, %d wires and %v", len(plain.Ops), len(plain.Effects), len(plain.Wire), plain.Faults)
	}
	packed, err := history.Open(store(t, history.WriterOptions{PackAbove: 1}))
	if err != nil {
		t.Fatal(err)
	}
	packed.Dir = plain.Dir
	if diff := cmp.Diff(plain, packed); diff != "" {
		t.Errorf("a packed history reads otherwise (-plain +packed):\n%s", diff)
	}
}

func TestPackedFilesReplaceThePlain(t *testing.T) {
	dir := store(t, history.WriterOptions{PackAbove: 1})
	if _, err := os.Stat(filepath.Join(dir, history.OpsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the plain file is still there: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  error
		text  string // must stand in the error
	}{
		{"no manifest", func(t *testing.T, dir string) { remove(t, dir, history.ManifestFile) }, history.ErrNoHistory, dirName},
		{"another schema", func(t *testing.T, dir string) { overwrite(t, dir, history.ManifestFile, `{"schema":99}`) }, history.ErrSchema, "99"},
		{"a manifest that is no JSON", func(t *testing.T, dir string) { overwrite(t, dir, history.ManifestFile, `{`) }, history.ErrCorrupt, "manifest.json:1"},
		{"a torn last line", func(t *testing.T, dir string) { appendTo(t, dir, history.OpsFile, `{"op":"t0000`) }, history.ErrTorn, "ops.ndjson:3"},
		{"a corrupt line in the middle", func(t *testing.T, dir string) {
			appendTo(t, dir, history.OpsFile, "{\"op\":\n{\"op\":\"t\"}\n")
		}, history.ErrCorrupt, "ops.ndjson:3"},
		{"a corrupt effect", func(t *testing.T, dir string) {
			appendTo(t, dir, history.EffectsFile("sim", 1), "]\n")
		}, history.ErrCorrupt, "effects.sim.1.ndjson:2"},
		{"a missing file", func(t *testing.T, dir string) { remove(t, dir, history.FaultsFile) }, os.ErrNotExist, "faults.ndjson"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := store(t, history.WriterOptions{})
			tt.spoil(t, dir)
			_, err := history.Open(dir)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("Open: %v; want %v naming %q", err, tt.want, tt.text)
			}
		})
	}
}

const dirName = "run"

// TestDeepNestingIsAnError and not the end of the process.
func TestDeepNestingIsAnError(t *testing.T) {
	dir := store(t, history.WriterOptions{})
	appendTo(t, dir, history.OpsFile, strings.Repeat("[", 2_000_000)+"\n")
	if _, err := history.Open(dir); !errors.Is(err, history.ErrCorrupt) {
		t.Errorf("Open: %v, want ErrCorrupt", err)
	}
}

func TestGapsInEffectsAreNoted(t *testing.T) {
	dir := store(t, history.WriterOptions{})
	appendTo(t, dir, history.EffectsFile("sim", 1), "{\"server\":\"sim\",\"n\":2}\n{\"server\":\"sim\",\"n\":9}\n{\"server\":\"sim\",\"n\":10}\n")
	run, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []history.Gap{{Server: "sim", File: history.EffectsFile("sim", 1), After: 2, Next: 9}}
	if diff := cmp.Diff(want, run.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

func TestReadSamples(t *testing.T) {
	var metrics []string
	err := history.ReadSamples(store(t, history.WriterOptions{}), func(s history.Sample) error {
		metrics = append(metrics, s.Metric)
		return nil
	})
	if err != nil || len(metrics) != 1 || metrics[0] != "iterations" {
		t.Errorf("read %v, %v", metrics, err)
	}
}

func TestMissingRecordsAreNoticed(t *testing.T) {
	for name, spoil := range map[string]func(dir string){
		"a line less":      func(dir string) { overwrite(t, dir, history.OpsFile, `{"op":"t000000/s01"}`+"\n") },
		"a line more":      func(dir string) { appendTo(t, dir, history.OpsFile, `{"op":"t000000/s01"}`+"\n") },
		"an empty file":    func(dir string) { overwrite(t, dir, history.AttemptsFile, "") },
		"the witness gone": func(dir string) { remove(t, dir, history.WireFile("sim")) },
		"the effects gone": func(dir string) { remove(t, dir, history.EffectsFile("sim", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := seal(t, store(t, history.WriterOptions{}))
			if _, err := history.Open(dir); err != nil {
				t.Fatalf("whole: %v", err)
			}
			spoil(dir)
			if _, err := history.Open(dir); !errors.Is(err, history.ErrMissing) {
				t.Errorf("Open: %v, want ErrMissing", err)
			}
		})
	}
}

func TestTornHistoryIsStillReturned(t *testing.T) {
	dir := store(t, history.WriterOptions{})
	appendTo(t, dir, history.OpsFile, `{"op":"t0000`)
	run, err := history.Open(dir)
	if !errors.Is(err, history.ErrTorn) || run == nil || len(run.Ops) != 2 {
		t.Errorf("Open = %v, %v; want the two whole operations beside ErrTorn", run, err)
	}
}

func TestCreateRefusesAFullDirectory(t *testing.T) {
	dir := store(t, history.WriterOptions{})
	if _, err := history.Create(dir, history.WriterOptions{}); !errors.Is(err, history.ErrExists) {
		t.Errorf("Create: %v, want ErrExists", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, filepath.Dir(file), "file", "x")
	if _, err := history.Create(filepath.Join(file, "run"), history.WriterOptions{}); err == nil {
		t.Error("Create under a file succeeded")
	}
}

// fullDisk takes a number of bytes and then has no space left.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		n := d.left
		d.left = 0
		return n, syscall.ENOSPC
	}
	d.left -= len(p)
	return len(p), nil
}

func (d *fullDisk) Close() error { return nil }

func TestFullDiskIsTold(t *testing.T) {
	w, err := history.Create(filepath.Join(t.TempDir(), "run"), history.WriterOptions{
		OpenFile: func(string) (io.WriteCloser, error) { return &fullDisk{left: 100}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		w.Op(history.Op{Op: "t000000/s01", Told: history.ToldOK})
	}
	<-w.Failed()
	if err := w.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), history.OpsFile) {
		t.Errorf("Close: %v, want ENOSPC naming %s", err, history.OpsFile)
	}
}

// The witnesses' files are there before the run uses up its descriptors, and a manifest
// that comes after the run makes none.
func TestTheManifestMakesTheWitnessesFiles(t *testing.T) {
	of := func(servers ...string) (m history.Manifest) {
		for _, name := range servers {
			m.Arms = append(m.Arms, history.Arm{Name: "main", Servers: []history.Server{{Name: name}}})
		}
		return m
	}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := history.Create(dir, history.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Manifest(of("sim", "tools", "sim")), w.Close(), w.Manifest(of("sim", "tools", "late"))); err != nil {
		t.Fatal(err)
	}
	var m history.Manifest
	if err := m.Seal(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"sim": true, "tools": true, "late": false} {
		if n, there := m.Records[history.WireFile(name)]; n != 0 || there != want {
			t.Errorf("the witness's file of %s is there: %v, with %d records", name, there, n)
		}
	}
	if _, err := history.Open(dir); err != nil {
		t.Error(err)
	}
}

// A run without a descriptor for the witness ends at its start.
func TestNoDescriptorForTheWitness(t *testing.T) {
	w, err := history.Create(filepath.Join(t.TempDir(), "run"), history.WriterOptions{
		OpenFile: func(path string) (io.WriteCloser, error) {
			if filepath.Base(path) == history.WireFile("sim") {
				return nil, syscall.EMFILE
			}
			return &fullDisk{left: 1 << 20}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Manifest(history.Manifest{Arms: []history.Arm{{Servers: []history.Server{{Name: "sim"}}}}}); err != nil {
		t.Fatal(err)
	}
	<-w.Failed()
	if err := w.Close(); !errors.Is(err, syscall.EMFILE) || !strings.Contains(err.Error(), history.WireFile("sim")) {
		t.Errorf("Close: %v, want EMFILE naming %s", err, history.WireFile("sim"))
	}
}

func TestLateRecordIsTold(t *testing.T) {
	w, err := history.Create(filepath.Join(t.TempDir(), "run"), history.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Op(history.Op{})
	if err := w.Err(); !errors.Is(err, history.ErrClosed) {
		t.Errorf("a record after Close: %v, want ErrClosed", err)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	const writers, each = 32, 2000
	dir := filepath.Join(t.TempDir(), "run")
	w, err := history.Create(dir, history.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			for j := range each {
				w.Op(history.Op{Op: fmt.Sprintf("t%06d/s%02d", i, j)})
			}
		})
	}
	wait.Wait()
	if err := errors.Join(w.Manifest(history.Manifest{}), w.Close()); err != nil {
		t.Fatal(err)
	}
	run, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Ops) != writers*each || w.Stalls().Records != writers*each {
		t.Errorf("%d operations were read back, want %d", len(run.Ops), writers*each)
	}
}

// countingFile counts the calls of Write.
type countingFile struct {
	writes int
	data   []byte
}

func (f *countingFile) Write(p []byte) (int, error) {
	f.writes++
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *countingFile) Close() error { return nil }

func TestAnEffectIsOneWrite(t *testing.T) {
	file := &countingFile{}
	log := history.NewEffectLog("effects", file)
	for n := range int64(3) {
		if err := log.Effect(history.Effect{N: n + 1}); err != nil {
			t.Fatal(err)
		}
		if file.writes != int(n)+1 || file.data[len(file.data)-1] != '\n' {
			t.Fatalf("after %d effects: %d writes, last byte %q", n+1, file.writes, file.data[len(file.data)-1])
		}
	}
}

func TestEffectFailureSticks(t *testing.T) {
	log := history.NewEffectLog("effects.sim.1.ndjson", &fullDisk{left: 10})
	for range 2 {
		if err := log.Effect(history.Effect{N: 1}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Effect: %v, want ENOSPC each time", err)
		}
	}
}

func TestEachServerProcessHasItsOwnFile(t *testing.T) {
	dir := t.TempDir()
	for n := 1; n <= 3; n++ {
		log, err := history.CreateEffects(dir, "sim")
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, history.EffectsFile("sim", n))); err != nil {
			t.Error(err)
		}
	}
}

func TestResolve(t *testing.T) {
	dir := store(t, history.WriterOptions{})
	if err := history.WriteLatest(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Dir(dir), filepath.Join(filepath.Dir(dir), history.LatestFile)} {
		got, err := history.Resolve(path)
		if err != nil || got != dir {
			t.Errorf("Resolve(%s) = %s, %v; want %s", path, got, err, dir)
		}
	}
	if _, err := history.Resolve(t.TempDir()); !errors.Is(err, history.ErrNoHistory) {
		t.Errorf("Resolve of an empty directory: %v, want ErrNoHistory", err)
	}
	if _, err := history.Resolve(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Resolve of nothing: %v, want ErrNotExist", err)
	}
}

// A file that names no run is told so, by its path and without its content.
func TestResolveRefusesFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a text":              {"# A title\n\nand a text\n", "latest is a file that names none"},
		"a long line":         {strings.Repeat("long ", 1000), "latest is a file that names none"},
		"nothing":             {"", "latest is a file that names none"},
		"white space":         {" \n", "latest is a file that names none"},
		"a path":              {"../elsewhere\n", "latest is a file that names none"},
		"its parent":          {"..\n", "latest is a file that names none"},
		"its own directory":   {".\n", "latest is a file that names none"},
		"no text":             {"\xff\xfe\x00", "latest is a file that names none"},
		"a run that is gone":  {"20260728-gone\n", "latest names 20260728-gone, which has no manifest.json"},
		"what is no run":      {"empty\n", "latest names empty, which has no manifest.json"},
		"a run, and one more": {"run\nrun\n", "latest is a file that names none"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := filepath.Dir(store(t, history.WriterOptions{}))
			if err := os.Mkdir(filepath.Join(parent, "empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			overwrite(t, parent, history.LatestFile, c.text)
			got, err := history.Resolve(filepath.Join(parent, history.LatestFile))
			if !errors.Is(err, history.ErrNoHistory) || !strings.HasSuffix(err.Error(), c.want) || strings.Contains(err.Error(), "title") {
				t.Errorf("Resolve = %q, %v; want ErrNoHistory and %q", got, err, c.want)
			}
		})
	}
	if _, err := history.Resolve(os.DevNull); !errors.Is(err, history.ErrNoHistory) {
		t.Errorf("Resolve of a device: %v, want ErrNoHistory", err)
	}
}

func overwrite(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, dir, name, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}
