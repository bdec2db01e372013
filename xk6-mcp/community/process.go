package community

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	system "mcpstorm/internal/process"
)

// How a server process ends: its stdin closes; after terminateAfter it gets a
// SIGTERM; when its session's grace is over, its whole process group is killed.
const (
	terminateAfter = closeGrace / 2
	// pipeGrace bounds the wait for what is left in a dead process's stderr, which
	// a process of its own may hold open.
	pipeGrace = 500 * time.Millisecond
)

// process is a server that runs as a child and speaks over stdin and stdout.
type process struct {
	command *exec.Cmd
	stderr  *stderr
}

// newProcess prepares the child, which is killed when life ends. The transport
// starts it, and waits for it when it closes.
func newProcess(life context.Context, s *settings, console io.Writer) (*process, mcp.Transport) {
	p := &process{command: exec.CommandContext(life, s.path, s.args...), stderr: &stderr{name: s.path}}
	if s.debug {
		p.stderr.console = console
	}
	p.command.Env = append(os.Environ(), s.env...)
	p.command.Stderr = p.stderr
	// A group of its own: an interrupt at the terminal is ours to handle, and what
	// the child has started is ended with it.
	system.OwnGroup(p.command)
	p.command.Cancel = func() error { return system.KillGroup(p.command) }
	p.command.WaitDelay = pipeGrace
	return p, &mcp.CommandTransport{Command: p.command, TerminateDuration: terminateAfter}
}

// epitaph says how the process ended and what it last said. It must be called
// after the transport was closed.
func (p *process) epitaph() string {
	var parts []string
	if state := p.command.ProcessState; state != nil {
		parts = append(parts, "the server process ended with "+state.String())
	}
	if last := p.stderr.last(); last != "" {
		parts = append(parts, "on its stderr stands: "+last)
	}
	return strings.Join(parts, "; ")
}

// What is kept of a server's stderr: the end of it, and no line longer than that.
const stderrKept = 1 << 10

// stderr keeps the end of what a server process writes there, and passes its
// lines on to the console, if there is one.
type stderr struct {
	name    string
	console io.Writer // nil without debug

	mu   sync.Mutex
	tail []byte
	line []byte // the beginning of one whose end has not come
}

// Write implements io.Writer.
func (s *stderr) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, data...)
	if extra := len(s.tail) - stderrKept; extra > 0 {
		s.tail = append(s.tail[:0], s.tail[extra:]...)
	}
	if s.console != nil {
		s.pass(data)
	}
	return len(data), nil
}

// pass writes every line that has come whole, or is too long to wait for.
func (s *stderr) pass(data []byte) {
	s.line = append(s.line, data...)
	for {
		line, rest, whole := bytes.Cut(s.line, []byte("\n"))
		if !whole && len(line) < stderrKept {
			return
		}
		// A console that cannot be written to must not stop a run.
		_, _ = io.WriteString(s.console, s.name+": "+strings.TrimRight(string(line), "\r")+"\n")
		s.line = append([]byte(nil), rest...)
	}
}

// last is the last line that was written, as far as it was kept.
func (s *stderr) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.TrimSpace(string(s.tail))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
