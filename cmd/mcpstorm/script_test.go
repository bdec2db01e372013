package main

import (
	"bufio"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcpstorm/internal/clock"
)

// atOnce is how many tests run beside each other at least. The command waits more than it
// works: for the pauses between attempts, and for models that think.
const atOnce = 4

func TestMain(m *testing.M) {
	if runtime.GOMAXPROCS(0) < atOnce {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce)) // the command line comes after it
	}
	testscript.Main(m, map[string]func(){"mcpstorm": main, "legacy": legacy})
}

// TestScripts runs the command as its users type it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "ci", "testdata"),
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"truncate":  truncate,
			"interrupt": interrupt,
			"serving":   serving,
		},
	})
}

// setup gives every script the scenarios of the repository.
func setup(env *testscript.Env) error {
	scenarios, err := filepath.Abs(filepath.Join("..", "..", "scenarios"))
	if err != nil {
		return err
	}
	return os.Symlink(scenarios, filepath.Join(env.WorkDir, "scenarios"))
}

// exits CODE COMMAND… runs a command that must end with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := codeOf(ts, err); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func codeOf(ts *testscript.TestScript, err error) int {
	if err == nil {
		return 0
	}
	exit, ok := err.(*exec.ExitError)
	if !ok {
		ts.Fatalf("%v", err)
	}
	return exit.ExitCode()
}

// truncate FILE N cuts the last N bytes off a file.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE N")
	}
	path := ts.MkAbs(args[0])
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-n))
}

// interrupt CODE FILE COMMAND… starts a command, interrupts it once it has
// written something to FILE, and wants this exit code.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt CODE FILE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var out, errs strings.Builder
	command := &exec.Cmd{
		Path: find(ts, args[2]), Args: args[2:], Dir: ts.MkAbs("."),
		Env: append(os.Environ(), "HOME="+ts.MkAbs(".")), Stdout: &out, Stderr: &errs,
	}
	ts.Check(command.Start())
	written := await(ts.MkAbs(args[1]))
	ts.Check(command.Process.Signal(os.Interrupt))
	code := codeOf(ts, command.Wait())
	ts.Logf("%s%s", out.String(), errs.String())
	if !written || code != want {
		ts.Fatalf("%s was written: %t; exit code %d, want %d", args[1], written, code, want)
	}
}

// serving COMMAND… starts a server, waits until it says where it listens, and
// puts that address into $HOST. The server is ended with the script.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serving COMMAND…")
	}
	command := &exec.Cmd{Path: find(ts, args[0]), Args: args, Dir: ts.MkAbs("."), Env: os.Environ()}
	out, err := command.StdoutPipe()
	ts.Check(err)
	ts.Check(command.Start())
	ts.Defer(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	_, where, ok := strings.Cut(strings.TrimSpace(line), "serving http://")
	if !ok {
		ts.Fatalf("the server said %q", line)
	}
	host, _, _ := strings.Cut(where, "/")
	ts.Setenv("HOST", host)
}

// find looks a command up in the script's own path.
func find(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	ts.Fatalf("%s is not in the path", name)
	return ""
}

// await waits until a file holds something, and reports whether it ever did.
func await(path string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return true
		}
		if (clock.System{}).Sleep(ctx, 20*time.Millisecond) != nil {
			return false
		}
	}
}
