package history_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
)

// TestRecall reads what two processes left, both killed within a
// line.
func TestRecall(t *testing.T) {
	dir := t.TempDir()
	for process, keys := range map[int][]string{1: {"a", "b"}, 2: {"c"}} {
		log, err := os.Create(filepath.Join(dir, history.EffectsFile("sim", process)))
		if err != nil {
			t.Fatal(err)
		}
		effects := history.NewEffectLog("sim", log)
		for i, key := range keys {
			if err := effects.Effect(history.Effect{Kind: history.EffectCommit, N: int64(i) + 1, Key: key}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := log.WriteString(`{"kind":"commit","n":`); err != nil {
			t.Fatal(err)
		}
		if err := effects.Close(); err != nil {
			t.Fatal(err)
		}
	}
	recall := func() (keys []string, err error) {
		err = history.RecallEffects(dir, "sim", func(e history.Effect) error {
			keys = append(keys, e.Key)
			return nil
		})
		return keys, err
	}
	if _, err := recall(); err == nil {
		t.Error("a torn line was read")
	}
	for range 2 { // the second time there is nothing to mend
		if err := history.Mend(dir, "sim"); err != nil {
			t.Fatal(err)
		}
	}
	keys, err := recall()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, keys); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
