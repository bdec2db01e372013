package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/engine"
)

var errUnwritten = errors.New("not written")

// unclosable is a file of which what was written is lost as it is closed.
type unclosable struct{}

func (unclosable) Write(p []byte) (int, error) { return len(p), nil }
func (unclosable) Close() error                { return errUnwritten }

// A stop that keeps an arm from opening is told as a stop, and what then cannot be closed is
// told beside it.
func TestAStoppedArmKeepsWhatItCouldNotClose(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script.js")
	if err := os.WriteFile(script, []byte(`
import mcp from 'k6/x/mcp';
export const options = { iterations: 1 };
export const storm = { servers: { own: { url: 'http://127.0.0.1:1/{rollout}' } } };
export default function () { mcp.rollout().connect('own'); }`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRun(Options{Script: script, Dir: filepath.Join(dir, "run"), Seed: seed.Root(1)})
	if err := errors.Join(r.load(t.Context()), r.openOutputs(t.Context()), r.record()); err != nil {
		t.Fatal(err)
	}
	defer r.outputs.close()
	r.arms[0].upstreams["sim"] = &upstream{effects: history.NewEffectLog("effects.sim.1", unclosable{})}
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.drive(stop)
	if !errors.Is(err, engine.ErrStopped) {
		t.Errorf("drive: %v, want ErrStopped", err)
	}
	if !slices.ContainsFunc(r.troubles, func(text string) bool { return strings.Contains(text, "closing sim") }) {
		t.Errorf("troubles %q, want that sim was not closed", r.troubles)
	}
	if err := r.writer.Close(); err != nil {
		t.Error(err)
	}
}
