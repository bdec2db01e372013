package museum_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/xk6-mcp/run/museum"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wing is what the first wing holds (facts: verifiers, and one of our own).
var wing = []string{
	"FM-01", "FM-04", "FM-05", "FM-07", "FM-08", "FM-09", "FM-10", "FM-11", "FM-12", "FM-13", "FM-14", "FM-15",
	"FM-16", "FM-17", "FM-18", "FM-19", "FM-20", "FM-22", "FM-23", "FM-24", "FM-26", "FM-26a", "FM-26b", "FM-31", "FM-33", "FM-59",
}

// TestMuseum: each exhibit is caught by its own invariant and told in plain words, each
// twin is clean, and without a checker exactly its own exhibits go uncaught.
func TestMuseum(t *testing.T) {
	dir := t.TempDir()
	rows, err := museum.Show(t.Context(), museum.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, r := range rows {
		shown = append(shown, r.ID)
		told(t, r)
	}
	if diff := cmp.Diff(wing, shown); diff != "" {
		t.Error(diff)
	}
	if t.Failed() {
		return
	}
	switchedOff(t, rows, dir)
}

// told checks what was shown of one exhibit.
func told(t *testing.T, r museum.Row) {
	t.Helper()
	bug, twin := r.Bug[0], r.Twin[0]
	if !twin.Clean {
		t.Errorf("%s: the twin is not clean: %s", r.ID, twin.Verdict)
	}
	if !bug.Caught || bug.Story == nil {
		t.Errorf("%s: not caught by %s (%s): %s", r.ID, r.Invariant, r.Kind, bug.Verdict)
		return
	}
	if bug.After < 1 || bug.After > bug.Rollouts {
		t.Errorf("%s: caught after %d of %d rollouts", r.ID, bug.After, bug.Rollouts)
	}
	s := bug.Story
	if s.Asked == "" || len(s.Did) == 0 || s.Told == "" || s.Found == "" || s.Wrong == "" || len(s.Events) == 0 {
		t.Errorf("%s: the proof is not whole: %+v", r.ID, s)
	}
}

// switchedOff judges the stored histories without one checker after the other.
func switchedOff(t *testing.T, rows []museum.Row, dir string) {
	t.Helper()
	histories := map[string]*history.Run{}
	off := map[string]bool{}
	for _, r := range rows {
		h, err := history.Open(filepath.Join(dir, r.ID+"-1"))
		if err != nil {
			t.Fatal(err)
		}
		histories[r.ID], off[r.Invariant] = h, true
	}
	for id := range off {
		var uncaught, own []string
		for _, r := range rows {
			if museum.Caught(r.Exhibit, without(histories[r.ID], id)) == nil {
				uncaught = append(uncaught, r.ID)
			}
			if r.Invariant == id {
				own = append(own, r.ID)
			}
		}
		if diff := cmp.Diff(own, uncaught); diff != "" {
			t.Errorf("without %s (-its own +uncaught):\n%s", id, diff)
		}
	}
}

// without is the verdict on a history by every checker but one. no-hang is judged
// whatever is asked for, so its line is taken out.
func without(h *history.Run, id string) history.Verdict {
	var rest []string
	for _, known := range check.Known() {
		if known.ID != id {
			rest = append(rest, known.ID)
		}
	}
	v := check.Evaluate(h, check.Options{Only: rest})
	v.Invariants = slices.DeleteFunc(v.Invariants, func(inv history.Invariant) bool { return inv.ID == id })
	return v
}

func TestTheReadmeIsCurrent(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !museum.Current(string(text), museum.Exhibits()) {
		t.Error("the table in README.md is not what mcpstorm museum --markdown writes")
	}
	if museum.Current(string(text), museum.Exhibits()[1:]) {
		t.Error("a table without an exhibit passes for the README's")
	}
}

func TestFind(t *testing.T) {
	some, err := museum.Find([]string{"FM-26a", "FM-01"})
	if err != nil || len(some) != 2 || some[0].ID != "FM-01" {
		t.Errorf("%+v, %v", some, err)
	}
	_, err = museum.Find([]string{"FM-1"})
	if !errors.Is(err, museum.ErrUnknown) || !strings.Contains(err.Error(), `"FM-1"`) || !strings.Contains(err.Error(), "FM-59") {
		t.Errorf("%v", err)
	}
	if _, err := museum.Show(t.Context(), museum.Options{IDs: []string{"FM-1"}}); !errors.Is(err, museum.ErrUnknown) {
		t.Errorf("%v", err)
	}
}
