package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// lists answers tools/list with as many pages, one tool each.
func lists(pages int) func(int, asked) (string, ending) {
	return func(n int, a asked) (string, ending) {
		if a.rpc != "tools/list" {
			return polite(a)
		}
		page := 1
		fmt.Sscanf(a.arguments, `{"cursor":"c%d"`, &page)
		next := ""
		if page < pages {
			next = fmt.Sprintf(`,"nextCursor":"c%d"`, page+1)
		}
		return jsonAnswer(200, result(a.id, fmt.Sprintf(`{"tools":[{"name":"t%d"}]%s}`, page, next))), keep
	}
}

func TestRequest(t *testing.T) {
	const list = "tools/list"
	rpcError := func(status, code int) string {
		return jsonAnswer(status, fmt.Sprintf(`{"jsonrpc":"2.0","id":#,"error":{"code":%d,"message":"no"}}`, code))
	}
	first := func(n int, raw string, end ending) func(int, asked) (string, ending) {
		return func(i int, a asked) (string, ending) {
			if a.rpc == list && i <= n {
				return strings.ReplaceAll(raw, "#", a.id), end
			}
			return lists(3)(i, a)
		}
	}
	tests := []struct {
		name    string
		answer  func(int, asked) (string, ending)
		request client.Request
		told    history.Told
		pages   int // answers that came back
		asked   int // requests that the server received
		class   string
	}{
		{"one page", lists(1), client.Request{Method: list}, history.ToldOK, 1, 1, ""},
		{"three pages", lists(3), client.Request{Method: list}, history.ToldOK, 3, 3, ""},
		{"two of three", lists(3), client.Request{Method: list, Pages: 2}, history.ToldOK, 2, 2, ""},
		{"from a cursor", lists(3), client.Request{Method: list, Params: json.RawMessage(`{"cursor":"c2"}`)}, history.ToldOK, 2, 2, ""},
		{"pages without end", lists(1 << 30), client.Request{Method: list}, history.ToldUnknown, 0, 1000, "own_limit"},
		{"cut twice before the answer", first(2, "", rst), client.Request{Method: list}, history.ToldOK, 3, 5, ""},
		{"cut in the answer", first(1, cutBody, fin), client.Request{Method: list}, history.ToldOK, 3, 4, ""},
		{"busy", first(1, plain(503, ""), keep), client.Request{Method: list}, history.ToldOK, 3, 4, ""},
		{"an error of its own", first(9, rpcError(200, -32602), keep), client.Request{Method: list}, history.ToldToolError, 0, 1, "rpc_error"},
		{"no such method", first(9, rpcError(200, -32601), keep), client.Request{Method: list}, history.ToldToolError, 0, 1, "rpc_error"},
		{"an error with a status is not", first(1, rpcError(404, -32001), keep), client.Request{Method: list}, history.ToldOK, 3, 4, ""},
		{"an answer that is none", first(9, jsonAnswer(200, `[]`), keep), client.Request{Method: list}, history.ToldUnknown, 0, 3, "bad_answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.answer)
			policy := quick(t, "settle")
			policy.Attempts = 3
			if tt.class == "own_limit" {
				policy.Attempts = 1
			}
			c, rec := dial(t, s.url(), policy, nil)
			got := c.Request(t.Context(), "s02", tt.request)
			asked := strings.Count(s.requests(), list)
			if got.Told != tt.told || len(got.Answers) != tt.pages || asked != tt.asked {
				t.Errorf("told %s with %d answers after %d requests, want %s, %d, %d: %+v", got.Told, len(got.Answers), asked, tt.told, tt.pages, tt.asked, got.Cause)
			}
			if class := classOf(got.Cause); tt.told != history.ToldOK && class != tt.class {
				t.Errorf("cause %q, want %q", class, tt.class)
			}
			for _, a := range rec.attempts {
				if a.Role != history.RoleInitialize && a.Role != history.RoleInitialized && a.Role != history.RoleList {
					t.Errorf("an exchange is recorded as %q", a.Role)
				}
			}
		})
	}
}

func classOf(c *history.Cause) string {
	if c == nil {
		return ""
	}
	return c.Class
}

// TestADeadlineOfItsOwn bounds the attempts of one operation in place of the
// policy's deadline, and of no other.
func TestADeadlineOfItsOwn(t *testing.T) {
	s := serve(t, faulty("tools/call", 1, "", hang))
	policy := quick(t, "never-retries")
	c, _ := dial(t, s.url(), policy, nil)
	got := c.CallTool(client.WithDeadline(t.Context(), 30*time.Millisecond), "s02", history.Unsafe, respond)
	if got.Told != history.ToldUnknown || classOf(got.Cause) != "deadline" {
		t.Errorf("told %s: %+v", got.Told, got.Cause)
	}
	if got := c.CallTool(t.Context(), "s03", history.Unsafe, respond); got.Told != history.ToldOK {
		t.Errorf("the next call was told %s: %+v", got.Told, got.Cause)
	}
	if d := client.DeadlineOf(client.WithDeadline(context.Background(), 0), time.Second); d != time.Second {
		t.Errorf("no deadline is %v, want the policy's", d)
	}
}
