package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// serveFlag makes this program the server process. It is not for users.
const serveFlag = "-serve"

// serverProcess is the servers in a process of their own, so that the CPU time of
// this one is the client's and the fault layer's alone.
type serverProcess struct {
	addr    string // host:port
	command *exec.Cmd
	stdin   io.Closer
}

// startServer starts this program once more. The process ends with its standard
// input, so it never outlives this one.
func startServer(ctx context.Context, gogc int) (*serverProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: finding this program: %w", err)
	}
	command := exec.CommandContext(ctx, self, serveFlag)
	command.Env = append(os.Environ(), "GOGC="+strconv.Itoa(gogc))
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: the server process: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: the server process: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("bench: the server process: %w", err)
	}
	s := &serverProcess{command: command, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bench: the server process told no address: %w", err), s.stop())
	}
	s.addr = strings.TrimSpace(line)
	return s, nil
}

// stop ends the server process and waits for it.
func (s *serverProcess) stop() error {
	_ = s.stdin.Close() // it may have ended by itself, which Wait tells
	if err := s.command.Wait(); err != nil {
		return fmt.Errorf("bench: the server process: %w", err)
	}
	return nil
}

// serve is the server process: it tells its address and serves until its input
// ends.
func serve(stdin io.Reader, stdout io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if _, err := fmt.Fprintln(stdout, listener.Addr()); err != nil {
		return fmt.Errorf("bench: telling the address: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(answer)}
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("bench: serving: %w", err)
	}
	return nil
}

// echoPath is where the server sends back what it got. Everywhere else it is a
// stateless MCP server whose every answer is known beforehand.
const echoPath = "/echo"

func answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	if r.URL.Path != echoPath {
		body = mcpAnswer(body)
	}
	if body == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that has gone needs no answer
}

// mcpAnswer is the answer to one JSON-RPC message in the form that our client
// writes, or nil for a notification.
func mcpAnswer(request []byte) []byte {
	rest, ok := bytes.CutPrefix(request, []byte(requestStart))
	if !ok {
		return nil
	}
	id, rest, _ := bytes.Cut(rest, []byte(","))
	answerRest := toolAnswerRest
	if bytes.HasPrefix(rest, []byte(`"method":"initialize"`)) {
		answerRest = initializeAnswerRest
	}
	return slices.Concat([]byte(requestStart), id, answerRest)
}

// The messages, up to the id and from it on.
const (
	requestStart  = `{"jsonrpc":"2.0","id":`
	callRest      = `,"method":"tools/call","params":{"name":"` + toolName + `","arguments":` + toolArguments + `}}`
	toolName      = "append"
	toolArguments = `{"op":"t000001/s02","text":"The quick brown fox jumps over the lazy dog, looks back once, and jumps over it again."}`
)

var initializeAnswerRest = []byte(`,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"stub","version":"1"}}}`)

// toolAnswerRest is padded so that an answer is as long as its call: a call and
// an echo then move the same number of body bytes.
var toolAnswerRest = func() []byte {
	const start, end = `,"result":{"content":[{"type":"text","text":"`, `"}],"isError":false}}`
	return []byte(start + strings.Repeat("x", len(callRest)-len(start)-len(end)) + end)
}()
