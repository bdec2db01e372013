package usersim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/usersim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// effects keeps the records of a server, and fails where fail says so.
type effects struct {
	fail func(history.Effect) error // nil: never

	mu  sync.Mutex
	all []history.Effect
}

func (s *effects) Effect(e history.Effect) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(e); err != nil {
			return err
		}
	}
	s.all = append(s.all, e)
	return nil
}

func (s *effects) list() []history.Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]history.Effect(nil), s.all...)
}

func (s *effects) count(kind history.EffectKind) int {
	n := 0
	for _, e := range s.list() {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// brief is an effect without numbers and times.
func (s *effects) brief() []string {
	var out []string
	for _, e := range s.list() {
		line := fmt.Sprintf("%s %s", e.Kind, e.Key)
		if e.Sequence > 0 {
			line += fmt.Sprintf(" #%d", e.Sequence)
		}
		if e.Replayed {
			line += " replayed"
		}
		out = append(out, line)
	}
	return out
}

// sim is a user simulator on loopback, with its records and a client.
type sim struct {
	*effects
	listening *refserver.Listening
	client    *http.Client
}

// start serves a user simulator until the test ends.
func start(t testing.TB, cfg refserver.Config) *sim {
	t.Helper()
	s := &sim{effects: new(effects), client: &http.Client{
		Timeout:   2 * time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64},
	}}
	if cfg.Effects == nil {
		cfg.Effects = s.effects
	} else {
		s.effects = cfg.Effects.(*effects)
	}
	server, err := usersim.Kind().Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s.listening, err = refserver.Serve(context.Background(), "127.0.0.1:0", server, refserver.ServeOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.stop(t) })
	return s
}

// stop closes the server; that effects were lost is for the test to judge.
func (s *sim) stop(t testing.TB) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.client.CloseIdleConnections()
	err := s.listening.Close(ctx)
	if ctx.Err() != nil {
		t.Errorf("the server does not end: %v", err)
	}
	return err
}

func (s *sim) url(rollout string) string { return s.listening.URL() + wire.RolloutPath(rollout) }

// post sends a body and gives the answer's status, header and body.
func (s *sim) post(ctx context.Context, rollout, session string, body []byte) (int, http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url(rollout), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, data, err
}

// rpc sends one request and gives the raw result.
func (s *sim) rpc(ctx context.Context, rollout, method, params string) (json.RawMessage, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	status, _, data, err := s.post(ctx, rollout, "", []byte(body))
	if err != nil {
		return nil, err
	}
	m, err := wire.ParseMessage(data)
	if err != nil || status != http.StatusOK || m.Result == nil {
		return nil, fmt.Errorf("%s: HTTP %d %s (%v)", method, status, data, err)
	}
	return m.Result, nil
}

// call calls respond with raw arguments.
func (s *sim) call(ctx context.Context, rollout, arguments string) (wire.ToolResult, error) {
	var result wire.ToolResult
	raw, err := s.rpc(ctx, rollout, "tools/call", `{"name":"respond","arguments":`+arguments+`}`)
	if err != nil {
		return result, err
	}
	return result, json.Unmarshal(raw, &result)
}

// respond calls respond and gives the result, which may be an error of the tool.
func (s *sim) respond(t testing.TB, rollout, arguments string) wire.ToolResult {
	t.Helper()
	result, err := s.call(context.Background(), rollout, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// payload is what a turn carries.
type payload struct {
	Messages []struct{ Role, Content string }
	Nonce    string
}

// turn calls respond and reads the turn that it must give.
func (s *sim) turn(t testing.TB, rollout, arguments string) payload {
	t.Helper()
	return read(t, s.respond(t, rollout, arguments))
}

func read(t testing.TB, result wire.ToolResult) payload {
	t.Helper()
	var p payload
	if err := json.Unmarshal([]byte(result.Text()), &p); err != nil || result.IsError {
		t.Fatalf("not a turn: %+v (%v)", result, err)
	}
	return p
}
