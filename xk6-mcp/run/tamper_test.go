package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpstorm/history"
	"mcpstorm/reports/check"
	"mcpstorm/xk6-mcp/run"
)

// half keeps every second of a list.
func half[T any](list []T) (kept []T) {
	for i := 0; i < len(list); i += 2 {
		kept = append(kept, list[i])
	}
	return kept
}

// of keeps what belongs to one arm.
func of[T any](list []T, arm string, armOf func(T) string) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return armOf(v) != arm })
}

// TestAttackedHistory takes from a clean run what its recorders should have written:
// what is left is no proof of anything, and must not be taken for one.
func TestAttackedHistory(t *testing.T) {
	t.Parallel()
	clean := hurry(t, turnsScript, run.Options{Seed: 1})
	if clean.Exit != run.ExitPass {
		t.Fatalf("exit %d: %s", clean.Exit, clean.Verdict.Reason)
	}
	for _, tt := range []struct {
		name   string
		tamper func(*history.Run)
		reason string
	}{
		{"every receipt is lost", func(h *history.Run) { h.Faults = nil }, `no fault was delivered`},
		{"half of the receipts are lost", func(h *history.Run) { h.Faults = half(h.Faults) }, `unexplained: .*no record from the fault layer`},
		{"the receipts are another arm's", func(h *history.Run) {
			for i := range h.Faults {
				h.Faults[i].Arm = "control"
			}
		}, `control, which has no faults, is not clean: \d+ fault records in it`},
		{"receipts of faults that were not planned", func(h *history.Run) {
			for i := range h.Attempts {
				h.Attempts[i].Mark = nil
			}
		}, `the plan does not mark it`},
		{"each receipt tells of another cut", func(h *history.Run) {
			for i := range h.Faults {
				h.Faults[i].Cut = "C7"
			}
		}, `instead of|does not mark`},
		{"every effect is lost", func(h *history.Run) { h.Effects = nil }, `effect logs: sim recorded nothing`},
		{"the effects of the main arm are lost", func(h *history.Run) {
			h.Effects = of(h.Effects, "control", func(e history.Effect) string { return e.Arm })
		}, `effect logs: sim recorded nothing`},
		{"no operation was recorded", func(h *history.Run) { h.Ops = nil }, `operations: 0 of \d+ calls recorded`},
		{"half of the connects were not recorded", func(h *history.Run) {
			connects := 0
			h.Ops = slices.DeleteFunc(h.Ops, func(o history.Op) bool {
				if o.Kind == history.KindConnect {
					connects++
				}
				return o.Kind == history.KindConnect && connects%2 == 0
			})
		}, `operations: \d+ of \d+ calls recorded`},
		{"no exchange was recorded", func(h *history.Run) { h.Attempts = nil }, `plan does not mark it`},
		{"half of the exchanges were recorded", func(h *history.Run) { h.Attempts = half(h.Attempts) }, `plan does not mark it`},
		{"no rollout was recorded", func(h *history.Run) { h.Rollouts = nil }, `planned = started`},
		{"half of the rollouts were recorded", func(h *history.Run) { h.Rollouts = half(h.Rollouts) }, `planned = started`},
		{"the plan of the main arm is the control's", func(h *history.Run) { h.Plan = nil }, `the plan has no such rule`},
		{"the control arm is gone", func(h *history.Run) {
			h.Rollouts = of(h.Rollouts, "main", func(r history.Rollout) string { return r.Arm })
		}, `control`},
		{"the arms' names are swapped", func(h *history.Run) {
			arms := h.Manifest.Arms
			arms[0].Name, arms[1].Name = arms[1].Name, arms[0].Name
		}, `main, which has no faults, is not clean`},
		{"its process was killed", func(h *history.Run) { h.Manifest.State = history.StateRunning }, `state: the run did not end`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := history.Open(clean.Dir)
			if err != nil {
				t.Fatal(err)
			}
			tt.tamper(h)
			v := check.Evaluate(h, check.Options{})
			t.Logf("%s: %s", v.Status, v.Reason)
			if v.Status == history.Pass || !regexp.MustCompile(tt.reason).MatchString(v.Reason) {
				t.Errorf("%s, because %s; want %q", v.Status, v.Reason, tt.reason)
			}
		})
	}
}

// TestDeletedFiles: a file that is gone is missed by what the manifest counted.
func TestDeletedFiles(t *testing.T) {
	t.Parallel()
	clean := hurry(t, turnsScript, run.Options{Seed: 1})
	var counted struct {
		Records map[string]int64 `json:"records"`
	}
	manifest, err := os.ReadFile(filepath.Join(clean.Dir, history.ManifestFile))
	if err != nil || json.Unmarshal(manifest, &counted) != nil {
		t.Fatalf("the manifest: %v", err)
	}
	for _, name := range []string{
		history.PlanFile, history.OpsFile, history.AttemptsFile, history.RolloutsFile, history.FaultsFile,
		history.WireFile("sim"), history.EffectsFile("sim", 1), history.EffectsFile("sim", 2),
	} {
		path := filepath.Join(clean.Dir, name)
		hidden := path + ".gone"
		if err := os.Rename(path, hidden); err != nil {
			t.Fatal(err)
		}
		if _, err := history.Open(clean.Dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := os.Rename(hidden, path); err != nil {
			t.Fatal(err)
		}
	}
}
