package all_test

import (
	"context"
	"strings"
	"testing"

	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reference-servers/internal/servertest"
)

// TestBadRequests sends what the SDK refuses with a JSON-RPC error. The server
// says so and serves on.
func TestBadRequests(t *testing.T) {
	tests := []struct{ name, method, params, want string }{
		{"a cursor that is none", "tools/list", `{"cursor":"!!bad"}`, "error"},
		{"params that are a list", "tools/list", `[]`, "error"},
		{"a call without params", "tools/call", `null`, "error"},
		{"a call with params that are a list", "tools/call", `[]`, "error"},
		{"an unknown tool", "tools/call", `{"name":"fly","arguments":{}}`, ""},
		{"an unknown method", "tools/fly", `{}`, "unsupported"},
	}
	const rollout = "t000001.1"
	for _, kind := range all.Servers() {
		t.Run(kind.Name, func(t *testing.T) {
			s := servertest.Start(t, kind, refserver.Config{})
			for _, tt := range tests {
				_, err := s.RPC(context.Background(), rollout, tt.method, tt.params)
				if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
				}
				if _, err := s.RPC(context.Background(), rollout, "tools/list", `{}`); err != nil {
					t.Fatalf("after %s the tools cannot be listed: %v", tt.name, err)
				}
			}
		})
	}
}
