package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// TestFates is what each policy does about an unknown append: the server loses
// the answers to the first calls, and says this of their fate.
func TestFates(t *testing.T) {
	const done, voided = `{"state":"done","results":[{"entry":7}]}`, `{"state":"voided"}`
	tests := []struct {
		name, policy, fate string
		lost               int // answers to append that are lost
		told               history.Told
		settled, saw, text string
	}{
		{"the result comes back", "settle", done, 1, history.ToldOK, "result", "append(x) settle(x)", `{"entry":7}`},
		{"voided, then sent again under another id", "settle", voided, 1, history.ToldOK, "voided", "append(x) settle(x) append(x#2)", "hello"},
		{"voided twice", "settle", voided, 2, history.ToldOK, "voided", "append(x) settle(x) append(x#2) settle(x#2) append(x#3)", "hello"},
		{"no end of it", "settle", voided, 9, history.ToldNotExecuted, "voided", "", ""},
		{"no fate to be had", "settle", `{"state":"?"}`, 1, history.ToldUnknown, "", "append(x) settle(x)", ""},
		{"looked up and found", "lookup", `{"found":true,"results":[{"entry":7}]}`, 1, history.ToldOK, "result", "append(x) lookup(x)", `{"entry":7}`},
		{"looked up, not found, sent again", "lookup", `{"found":false}`, 1, history.ToldOK, "", "append(x) lookup(x) append(x)", "hello"},
		{"reported", "at-most-once", done, 1, history.ToldUnknown, "", "append(x)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lost atomic.Int64
			server := serve(t, func(_ int, a asked) (string, ending) {
				switch call := called(a); {
				case call == "":
				case !strings.HasPrefix(call, "append("):
					return jsonAnswer(200, toolResult(a.id, tt.fate)), keep
				case lost.Add(1) <= int64(tt.lost):
					return "", rst
				}
				return polite(a)
			})
			c, rec := dial(t, server.url(), quick(t, tt.policy), nil)
			got := c.CallTool(t.Context(), "s02", history.Unsafe, wire.ToolCall{Name: "append", Arguments: json.RawMessage(`{"op":"x"}`)})
			if got.Told != tt.told || got.Settled != tt.settled {
				t.Errorf("told %s, settled %q (%v); want %s, %q", got.Told, got.Settled, got.Cause, tt.told, tt.settled)
			}
			var saw []string
			for _, a := range server.all() {
				if call := called(a); call != "" {
					saw = append(saw, call)
				}
			}
			if tt.saw != "" && strings.Join(saw, " ") != tt.saw {
				t.Errorf("server saw %v, want %s", saw, tt.saw)
			}
			if tt.text != "" && got.Tool.Text() != tt.text {
				t.Errorf("the result is %q, want %q", got.Tool.Text(), tt.text)
			}
			for _, a := range rec.attempts {
				if a.Role == history.RoleSettle && a.Op != "t000001/s02.settle" {
					t.Errorf("a settle is recorded under %s", a.Op)
				}
			}
		})
	}
}

// called is a tools/call request as append(x); empty for any other request.
func called(a asked) string {
	var call struct {
		Name      string
		Arguments struct{ Op string }
	}
	if a.rpc != "tools/call" || json.Unmarshal([]byte(a.arguments), &call) != nil {
		return ""
	}
	return fmt.Sprintf("%s(%s)", call.Name, call.Arguments.Op)
}
