package sdk_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/client/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type recorder struct{ attempts []history.Attempt }

func (r *recorder) Attempt(a history.Attempt) { r.attempts = append(r.attempts, a) }

// serve answers as a stateless MCP server does, and lets a test answer the calls.
func serve(t *testing.T, call http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m wire.Message
		json.Unmarshal(body, &m)
		result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		switch {
		case len(m.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
			return
		case m.Method == "tools/call" && call != nil:
			call(w, r)
			return
		case m.Method == "tools/call":
			result = `{"content":[{"type":"text","text":"hello"}],"structuredContent":{"nonce":"n"}}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/r/t000001.1/mcp"
}

// call connects, calls once and closes.
func call(t *testing.T, url string, change ...func(*client.Policy)) (client.Result, *recorder) {
	t.Helper()
	policy, err := client.Preset("go-sdk")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&policy)
	}
	rec := &recorder{}
	c, err := sdk.New(client.Options{
		Server: "sim", URL: url, Task: "t000001", Restart: 1, Policy: policy, Recorder: rec,
		Header: http.Header{"Authorization": {"Bearer s3cr3t"}},
		Clock:  clock.System{}, Base: clock.NewBase(clock.System{}), Random: seed.Root(1).Stream("x"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Connect(t.Context(), "s01"); got.Told != history.ToldOK {
		t.Fatalf("connecting was told %s: %v", got.Told, got.Cause)
	}
	result := c.CallTool(t.Context(), "s02", history.Keyed, wire.ToolCall{Name: "respond", Arguments: json.RawMessage(`{"seq":0}`)})
	c.Close(t.Context(), "s03")
	return result, rec
}

func TestACallIsRecordedAsOurs(t *testing.T) {
	got, rec := call(t, serve(t, nil))
	if got.Told != history.ToldOK || got.Tool.Text() != "hello" || string(got.Tool.StructuredContent) != `{"nonce":"n"}` {
		t.Errorf("told %s, %+v", got.Told, got.Tool)
	}
	var lines []string
	for _, a := range rec.attempts {
		lines = append(lines, fmt.Sprintf("%s a%d.%d %s %s", a.Op, a.Attempt, a.Exchange, a.Role, a.Told))
	}
	want := "t000001/s01 a1.1 initialize ok\nt000001/s01 a1.2 initialized ok\nt000001/s02 a1.1 call ok"
	if strings.Join(lines, "\n") != want {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(lines, "\n"), want)
	}
}

// TestTheSDKIsTakenAtItsWord: it says of a lost answer that the request was
// rejected by the transport.
func TestTheSDKIsTakenAtItsWord(t *testing.T) {
	var executed atomic.Int64
	got, rec := call(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		executed.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	}))
	if got.Told != history.ToldNotExecuted || executed.Load() != 1 {
		t.Errorf("told %s after %d executions (%v); want not_executed after 1", got.Told, executed.Load(), got.Cause)
	}
	if last := rec.attempts[2]; last.Told != history.ToldUnknown || last.Written == 0 {
		t.Errorf("the exchange itself is recorded as %s with %d bytes written, want unknown", last.Told, last.Written)
	}
}

// TestWhatIsSentInTheBackground: after a deadline the SDK sends a cancellation
// from a goroutine of its own. It belongs to the operation that it cancels.
func TestWhatIsSentInTheBackground(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	got, rec := call(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}), func(p *client.Policy) { p.Deadline, p.Grace = 50*time.Millisecond, 200*time.Millisecond })
	if got.Told != history.ToldUnknown {
		t.Errorf("told %s, want unknown", got.Told)
	}
	for _, a := range rec.attempts[2:] {
		if a.Op != "t000001/s02" {
			t.Errorf("%q is recorded under %s, want t000001/s02", a.Role, a.Op)
		}
	}
}

func TestAToolErrorIsNoFailure(t *testing.T) {
	got, _ := call(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`)
	}))
	if got.Told != history.ToldToolError || got.Tool.Text() != "no" {
		t.Errorf("told %s: %v", got.Told, got.Cause)
	}
}

// TestACallWithoutASession opens one first, and is not executed where there is
// nobody to open it with.
func TestACallWithoutASession(t *testing.T) {
	policy := client.Policy{Deadline: 5 * time.Second}
	c, err := sdk.New(client.Options{Server: "sim", URL: "http://127.0.0.1:9/mcp", Policy: policy, Recorder: &recorder{}, Clock: clock.System{}, Base: clock.NewBase(clock.System{})})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.CallTool(t.Context(), "s02", history.Keyed, wire.ToolCall{Name: "x"}); got.Told != history.ToldNotExecuted {
		t.Errorf("told %s, want not_executed", got.Told)
	}
	if _, err := sdk.New(client.Options{URL: "nowhere"}); err == nil {
		t.Error("a bad URL gave no error")
	}
}
