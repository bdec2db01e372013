package usersim_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

// The shapes of tools/list and of a result below are those of a server on the
// Python SDK 1.28.1 with the same tool.

func TestToolsList(t *testing.T) {
	s := start(t, refserver.Config{})
	result, err := s.RPC(t.Context(), "t000001.1", "tools/list", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	servertest.SameJSON(t, `{"tools":[{"name":"respond","description":"",
		"inputSchema":{"properties":{"message":{"title":"Message","type":"string"},"seq":{"default":-1,"title":"Seq","type":"integer"}},
			"required":["message"],"title":"respondArguments","type":"object"},
		"outputSchema":{"properties":{"result":{"title":"Result","type":"string"}},
			"required":["result"],"title":"respondOutput","type":"object"}}]}`, result)
}

func TestCallResult(t *testing.T) {
	s := start(t, refserver.Config{Turns: 1})
	for _, finished := range []bool{false, true} {
		raw, err := s.RPC(t.Context(), "t000001.1", "tools/call", `{"name":"respond","arguments":{"message":""}}`)
		if err != nil {
			t.Fatal(err)
		}
		var result wire.ToolResult
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(result.Text())
		if err != nil {
			t.Fatal(err)
		}
		servertest.SameJSON(t, `{"content":[{"type":"text","text":`+string(text)+`}],"structuredContent":{"result":`+string(text)+`},"isError":false}`, raw)
		shape := `^\{"messages":\[\{"role":"user","content":"[^"]+"\}\],"nonce":"[0-9a-f]{16}"\}$`
		if finished {
			shape = `^\{"messages":\[\],"nonce":"[0-9a-f]{16}"\}$`
		}
		if !regexp.MustCompile(shape).MatchString(result.Text()) {
			t.Errorf("payload %s does not match %s", result.Text(), shape)
		}
	}
}

func TestErrorsAreResults(t *testing.T) {
	s := start(t, refserver.Config{})
	for _, tt := range []struct{ name, params, want string }{
		{"no message", `{"name":"respond","arguments":{"seq":0}}`, "Error executing tool respond: invalid argument: message: a string is required"},
		{"message null", `{"name":"respond","arguments":{"message":null}}`, "Error executing tool respond: invalid argument: message: a string is required"},
		{"message a number", `{"name":"respond","arguments":{"message":5}}`, "Error executing tool respond: invalid argument: message: a string is required"},
		{"message in another case", `{"name":"respond","arguments":{"Message":"x"}}`, "Error executing tool respond: invalid argument: message: a string is required"},
		{"seq a text", `{"name":"respond","arguments":{"message":"","seq":"3"}}`, `Error executing tool respond: invalid argument: seq: "3" is not an integer`},
		{"seq a fraction", `{"name":"respond","arguments":{"message":"","seq":1.5}}`, "Error executing tool respond: invalid argument: seq: 1.5 is not an integer"},
		{"seq null", `{"name":"respond","arguments":{"message":"","seq":null}}`, "Error executing tool respond: invalid argument: seq: null is not an integer"},
		{"seq beyond 64 bits", `{"name":"respond","arguments":{"message":"","seq":9223372036854775808}}`, "Error executing tool respond: invalid argument: seq: 9223372036854775808 is not an integer"},
		{"no arguments", `{"name":"respond"}`, "Error executing tool respond: invalid argument: arguments: not an object"},
		{"unknown tool", `{"name":"nope","arguments":{}}`, "Unknown tool: nope"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := s.RPC(t.Context(), "t000001.1", "tools/call", tt.params)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(tt.want)
			servertest.SameJSON(t, `{"content":[{"type":"text","text":`+string(text)+`}],"isError":true}`, raw)
		})
	}
	if n, refused := s.Count(history.EffectCommit), s.Count(history.EffectRefuse); n != 0 || refused != 9 {
		t.Errorf("%d commits, %d refusals", n, refused)
	}
}

func TestStatelessForm(t *testing.T) {
	s := start(t, refserver.Config{})
	status, header, body, err := s.Post(t.Context(), "t000001.1", "", []byte(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp","version":"0.1.0"}}}`))
	if err != nil || status != http.StatusOK || header.Get("Mcp-Session-Id") != "" || header.Get("Content-Type") != "application/json" {
		t.Fatalf("initialize: %d %v %s (%v)", status, header, body, err)
	}
	servertest.SameJSON(t, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"usersim","version":"1"}}}`, body)
	status, _, body, err = s.Post(t.Context(), "t000001.1", "", []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil || status != http.StatusAccepted || len(body) != 0 {
		t.Errorf("initialized: %d %q (%v)", status, body, err)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL("t000001.1"), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, resp.StatusCode)
		}
	}
}

// A client that asks for a newer era is answered in this server's own.
func TestNewerEraIsNotSpoken(t *testing.T) {
	s := start(t, refserver.Config{})
	_, _, body, err := s.Post(t.Context(), "t000001.1", "", []byte(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"mcp","version":"0.1.0"}}}`))
	if err != nil || !strings.Contains(string(body), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("%s (%v)", body, err)
	}
}

func TestWithTheSDKClient(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  refserver.Config
	}{
		{"stateless", refserver.Config{}},
		{"stateless, event streams", refserver.Config{SSE: true}},
		{"stateful", refserver.Config{Stateful: true}},
		{"stateful, event streams", refserver.Config{Stateful: true, SSE: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Turns = 2
			s := start(t, tt.cfg)
			session := s.Connect(t, "t000001.1")
			if got := session.InitializeResult().ProtocolVersion; got != "2025-11-25" {
				t.Errorf("negotiated %s", got)
			}
			if (session.ID() != "") != tt.cfg.Stateful {
				t.Errorf("session id %q", session.ID())
			}
			var counts []int
			for seq := range 3 {
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "respond", Arguments: map[string]any{"message": "", "seq": seq}})
				if err != nil || result.IsError {
					t.Fatalf("seq %d: %+v (%v)", seq, result, err)
				}
				var p payload
				if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &p); err != nil {
					t.Fatal(err)
				}
				counts = append(counts, len(p.Messages))
			}
			if diff := cmp.Diff([]int{1, 1, 0}, counts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStatefulSessionIsBoundToItsPath(t *testing.T) {
	s := start(t, refserver.Config{Stateful: true})
	session := s.Connect(t, "t000001.1")
	call := []byte(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"respond","arguments":{"message":"","seq":0}}}`)
	status, _, body, err := s.Post(t.Context(), "t000002.1", session.ID(), call)
	if err != nil || status != http.StatusNotFound {
		t.Errorf("on another path: %d %s (%v)", status, body, err)
	}
	if n := s.Count(history.EffectBegin); n != 0 {
		t.Errorf("%d begins", n)
	}
	status, _, body, err = s.Post(t.Context(), "t000001.1", session.ID(), call)
	if err != nil || status != http.StatusOK || !strings.Contains(string(body), "nonce") {
		t.Errorf("on its own path: %d %s (%v)", status, body, err)
	}
}
