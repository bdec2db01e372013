package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcpstorm/xk6-mcp/run"
)

// The digest of a script is that of its runs, and covers what it imports.
func TestScriptDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("turns.js", "export const turns = 1;")
	write("script.js", `
import mcp from 'k6/x/mcp';
import { turns } from './turns.js';
export const options = { iterations: 1 };
export const storm = { servers: { sim: { server: 'usersim', turns } } };
export default function () { mcp.rollout().connect('sim').respond(''); }`)
	o := run.Options{Script: filepath.Join(dir, "script.js"), Dir: filepath.Join(dir, "run"), Seed: 1, NoHostProbe: true, NoCharts: true}
	outcome, err := run.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	first, err := run.ScriptDigest(t.Context(), o)
	if want := outcome.History.Manifest.Script.SHA256; err != nil || first != want {
		t.Errorf("ScriptDigest: %s, %v, want that of the manifest, %s", first, err, want)
	}
	write("turns.js", "export const turns = 2;")
	if again, err := run.ScriptDigest(t.Context(), o); err != nil || again == first {
		t.Errorf("ScriptDigest after an import changed: %s, %v, want another", again, err)
	}
	o.Script = filepath.Join(dir, "none.js")
	var failed *run.Error
	if _, err := run.ScriptDigest(t.Context(), o); !errors.As(err, &failed) || failed.Code != run.ExitOptions {
		t.Errorf("ScriptDigest of no script: %v", err)
	}
}
