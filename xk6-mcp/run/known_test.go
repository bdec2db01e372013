package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpstorm/reports"
	"mcpstorm/xk6-mcp/run"
)

// An entry that can excuse nothing is a mistake, and one about another run is none.
func TestKnownFailuresThatExcuseNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, entry string
		arms        []string // main and slow where there are none
		want        string   // empty: the entry is accepted
	}{
		{"an arm", "script: b.js, arm: slow", nil, ""},
		{"an arm without a script", "arm: main", nil, ""},
		{"a misspelt arm", "arm: mian", nil, `a/b.js has no arm "mian"; it has: main, slow; did you mean "main"? Else name the script`},
		{"a misspelt arm of this script", "script: a/b.js, arm: mian", nil, `did you mean "main"?`},
		{"no arm of this script", "script: b.js, arm: other", nil, `a/b.js has no arm "other"; it has: main, slow`},
		{"an arm of another script", "script: c.js, arm: mian", nil, ""},
		{"an arm of who knows which", "arm: other", nil, ""},
		{"an arm in an era, of a run in one", "arm: main@2026-07-28", nil, ""},
		{"an arm, of a run in both eras", "script: b.js, arm: main", []string{"main@2025-11-25", "main@2026-07-28"}, ""},
		{"no era", "arm: main@2026-07-29", nil, `there is no era "2026-07-29"; known: 2025-11-25, 2026-07-28; did you mean "2026-07-28"?`},
		{"a policy", "policy: at-least-once", nil, ""},
		{"policies", "policy: 'sim=settle, tools=lookup'", nil, ""},
		{"a misspelt policy", "policy: setle", nil, `did you mean "settle"?`},
		{"a misspelt policy of one server", "policy: 'sim=settle, tools=lokup'", nil, `did you mean "lookup"?`},
		{"a misspelt policy in another script", "script: c.js, policy: setle", nil, `did you mean "settle"?`},
		{"a bug", "bug: FM-33", nil, ""},
		{"no bug", "bug: FM-99", nil, `there is no bug "FM-99"; known: FM-`},
		{"a misspelt bug", "bug: NO-CANCL", nil, `did you mean "NO-CANCEL"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), reports.KnownFile)
			if err := os.WriteFile(path, []byte("- {invariant: no-hang, reason: x, "+tt.entry+"}"), 0o644); err != nil {
				t.Fatal(err)
			}
			if tt.arms == nil {
				tt.arms = []string{"main", "slow"}
			}
			list, err := run.KnownFailures(path, "a/b.js", tt.arms)
			switch {
			case tt.want == "" && (err != nil || len(list) != 1):
				t.Errorf("%v, %v", list, err)
			case tt.want != "" && (!errors.Is(err, reports.ErrKnown) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "the entry about no-hang")):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// A list beside the script is held against the arms of the run before anything starts.
func TestKnownFailuresOfTheRun(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "list.yaml")
	if err := os.WriteFile(list, []byte("- {invariant: no-hang, reason: x, arm: contrl}"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := start(t, t.Context(), turnsScript, run.Options{Seed: 1, Known: list})
	var failed *run.Error
	if !errors.As(err, &failed) || failed.Code != run.ExitOptions || !strings.Contains(err.Error(), `did you mean "control"?`) {
		t.Errorf("%v", err)
	}
}
