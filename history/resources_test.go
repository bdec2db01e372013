package history_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// What processes held is read back whole: mcpstorm's own, and each process of a
// server under its own number.
func TestResources(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := history.Create(dir, history.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	own := history.Resource{Arm: "main", Phase: history.ResourceCycle, Cycle: 3, Counts: map[string]int64{history.CountSockets: 12}, At: 5}
	w.Resource(own)
	want := []history.Resource{}
	for process := 1; process <= 2; process++ {
		log, err := history.CreateResources(dir, "sim")
		if err != nil {
			t.Fatal(err)
		}
		r := history.Resource{Arm: "main", Server: "sim", Phase: history.ResourceBase, Counts: map[string]int64{history.CountSessions: 0}}
		if err := log.Resource(r); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		r.Process = process
		want = append(want, r)
	}
	if err := w.Manifest(history.Manifest{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := history.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]history.Resource{own}, want...), run.Resources); diff != "" {
		t.Error(diff)
	}
}
