package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/xk6-mcp/run"
)

// killScript has all that could be left behind: two server processes, a server of the
// user's own with connections held to it, and faults under way at any moment. It
// would take minutes, so that no signal comes after its end.
const killScript = `
import mcp from 'k6/x/mcp';
export const options = { scenarios: { s: { executor: 'per-vu-iterations', vus: 6, iterations: 1000 } } };
export const storm = {
  servers: {
    sim: { server: 'usersim', isolate: true, turns: 3, turnLatency: '20ms' },
    tools: { server: 'ledger', isolate: true },
    own: { url: 'http://HOST/r/{rollout}/mcp', tools: { get: 'read-only' }, policy: 'verifiers-2134' },
  },
  policy: 'settle',
  faults: [
    { on: 'own', cut: 'C4', manner: 'hold', share: 0.3 }, { on: 'sim', cut: 'C4', share: 0.2 },
    { on: 'tools', cut: 'C3', manner: 'fin', share: 0.2 },
  ],
  arms: { control: false, main: {} },
};
export default function () {
  const rollout = mcp.rollout();
  const user = rollout.connect('sim'), tools = rollout.connect('tools'), own = rollout.connect('own', { deadline: '300ms' });
  for (let turn = user.respond(''); !turn.finished; turn = user.respond('done')) {
    tools.callTool({ name: 'append', arguments: { text: turn.text } });
    try { own.callTool({ name: 'get', arguments: { key: 'k' } }); } catch (e) { if (e.name !== 'McpError') throw e; }
  }
}`

// killEffects is the most effects that the servers record before a run of it is killed.
const killEffects = 120

// storming is a run of killScript as a process of its own.
type storming struct {
	t       *testing.T
	dir     string
	command *exec.Cmd
	out     bytes.Buffer
}

func startStorm(t *testing.T, host string) *storming {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "kill.js")
	if err := os.WriteFile(script, []byte(strings.Replace(killScript, "HOST", host, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &storming{t: t, dir: filepath.Join(dir, "run")}
	s.command = exec.Command("mcpstorm", "run", script, "--no-host-probe", "--no-charts", "--dir", s.dir)
	s.command.Stdout, s.command.Stderr = &s.out, &s.out
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.command.Process.Kill() }) // it has usually ended
	return s
}

// reach waits until the manifest is there and the servers have recorded so many effects.
func (s *storming) reach(effects int) {
	s.t.Helper()
	until(s.t, "the run is under way", func() bool {
		if _, err := os.Stat(filepath.Join(s.dir, history.ManifestFile)); err != nil {
			return false
		}
		lines := 0
		for _, path := range must(filepath.Glob(filepath.Join(s.dir, "effects.*"))) {
			lines += bytes.Count(must(os.ReadFile(path)), []byte("\n"))
		}
		return lines >= effects
	})
}

// TestKilledAtAnyMoment: what the run started is gone with it, and what it wrote can
// be read and is no verdict.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	own := startOwn(t)
	idle := len(socketsOf(own.pid))
	random := seed.Root(1).Stream("kill")
	for i := range 10 {
		effects := random.IntN(killEffects)
		t.Run(fmt.Sprintf("%d after %d effects", i+1, effects), func(t *testing.T) {
			s := startStorm(t, own.host)
			s.reach(effects)
			left := s.leavings()
			if len(left.children) != 2 || len(left.listening) != 5 {
				t.Errorf("it has the children %d and listens at %q: want two servers, and the fault layer before three", left.children, left.listening)
			}
			if err := s.command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = s.command.Wait() // killed
			left.gone(t)
			until(t, "the user's own server is left alone", func() bool { return len(socketsOf(own.pid)) <= idle })
			wantInconclusive(t, s.dir, "the run did not end")
			if i == 0 {
				tear(t, filepath.Join(s.dir, history.OpsFile))
				wantInconclusive(t, s.dir, "the run did not end")
			}
		})
	}
}

