package run_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// A run that a full disk ended says so in its manifest, with the reason, and is not taken
// for one under way.
func TestAFullDiskIsKeptInTheManifest(t *testing.T) {
	t.Parallel()
	full := &disk{}
	full.left.Store(50_000)
	o := storm(t, turnsScript, run.Options{Seed: 1, OpenFile: func(path string) (io.WriteCloser, error) {
		file, err := os.Create(path)
		return diskFile{file, full}, err
	}})
	stored, err := history.Open(o.Dir)
	if stored == nil {
		t.Fatal(err)
	}
	m := stored.Manifest
	if m.State != history.StateFailed || len(m.Errors) == 0 || !strings.Contains(m.Errors[0], "no space left on device") || m.Digests != nil || !stored.Unsealed {
		t.Errorf("state %s, %d digests, errors %q", m.State, len(m.Digests), m.Errors)
	}
}

// The files of a run are sealed as it ends, the record of its server among them.
func TestARunIsSealed(t *testing.T) {
	t.Parallel()
	o := storm(t, turnsScript, run.Options{Seed: 1})
	if o.History.Unsealed {
		t.Fatal("not sealed")
	}
	for _, name := range []string{history.OpsFile, history.EffectsFile("sim", 1), history.SamplesFile, history.MetricsFile} {
		if o.History.Manifest.Digests[name] == "" {
			t.Errorf("%s has no digest", name)
		}
	}
	path := filepath.Join(o.Dir, history.EffectsFile("sim", 1))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), `"n":1,`, `"n":2,`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := history.Open(o.Dir); err == nil || !strings.Contains(err.Error(), history.EffectsFile("sim", 1)) {
		t.Errorf("with another effect: %v", err)
	}
}
