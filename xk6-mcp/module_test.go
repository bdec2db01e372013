package xk6mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/engine"
)

// TestTurnKeys follows the positions that verifiers 0.2.1 would use.
func TestTurnKeys(t *testing.T) {
	type said struct {
		message  string
		messages int // that the simulator answers with
		want     int
	}
	tests := []struct {
		name  string
		turns []said
	}{
		{"an opening, then answers", []said{{"", 1, 0}, {"a", 1, 2}, {"b", 1, 4}, {"c", 0, 6}}},
		{"no opening", []said{{"a", 1, 1}, {"b", 1, 3}}},
		{"an opening of no messages, then an empty answer: no collision", []said{{"", 0, 0}, {"", 1, 1}}},
		{"several messages in a turn", []said{{"", 3, 0}, {"a", 2, 4}, {"b", 1, 7}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var at turns
			for i, s := range tt.turns {
				got := at.next(s.message)
				if got != s.want {
					t.Errorf("turn %d has key %d, want %d", i, got, s.want)
				}
				at.took(got, s.messages)
			}
		})
	}
}

// TestAFailedTurnKeepsItsKey: asking again is the same turn.
func TestAFailedTurnKeepsItsKey(t *testing.T) {
	var at turns
	at.took(at.next(""), 1)
	if first, again := at.next("a"), at.next("a"); first != again || first != 2 {
		t.Errorf("keys %d and %d, want 2 twice", first, again)
	}
}

