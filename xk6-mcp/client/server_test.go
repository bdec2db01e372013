package client_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcpstorm/internal/wire"
)

// asked is one request that the scripted server received.
type asked struct {
	method, rpc, session, hint string
	header                     http.Header
	id                         string
	arguments                  string
	fresh                      bool // the first request of its connection
}

// scripted is a server that answers byte for byte what a test says, so that a
// connection can end in any manner at any point.
type scripted struct {
	listener net.Listener
	// answer returns the raw answer and what becomes of the connection then.
	answer func(n int, a asked) (raw string, end ending)

	mu   sync.Mutex
	seen []asked
	open map[net.Conn]bool
	wait sync.WaitGroup
}

type ending int

const (
	keep ending = iota
	fin
	rst
	hang
)

func serve(t *testing.T, answer func(n int, a asked) (string, ending)) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{listener: listener, answer: answer, open: map[net.Conn]bool{}}
	s.wait.Go(s.accept)
	t.Cleanup(func() {
		listener.Close()
		s.mu.Lock()
		for conn := range s.open {
			conn.Close()
		}
		s.mu.Unlock()
		s.wait.Wait()
	})
	return s
}

func (s *scripted) url() string { return "http://" + s.listener.Addr().String() + "/r/t000001.1/mcp" }

func (s *scripted) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.open[conn] = true
		s.mu.Unlock()
		s.wait.Go(func() { s.converse(conn) })
	}
}

func (s *scripted) converse(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for fresh := true; ; fresh = false {
		r, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(r.Body)
		raw, end := s.take(r, body, fresh)
		io.WriteString(conn, raw)
		switch end {
		case rst:
			conn.(*net.TCPConn).SetLinger(0)
			return
		case fin:
			return
		case hang:
			io.Copy(io.Discard, conn)
			return
		}
	}
}

func (s *scripted) take(r *http.Request, body []byte, fresh bool) (string, ending) {
	var m wire.Message
	json.Unmarshal(body, &m)
	a := asked{
		method: r.Method, rpc: m.Method, session: r.Header.Get("Mcp-Session-Id"), hint: r.Header.Get(wire.OpHeader),
		header: r.Header, id: string(m.ID), arguments: string(m.Params), fresh: fresh,
	}
	s.mu.Lock()
	s.seen = append(s.seen, a)
	n := 0
	for _, other := range s.seen {
		if other.rpc == a.rpc && other.method == a.method {
			n++
		}
	}
	s.mu.Unlock()
	return s.answer(n, a)
}

// requests lists what was received, as "initialize", "tools/call", "DELETE".
func (s *scripted) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, a := range s.seen {
		name := a.rpc
		if name == "" {
			name = a.method
		}
		names = append(names, strings.TrimPrefix(name, "notifications/"))
	}
	return strings.Join(names, " ")
}

func (s *scripted) all() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked(nil), s.seen...)
}

// polite answers the set-up of a session and a call as a good server does.
func polite(a asked) (string, ending) {
	switch {
	case a.method == http.MethodDelete:
		return plain(200, ""), keep
	case a.rpc == "initialize":
		return jsonAnswer(200, result(a.id, `{"protocolVersion":"2025-11-25"}`)), keep
	case a.id == "":
		return plain(202, ""), keep
	}
	return jsonAnswer(200, toolResult(a.id, "hello")), keep
}

// faulty is polite, except for the first n requests of one kind. A # in the raw
// answer stands for the request's id, which has one digit here.
func faulty(kind string, n int, raw string, end ending) func(int, asked) (string, ending) {
	return func(i int, a asked) (string, ending) {
		if (a.rpc == kind || a.method == kind) && i <= n {
			return strings.ReplaceAll(raw, "#", a.id), end
		}
		return polite(a)
	}
}

func result(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func toolResult(id, text string) string {
	return result(id, fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":false}`, text))
}

func jsonAnswer(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

func plain(status int, extra string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\n%sContent-Length: 0\r\n\r\n", status, extra)
}

func stream(events string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + events
}