// tear leaves a file as a writer does that is killed within a line.
func tear(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"arm":"ma`...), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestStoppedBySignals(t *testing.T) {
	t.Parallel()
	heedHangups(t)
	own := startOwn(t)
	for _, stop := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(stop.String(), func(t *testing.T) {
			s := startStorm(t, own.host)
			s.reach(20)
			left := s.leavings()
			if err := s.command.Process.Signal(stop); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(s.command.Wait()); code != run.ExitStopped {
				t.Errorf("exit %d, want %d:\n%s", code, run.ExitStopped, s.out.String())
			}
			left.gone(t)
			wantInconclusive(t, s.dir, "stopped from outside")
		})
	}
}

// heedHangups lets what a test starts be ended by a hangup, also where the test itself was
// started to outlive one: what a process ignores, its children ignore, and what it
// catches, they do not.
func heedHangups(t *testing.T) {
	t.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
}

// wantInconclusive asks for a history that can be read, and for no verdict on it but
// that it says nothing, for this reason.
func wantInconclusive(t *testing.T, dir, reason string) {
	t.Helper()
	out, err := exec.Command("mcpstorm", "check", dir).CombinedOutput()
	if code := exitCode(err); code != run.ExitInconclusive || !strings.Contains(strings.Join(strings.Fields(string(out)), " "), reason) {
		t.Errorf("check: exit %d, want %d and a verdict, because %s:\n%s", code, run.ExitInconclusive, reason, out)
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// leavings is what a process could leave behind: children, and ports on which it or
// they listen.
type leavings struct {
	children  []int
	listening []string
}

func (s *storming) leavings() (l leavings) {
	l.children = childrenOf(s.command.Process.Pid)
	for _, pid := range append(l.children, s.command.Process.Pid) {
		l.listening = append(l.listening, listeningOf(pid)...)
	}
	return l
}

// gone waits until nothing of it is there any more.
func (l leavings) gone(t *testing.T) {
	t.Helper()
	for _, pid := range l.children {
		until(t, fmt.Sprintf("child %d is gone", pid), func() bool { return syscall.Kill(pid, 0) != nil })
	}
	for _, addr := range l.listening {
		var dialer net.Dialer
		if conn, err := dialer.DialContext(t.Context(), "tcp", addr); err == nil {
			conn.Close()
			t.Errorf("%s still listens", addr)
		}
	}
}

func childrenOf(pid int) (pids []int) {
	for _, path := range must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))) {
		text, _ := os.ReadFile(path) // a thread that has ended has none
		for _, field := range strings.Fields(string(text)) {
			pids = append(pids, must(strconv.Atoi(field)))
		}
	}
	return pids
}

// socketsOf are the inodes of a process's sockets.
func socketsOf(pid int) map[string]bool {
	inodes := map[string]bool{}
	for _, path := range must(filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))) {
		target, _ := os.Readlink(path) // one that was closed meanwhile has no target
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return inodes
}

// listeningOf are the loopback addresses on which a process listens.
func listeningOf(pid int) (addrs []string) {
	own := socketsOf(pid)
	for line := range strings.Lines(string(must(os.ReadFile("/proc/net/tcp")))) {
		// sl local remote state … inode, with the port in hexadecimal
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[3] != "0A" || !own[fields[9]] {
			continue
		}
		_, port, _ := strings.Cut(fields[1], ":")
		addrs = append(addrs, fmt.Sprintf("127.0.0.1:%d", must(strconv.ParseUint(port, 16, 16))))
	}
	return addrs
}

// until waits for something, for a minute at most.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !holds() {
		if (clock.System{}).Sleep(ctx, 5*time.Millisecond) != nil {
			t.Fatalf("never came: %s", what)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ownServer is a ledger that stands in for a server of the user's own.
type ownServer struct {
	host string
	pid  int
}

func startOwn(t *testing.T) ownServer {
	t.Helper()
	command := exec.Command("mcpstorm", "serve", "ledger", "--until-stdin-closes")
	stdin := must(command.StdinPipe())
	out := must(command.StdoutPipe())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = command.Wait() // the tests are over
	})
	line := make([]byte, 256)
	n, err := out.Read(line)
	_, where, ok := strings.Cut(string(line[:n]), "serving http://")
	if err != nil || !ok {
		t.Fatalf("the server said %q: %v", line[:n], err)
	}
	host, _, _ := strings.Cut(where, "/")
	return ownServer{host: host, pid: command.Process.Pid}
}
