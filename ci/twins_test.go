package ci

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcpstorm/reports/compare"
)

// small is a load that any machine carries. Whether this one was the limit is not what
// is tested.
const small = "--vus 8 --no-host-probe --no-charts"

// twins runs the scripts that the workflows call, in the repository's root as these do,
// with commands that were built for the test.
type twins struct {
	bin, out string
}

func buildTwins(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	for name, pkg := range map[string]string{"mcpstorm": "./cmd/mcpstorm", "nights": "./ci/nights"} {
		build := exec.Command("go", "build", "-o", filepath.Join(bin, name), pkg)
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, out)
		}
	}
	return bin
}

// TestTwins runs the scripts side by side, each test with a folder of its own.
func TestTwins(t *testing.T) {
	bin := buildTwins(t)
	for name, test := range map[string]func(*testing.T, *twins){"nightly": nightlyTwin, "before merge": beforeMergeTwin, "action": actionTwin} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, &twins{bin: bin, out: t.TempDir()})
		})
	}
}

// run runs a script, and gives what it printed and its exit code.
func (w *twins) run(t *testing.T, env []string, script string, args ...string) (string, int) {
	t.Helper()
	command := exec.Command(filepath.Join("ci", script), args...)
	command.Path, command.Dir = filepath.Join("ci", script), ".."
	command.Env = append(os.Environ(), append([]string{
		"MCPSTORM=" + filepath.Join(w.bin, "mcpstorm"), "NIGHTS=" + filepath.Join(w.bin, "nights"), "STORM_FLAGS=" + small,
		"GITHUB_STEP_SUMMARY=" + filepath.Join(w.out, "step-summary.md"),
	}, env...)...)
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", script, err)
	}
	t.Logf("%s %s: exit code %d\n%s", script, strings.Join(args, " "), command.ProcessState.ExitCode(), out)
	return string(out), command.ProcessState.ExitCode()
}

// hasAll checks that what a workflow promises is in the place of its folder out.
func (w *twins) hasAll(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		inside, ok := strings.CutPrefix(path, "out/")
		if !ok {
			t.Errorf("%s is not below out/", path)
			continue
		}
		if info, err := os.Stat(filepath.Join(w.out, inside)); err != nil || info.Size() == 0 {
			t.Errorf("%s was promised, and is not there: %v", path, err)
		}
	}
}

// The nightly workflow as its twins, on one cell of its matrix and twice, as in two
// nights.
func nightlyTwin(t *testing.T, w *twins) {
	t.Helper()
	history, baselines := filepath.Join(w.out, "history", "nights.ndjson"), t.TempDir()
	for night, says := range []string{"No baseline", "mcpstorm compare: no evidence of change"} {
		if err := os.RemoveAll(filepath.Join(w.out, "run")); err != nil {
			t.Fatal(err)
		}
		if _, code := w.run(t, []string{"BASELINES=" + baselines}, "nightly.sh", "user-turns", "2026-07-28", w.out); code != 0 {
			t.Errorf("nightly.sh, night %d: exit code %d", night+1, code)
		}
		if _, code := w.run(t, nil, "nights.sh", history, w.out, filepath.Join(w.out, "night.ndjson")); code != 0 {
			t.Errorf("nights.sh, night %d: exit code %d", night+1, code)
		}
		if text, err := os.ReadFile(filepath.Join(w.out, "compare.md")); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("compare.md of night %d says %q, %v; want %q", night+1, text, err, says)
		}
		m, err := compare.Open(filepath.Join(w.out, "run"))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Save(filepath.Join(baselines, "user-turns-2026-07-28.json")); err != nil {
			t.Fatal(err)
		}
	}
	w.hasAll(t, promised(t, filepath.Join("workflows", "nightly.yml")))
	if text, err := os.ReadFile(history); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the history of two nights is %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(w.out, "step-summary.md")); err != nil || len(text) == 0 {
		t.Errorf("nothing was said in the workflow's summary: %v", err)
	}
	if _, code := w.run(t, nil, "nightly.sh", "nowhere", "2026-07-28", filepath.Join(w.out, "no")); code != 104 {
		t.Errorf("a scenario that is not there: exit code %d, want 104", code)
	}
}

// The workflow before a merge as its twins: a client that got worse, a server under
// test on a port, and a comment by a command in the place of gh.
func beforeMergeTwin(t *testing.T, w *twins) {
	t.Helper()
	out, code := w.run(t, []string{"STORM_FLAGS=--vus 24 --no-host-probe --no-charts", "HEAD_FLAGS=--policy at-most-once", "FAIL_IF=no-spurious-failure rate +0.5pp\nmcp_op_duration p99 +10000%"},
		"compare.sh", "scenarios/user-turns.js", w.out)
	if code != 1 || !strings.Contains(out, "mcpstorm compare: worse") {
		t.Errorf("a worse client: exit code %d", code)
	}
	w.hasAll(t, promised(t, filepath.Join("workflows", "before-merge.yml")))
	said := filepath.Join(w.out, "said")
	gh := filepath.Join(w.bin, "gh")
	if err := os.WriteFile(gh, []byte("#!/bin/sh\necho \"$@\" >"+said+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, code := w.run(t, []string{"GH=" + gh}, "comment.sh", filepath.Join(w.out, "compare.md"), "17"); code != 0 {
		t.Errorf("comment.sh: exit code %d", code)
	}
	if text, err := os.ReadFile(said); err != nil || !strings.HasPrefix(string(text), "pr comment 17 ") {
		t.Errorf("gh was told %q, %v", text, err)
	}
	if _, code := w.run(t, nil, "comment.sh", said, "17;ls"); code != 2 {
		t.Errorf("a number that is none: exit code %d, want 2", code)
	}
}

// The action as the script behind it, with a baseline.
func actionTwin(t *testing.T, w *twins) {
	t.Helper()
	env := []string{"SCRIPT=scenarios/user-turns.js", "FLAGS=" + small, "OUT=" + w.out}
	if _, code := w.run(t, env, "action/run.sh"); code != 0 {
		t.Errorf("exit code %d", code)
	}
	w.hasAll(t, []string{"out/run/verdict.json", "out/run/summary.md", "out/step-summary.md"})
	first := filepath.Join(w.bin, "first")
	if err := os.Rename(filepath.Join(w.out, "run"), first); err != nil {
		t.Fatal(err)
	}
	env = append(env, "BASELINE="+first, "FAIL_IF=failed rate +50pp")
	if _, code := w.run(t, env, "action/run.sh"); code != 0 {
		t.Errorf("with a baseline: exit code %d", code)
	}
	w.hasAll(t, []string{"out/compare.md"})
}

// A baseline that is kept says which commit and host it came from, and is one that its
// scenario can be held against.
func TestBaselines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("baselines", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		m, err := compare.Open(file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if m.Revision == "" || strings.Contains(m.Revision, "+") || m.Host.CPUs == 0 || m.Status != "pass" || m.State != "finished" {
			t.Errorf("%s comes from commit %q, a host of %d CPUs, and is %s", file, m.Revision, m.Host.CPUs, m.Status)
		}
	}
}
