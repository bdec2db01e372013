// Package servertest runs a reference server for its tests: on loopback, with
// its effects kept, with a plain HTTP client, and with a clock that a test holds.
package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// Server is a reference server on loopback, with its records and a client. Its
// methods that take a testing.TB are for the test's own goroutine, and the
// others for any.
type Server struct {
	*Effects
	Listening *refserver.Listening
	Client    *http.Client
}

// Start serves a server of this kind until the test ends. The configuration's
// Effects must be nil or *Effects.
func Start(t testing.TB, kind refserver.Kind, cfg refserver.Config) *Server {
	t.Helper()
	s := &Server{Effects: new(Effects), Client: &http.Client{
		Timeout:   2 * time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64},
	}}
	if cfg.Effects == nil {
		cfg.Effects = s.Effects
	} else {
		s.Effects = cfg.Effects.(*Effects)
	}
	server, err := kind.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s.Listening, err = refserver.Serve(context.Background(), "127.0.0.1:0", server, refserver.ServeOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// Stop closes the server; that effects were lost is for the test to judge. It
// may be called again.
func (s *Server) Stop(t testing.TB) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Client.CloseIdleConnections()
	err := s.Listening.Close(ctx)
	if ctx.Err() != nil {
		t.Errorf("the server does not end: %v", err)
	}
	return err
}

// URL is the endpoint of a rollout.
func (s *Server) URL(rollout string) string { return s.Listening.URL() + wire.RolloutPath(rollout) }

// Post sends a body and gives the answer's status, header and body.
func (s *Server) Post(ctx context.Context, rollout, session string, body []byte) (int, http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL(rollout), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, data, err
}

// RPC sends one request to a server that answers with JSON, and gives the raw
// result.
func (s *Server) RPC(ctx context.Context, rollout, method, params string) (json.RawMessage, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	status, _, data, err := s.Post(ctx, rollout, "", []byte(body))
	if err != nil {
		return nil, err
	}
	m, err := wire.ParseMessage(data)
	if err != nil || status != http.StatusOK || m.Result == nil {
		return nil, fmt.Errorf("%s: HTTP %d %s (%v)", method, status, data, err)
	}
	return m.Result, nil
}

// Call calls a tool with raw arguments. The result may be an error of the tool.
func (s *Server) Call(ctx context.Context, rollout, tool, arguments string) (wire.ToolResult, error) {
	var result wire.ToolResult
	raw, err := s.RPC(ctx, rollout, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if err != nil {
		return result, err
	}
	return result, json.Unmarshal(raw, &result)
}

// Read calls a tool that must succeed and reads the payload of its result. It is
// for the test's own goroutine.
func Read[P any](t testing.TB, s *Server, rollout, tool, arguments string) P {
	t.Helper()
	result, err := s.Call(context.Background(), rollout, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return Payload[P](t, result)
}

// Payload reads the payload of a result, which must be the same as text and as
// structured content. It may be called from any goroutine.
func Payload[P any](t testing.TB, result wire.ToolResult) P {
	t.Helper()
	var p P
	if result.IsError {
		t.Errorf("the tool failed: %s", result.Text())
		return p
	}
	if err := json.Unmarshal([]byte(result.Text()), &p); err != nil {
		t.Errorf("payload %s: %v", result.Text(), err)
	}
	SameJSON(t, result.Text(), result.StructuredContent)
	return p
}

// Connect opens a session of the SDK's own client, which is closed when the test
// ends.
func (s *Server) Connect(t testing.TB, rollout string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: s.URL(rollout), HTTPClient: s.Client, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

// SameJSON compares JSON by what it means. It may be called from any goroutine.
func SameJSON(t testing.TB, want string, got []byte) {
	t.Helper()
	var w, g any
	if err := errors.Join(json.Unmarshal([]byte(want), &w), json.Unmarshal(got, &g)); err != nil {
		t.Errorf("want %s, got %s: %v", want, got, err)
		return
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
