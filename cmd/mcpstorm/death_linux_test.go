package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/run"
)

// isolatedScript drives a server of its own process, at whose turns somebody thinks long
// enough for some to be under way at any moment.
const isolatedScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 8, iterations: 1 } } };
export const storm = {
  servers: { sim: { server: 'usersim', isolate: true, turns: 40, turnLatency: '100ms' } },
  policy: 'verifiers-0.2.1', faults: [], arms: { main: {} },
};
export default function () {
  const user = mcp.rollout().connect('sim', { deadline: '2s' });
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done'));
}`

// startScript starts a script as startStorm does killScript.
func startScript(t *testing.T, text string) *storming {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "script.js")
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &storming{t: t, dir: filepath.Join(dir, "run")}
	s.command = exec.Command("mcpstorm", "run", script, "--no-host-probe", "--no-charts", "--no-reports", "--dir", s.dir)
	s.command.Stdout, s.command.Stderr = &s.out, &s.out
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.command.Process.Kill() }) // it has usually ended
	return s
}

// A server process that somebody else kills proves nothing about its client, nor about
// what it promises: no operation that it cut off is a violation.
func TestAServerKilledFromOutside(t *testing.T) {
	t.Parallel()
	s := startScript(t, isolatedScript)
	s.reach(100)
	children := childrenOf(s.command.Process.Pid)
	if len(children) != 1 {
		t.Fatalf("the run has the children %d, want the server", children)
	}
	if err := syscall.Kill(children[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(s.command.Wait()); code != run.ExitInconclusive {
		t.Errorf("exit %d, want %d:\n%s", code, run.ExitInconclusive, s.out.String())
	}
	const reason = "the server process of sim was killed by signal 9, and not by a fault of the plan"
	if said := strings.Join(strings.Fields(s.out.String()), " "); !strings.Contains(said, reason) {
		t.Errorf("it does not say that %s:\n%s", reason, s.out.String())
	}
	wantInconclusive(t, s.dir, reason)
}

// A signal while servers start stops the run as one does later.
func TestStoppedWhileServersStart(t *testing.T) {
	t.Parallel()
	for _, file := range []string{history.ManifestFile, history.EffectsFile("sim", 1)} {
		t.Run(file, func(t *testing.T) {
			s := startScript(t, isolatedScript)
			until(t, file+" is there", func() bool { _, err := os.Stat(filepath.Join(s.dir, file)); return err == nil })
			if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(s.command.Wait()); code != run.ExitStopped {
				t.Errorf("exit %d, want %d:\n%s", code, run.ExitStopped, s.out.String())
			}
			wantInconclusive(t, s.dir, "the run was stopped from outside")
		})
	}
}
