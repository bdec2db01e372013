package reports_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/reports"
)

func readKnown(t *testing.T, text string) ([]history.KnownFailure, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), reports.KnownFile)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return reports.ReadKnown(path)
}

func TestReadKnown(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []history.KnownFailure
	}{
		{"nothing", "", []history.KnownFailure{}},
		{"an empty list", "[] # none left\n", []history.KnownFailure{}},
		{"an entry", "- invariant: no-hang\n  reason: see issue 12\n", []history.KnownFailure{{Invariant: "no-hang", Reason: "see issue 12"}}},
		{
			"all that an entry can say",
			"- {invariant: no-unsafe-replay, script: scenarios/a.js, arm: main, policy: at-least-once, bug: FM-24, reason: as shipped, until: 2027-01-31}",
			[]history.KnownFailure{{
				Invariant: "no-unsafe-replay", Script: "scenarios/a.js", Arm: "main", Policy: "at-least-once", Bug: "FM-24", Reason: "as shipped", Until: "2027-01-31",
			}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readKnown(t, c.text)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

func TestReadKnownRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no list", "no-hang: why", "line 1: want a list"},
		{"no entry", "- no-hang", "line 1: want an entry"},
		{"a misspelt field", "- invariant: no-hang\n  reson: x\n", `line 2: an entry has no field "reson"; it has: invariant, script, arm, policy, bug, reason, until; did you mean "reason"?`},
		{"a misspelt invariant", "- {invariant: no-hangs, reason: x}", `did you mean "no-hang"?`},
		{"coverage", "- {invariant: coverage, reason: x}", `there is no invariant "coverage" to list`},
		{"no invariant", "- {reason: x}", "names no invariant"},
		{"no reason", "- {invariant: no-hang}", "gives no reason"},
		{"an empty reason", "- {invariant: no-hang, reason: ''}", "reason must be a text that is not empty"},
		{"no text", "- {invariant: no-hang, reason: [x]}", "reason must be a text"},
		{"two of a field", "- {invariant: no-hang, reason: x, reason: y}", "two fields reason"},
		{"no day", "- {invariant: no-hang, reason: x, until: soon}", `until is "soon", want a day such as 2027-01-31`},
		{"an entry twice", "- {invariant: no-hang, reason: x}\n- {invariant: no-hang, reason: x}", "line 2: the entry stands in the list twice"},
		{"two documents", "[]\n---\n[]\n", "more than one document"},
		{"no YAML", "- {", "known-failures.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readKnown(t, c.text)
			if !errors.Is(err, reports.ErrKnown) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := reports.ReadKnown(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
