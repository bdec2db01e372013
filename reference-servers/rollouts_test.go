package refserver_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	refserver "mcpstorm/reference-servers"
)

const (
	initializeBody = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized    = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	whoBody        = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{}}}`
)

// who is a tool that says whose endpoint it belongs to.
func who(rollout string) refserver.Tool {
	return refserver.Tool{
		Tool: &mcp.Tool{Name: "who", InputSchema: json.RawMessage(`{"type":"object"}`)},
		Call: func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: rollout}}}, nil
		},
	}
}

// completed is the configuration as a kind's New gets it.
func completed(t *testing.T, cfg refserver.Config) refserver.Config {
	t.Helper()
	var got refserver.Config
	if _, err := toy(&got).Open(cfg); err != nil {
		t.Fatal(err)
	}
	return got
}

func newRollouts(t *testing.T, cfg refserver.Config, limit int) *refserver.Rollouts {
	cfg = completed(t, cfg)
	return refserver.NewRollouts(limit, func(rollout string) *refserver.Endpoint {
		return refserver.NewEndpoint(cfg, who(rollout))
	})
}

// serve serves h until the test ends.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	ts := httptest.NewServer(h)
	t.Cleanup(ts.Close)
	return ts.URL
}

// post sends one message and gives the answer and its body.
func post(t *testing.T, url, session, body string) (*http.Response, string) {
	t.Helper()
	resp, data, err := send(t.Context(), url, session, body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}

// send is post for goroutines.
func send(ctx context.Context, url, session, body string) (*http.Response, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp, string(data), err
}

// openSession initializes a session and gives its id.
func openSession(t *testing.T, url string) string {
	t.Helper()
	resp, body := post(t, url, "", initializeBody)
	session := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != http.StatusOK || session == "" {
		t.Fatalf("initialize: %d %q", resp.StatusCode, body)
	}
	if resp, body := post(t, url, session, initialized); resp.StatusCode != http.StatusAccepted {
		t.Fatalf("initialized: %d %q", resp.StatusCode, body)
	}
	return session
}

func TestOtherPathsAreNotFound(t *testing.T) {
	url := serve(t, newRollouts(t, refserver.Config{}, 10))
	for _, path := range []string{"/", "/mcp", "/r//mcp", "/r/t000001.1", "/r/t000001.1/mcp/", "/r/a/b/mcp"} {
		if resp, body := post(t, url+path, "", whoBody); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d %q", path, resp.StatusCode, body)
		}
	}
}

func TestRolloutsAreApart(t *testing.T) {
	url := serve(t, newRollouts(t, refserver.Config{}, 10))
	for _, rollout := range []string{"t000001.1", "t000001.2", "t000001.1"} {
		resp, body := post(t, url+"/r/"+rollout+"/mcp", "", whoBody)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"text":"`+rollout+`"`) {
			t.Errorf("%s: %d %s", rollout, resp.StatusCode, body)
		}
	}
}

// A handler of the SDK that is shared by all paths answers a session id from
// whatever path it comes, and from the conversation that it was issued in. This
// is why each rollout has a handler of its own.
func TestSessionOfAnotherPath(t *testing.T) {
	servers := map[string]*mcp.Server{}
	for _, rollout := range []string{"a", "b"} {
		s := mcp.NewServer(&mcp.Implementation{Name: rollout, Version: "1"}, nil)
		s.AddTool(who(rollout).Tool, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return who(rollout).Call(ctx, nil)
		})
		servers[rollout] = s
		t.Cleanup(func() {
			for session := range s.Sessions() {
				session.Close()
			}
		})
	}
	shared := serve(t, mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return servers[strings.Split(r.URL.Path, "/")[2]]
	}, &mcp.StreamableHTTPOptions{JSONResponse: true}))
	session := openSession(t, shared+"/r/a/mcp")
	if resp, body := post(t, shared+"/r/b/mcp", session, whoBody); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"text":"a"`) {
		t.Errorf("a shared handler no longer bleeds (then Rollouts may be simplified): %d %s", resp.StatusCode, body)
	}

	m := newRollouts(t, refserver.Config{Stateful: true}, 10)
	own := serve(t, m)
	session = openSession(t, own+"/r/a/mcp")
	if resp, body := post(t, own+"/r/b/mcp", session, whoBody); resp.StatusCode != http.StatusNotFound {
		t.Errorf("on another path: %d %s", resp.StatusCode, body)
	}
	if resp, body := post(t, own+"/r/a/mcp", session, whoBody); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"text":"a"`) {
		t.Errorf("on its own path: %d %s", resp.StatusCode, body)
	}
	if err := m.Close(within(t, 10*time.Second)); err != nil {
		t.Error(err)
	}
}

func TestTooManyRollouts(t *testing.T) {
	m := newRollouts(t, refserver.Config{}, 2)
	url := serve(t, m)
	for _, rollout := range []string{"a", "b", "a"} {
		if resp, body := post(t, url+"/r/"+rollout+"/mcp", "", whoBody); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", rollout, resp.StatusCode, body)
		}
	}
	resp, body := post(t, url+"/r/c/mcp", "", whoBody)
	want := "refserver: too many rollouts: \"c\" would be number 3 of at most 2\n"
	if resp.StatusCode != http.StatusServiceUnavailable || body != want {
		t.Errorf("one too many: %d %q", resp.StatusCode, body)
	}
	if m.Len() != 2 {
		t.Errorf("%d rollouts", m.Len())
	}
}

func TestClosedRollouts(t *testing.T) {
	m := newRollouts(t, refserver.Config{Stateful: true}, 10)
	url := serve(t, m)
	openSession(t, url+"/r/a/mcp")
	for range 2 {
		if err := m.Close(within(t, 10*time.Second)); err != nil {
			t.Error(err)
		}
	}
	resp, body := post(t, url+"/r/a/mcp", "", whoBody)
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "closed") {
		t.Errorf("after Close: %d %q", resp.StatusCode, body)
	}
}

func TestEndpointIsBuiltOnce(t *testing.T) {
	cfg := completed(t, refserver.Config{})
	var built atomic.Int64
	url := serve(t, refserver.NewRollouts(10, func(rollout string) *refserver.Endpoint {
		built.Add(1)
		return refserver.NewEndpoint(cfg, who(rollout))
	}))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, _, err := send(t.Context(), url+"/r/a/mcp", "", whoBody); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := built.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestEventStreamAnswers(t *testing.T) {
	url := serve(t, newRollouts(t, refserver.Config{SSE: true}, 10))
	resp, body := post(t, url+"/r/a/mcp", "", whoBody)
	if resp.Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(body, "data: {") {
		t.Errorf("%v %q", resp.Header, body)
	}
}
