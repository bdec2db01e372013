package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/process"
)

// startTimeout bounds how long a server process may take to say where it listens.
const startTimeout = 10 * time.Second

// child is a reference server that runs as a process of its own: mcpstorm serve.
type child struct {
	command *exec.Cmd
	stdin   io.Closer // the process ends when this closes, as it does when we die
	addr    string
	said    chan string // the first line of its output
	read    chan struct{}
	stderr  strings.Builder
}

// startChild starts a reference server of its own process on an address and waits
// until it says where it listens.
func (a *arm) startChild(ctx context.Context, spec ServerSpec, bugs []string, addr string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("isolating %s: %w", spec.Name, err)
	}
	c := &child{command: exec.Command(program, append(a.childArguments(spec, bugs), "--addr", addr)...), said: make(chan string, 1), read: make(chan struct{})}
	c.command.Stderr = &c.stderr
	// A group of its own: an interrupt at the terminal is ours to handle.
	process.OwnGroup(c.command)
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("isolating %s: %w", spec.Name, err)
	}
	if c.stdin, err = c.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("isolating %s: %w", spec.Name, err)
	}
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("isolating %s: %w", spec.Name, err)
	}
	go c.follow(out)
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case line := <-c.said:
		c.addr, err = addressIn(line)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("isolating %s: %w", spec.Name, err), c.stop(context.Background()))
	}
	return c, nil
}

func (a *arm) childArguments(spec ServerSpec, bugs []string) []string {
	options := a.parent.options
	arguments := []string{
		"serve", spec.Reference, "--until-stdin-closes", "--name", spec.Name, "--era", spec.Era, "--arm", a.spec.Name,
		"--effects", a.parent.writer.Dir(), "--seed", strconv.FormatUint(uint64(options.Seed), 10),
		"--turns", strconv.Itoa(spec.Turns), "--turn-latency", spec.TurnLatency.String(), "--tool-latency", spec.ToolLatency.String(),
		"--state-latency", spec.StateLatency.String(), "--state-failures", strconv.FormatFloat(spec.StateFailures, 'g', -1, 64),
		"--cycle", strconv.Itoa(a.parent.cycle()), "--admit", strconv.Itoa(spec.Admit),
		"--sse-lines", strconv.Itoa(spec.Framing.Lines), "--sse-line-end", spec.Framing.LineEnd,
	}
	for block, scenario := range a.scenarios {
		arguments = append(arguments, "--block", fmt.Sprintf("%d=%s", block, scenario))
	}
	for flag, set := range map[string]bool{"--stateful": spec.Stateful, "--sse": spec.SSE, "--resumable": spec.Resumable, "--durable": spec.durable(a.kinds[spec.Name])} {
		if set {
			arguments = append(arguments, flag)
		}
	}
	if len(bugs) > 0 {
		arguments = append(arguments, "--bug", strings.Join(bugs, ","))
	}
	return arguments
}

// follow passes the first line on and reads the rest away.
func (c *child) follow(out io.Reader) {
	defer close(c.read)
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n') // at the end of the output there is no line, and said stays empty
	c.said <- line
	_, _ = io.Copy(io.Discard, lines)
}

// addressIn finds HOST:PORT in "serving http://HOST:PORT/r/ROLLOUT/mcp".
func addressIn(line string) (string, error) {
	_, where, ok := strings.Cut(strings.TrimSpace(line), "serving ")
	u, err := url.Parse(where)
	if !ok || err != nil || u.Host == "" {
		return "", fmt.Errorf("the server process said %q in place of its address", strings.TrimSpace(line))
	}
	return u.Host, nil
}

// kill ends the process at once, as a crash would, and waits until it is gone.
func (c *child) kill() error {
	if err := c.command.Process.Kill(); err != nil {
		return fmt.Errorf("killing process %d: %w", c.command.Process.Pid, err)
	}
	<-c.read
	_ = c.command.Wait() // it tells of the kill, and closes standard input
	return nil
}

// deathError says how a server process ended that was neither asked nor made to.
type deathError struct{ history.Death }

func (e *deathError) Error() string { return e.How }

// stop ends the process: politely, and by force when ctx ends first. Its error
// says that the server's record of its executions may not be whole; it is a *deathError
// where the process had not waited for this end.
func (c *child) stop(ctx context.Context) error {
	unwatch := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() })
	died := c.gone()
	_ = c.stdin.Close() // this is what ends it
	<-c.read
	err := c.command.Wait()
	forced := !unwatch()
	switch signal := process.KilledBy(c.command.ProcessState); {
	case signal > 0 && !forced:
		return &deathError{history.Death{Signal: signal, How: fmt.Sprintf("was killed by signal %d", signal)}}
	case died:
		how := fmt.Sprintf("ended by itself (%s: %s)", c.command.ProcessState, strings.TrimSpace(c.stderr.String()))
		return &deathError{history.Death{How: how}}
	case err != nil:
		return fmt.Errorf("process %d: %w: %s", c.command.Process.Pid, err, strings.TrimSpace(c.stderr.String()))
	}
	return nil
}

// gone reports whether the process has ended already.
func (c *child) gone() bool {
	select {
	case <-c.read:
		return true
	default:
		return false
	}
}