func TestArgumentsAreCompleted(t *testing.T) {
	ledger := Server{Keys: wire.KeyRule{OpArgument: "op", About: []string{"settle"}}, NonceArgument: "nonce"}
	nonce := wire.Digest("nonce", "t000001.1", "t000001/s02")
	tests := []struct {
		name   string
		server Server
		tool   string
		given  string
		want   string
		nonce  string
	}{
		{"op and nonce are filled in", ledger, "append", `{"text":"x"}`, `{"nonce":"` + nonce + `","op":"t000001/s02","text":"x"}`, nonce},
		{"no arguments at all", ledger, "append", ``, `{"nonce":"` + nonce + `","op":"t000001/s02"}`, nonce},
		{"what the script gave stands", ledger, "append", `{"nonce":"n","op":"o"}`, `{"nonce":"n","op":"o"}`, ""},
		{"settle is about another operation", ledger, "settle", `{"nonce":"n"}`, `{"nonce":"n"}`, ""},
		{"a server that wants nothing", Server{}, "get", `{"a":1}`, `{"a":1}`, ""},
		{"no object", ledger, "append", `[1]`, `[1]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, nonce := tt.server.complete(wire.ToolCall{Name: tt.tool, Arguments: json.RawMessage(tt.given)}, "t000001/s02", "t000001.1")
			if string(got) != tt.want || nonce != tt.nonce {
				t.Errorf("complete = %s, %q; want %s, %q", got, nonce, tt.want, tt.nonce)
			}
		})
	}
}

func TestEcho(t *testing.T) {
	o := &operation{nonce: "n"}
	for name, tt := range map[string]struct {
		tool *wire.ToolResult
		want string
	}{
		"structured": {&wire.ToolResult{StructuredContent: json.RawMessage(`{"nonce":"n"}`)}, "n"},
		"text":       {&wire.ToolResult{Content: []wire.Content{{Type: "text", Text: `{"nonce":"m"}`}}}, "m"},
		"none":       {&wire.ToolResult{}, ""},
		"no result":  {nil, ""},
	} {
		if got := echoOf(o, client.Result{Tool: tt.tool}); got != tt.want {
			t.Errorf("%s: echo %q, want %q", name, got, tt.want)
		}
	}
}

func TestRestarts(t *testing.T) {
	failed := func(told history.Told, unknown bool, restart int) *rollout {
		return &rollout{restart: restart, unknown: unknown, record: history.Rollout{
			Outcome: history.Failed, Cause: &history.RolloutCause{Told: told},
		}}
	}
	tests := []struct {
		name     string
		restarts Restarts
		ended    *rollout
		want     bool
	}{
		{"none are allowed", Restarts{}, failed(history.ToldNotExecuted, false, 1), false},
		{"a failure", Restarts{Max: 1}, failed(history.ToldNotExecuted, false, 1), true},
		{"the last one was", Restarts{Max: 1}, failed(history.ToldNotExecuted, false, 2), false},
		{"completed", Restarts{Max: 1}, &rollout{restart: 1, record: history.Rollout{Outcome: history.Completed}}, false},
		{"a script error", Restarts{Max: 1}, &rollout{restart: 1, record: history.Rollout{Outcome: history.ScriptError}}, false},
		{"an unknown mutation vetoes", Restarts{Max: 1}, failed(history.ToldUnknown, true, 1), false},
		{"an unknown read does not", Restarts{Max: 1}, failed(history.ToldUnknown, false, 1), true},
		{"an earlier unknown mutation vetoes too", Restarts{Max: 1}, failed(history.ToldNotExecuted, true, 1), false},
		{"included by name", Restarts{Max: 1, Include: []string{"unknown"}}, failed(history.ToldUnknown, true, 1), true},
		{"excluded wins", Restarts{Max: 1, Include: []string{"unknown"}, Exclude: []string{"unknown"}}, failed(history.ToldUnknown, true, 1), false},
		{"not among the included", Restarts{Max: 1, Include: []string{"fail"}}, failed(history.ToldNotExecuted, false, 1), false},
		{"rollout.fail", Restarts{Max: 1, Include: []string{"fail"}}, failed("", false, 1), true},
	}
	for _, tt := range tests {
		if got := tt.restarts.after(tt.ended); got != tt.want {
			t.Errorf("%s: restarted is %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	mcp := &Error{Op: "t000001/s02", Told: history.ToldUnknown, Attempts: 2, Cause: &history.Cause{Text: "reset"}}
	tests := []struct {
		name   string
		result engine.IterationResult
		want   history.Outcome
		cause  *history.RolloutCause
	}{
		{"returned", engine.IterationResult{}, history.Completed, nil},
		{"an McpError", engine.IterationResult{Err: mcp}, history.Failed, &history.RolloutCause{
			Op: "t000001/s02", Told: history.ToldUnknown, Text: "t000001/s02 was told unknown after 2 attempts: reset",
		}},
		{"rollout.fail", engine.IterationResult{Err: &failError{"no"}}, history.Failed, &history.RolloutCause{Text: "no"}},
		{"out of time", engine.IterationResult{Err: engine.ErrInterrupted, Interrupted: true}, history.Interrupted, &history.RolloutCause{
			Text: "its scenario's time was over (duration or maxDuration, and gracefulStop)",
		}},
		{"stopped", engine.IterationResult{Err: fmt.Errorf("%w: %w", engine.ErrInterrupted, engine.ErrStopped), Interrupted: true}, history.Interrupted, &history.RolloutCause{Text: "the run was stopped"}},
		{"aborted", engine.IterationResult{Err: fmt.Errorf("%w: %w", engine.ErrInterrupted, engine.ErrAborted), Interrupted: true}, history.Interrupted, &history.RolloutCause{Text: "the script ended the test"}},
		{"a mistake", engine.IterationResult{
			Err: errors.New("x"), Exception: &engine.Exception{Message: "TypeError: x", File: "a.js", Line: 3, Column: 4},
		}, history.ScriptError, &history.RolloutCause{Text: "TypeError: x", At: "a.js:3:4"}},
		{"a mistake without a place", engine.IterationResult{Err: errors.New("x")}, history.ScriptError, &history.RolloutCause{Text: "x"}},
	}
	for _, tt := range tests {
		got, cause := outcome(tt.result)
		if got != tt.want || !cmp.Equal(cause, tt.cause) {
			t.Errorf("%s: %s, %+v; want %s, %+v", tt.name, got, cause, tt.want, tt.cause)
		}
	}
}
