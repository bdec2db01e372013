package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpstorm/internal/wire"
)

func TestOpRefReadsBackWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := wire.OpRef{
			Task:    wire.TaskID(rapid.IntRange(0, 99).Draw(t, "block"), rapid.Int64Range(0, wire.BlockSize-1).Draw(t, "iteration")),
			Restart: rapid.IntRange(1, 1000).Draw(t, "restart"),
			Step:    wire.StepID(rapid.IntRange(1, 200).Draw(t, "step")) + rapid.SampledFrom([]string{"", ".settle", ".close"}).Draw(t, "suffix"),
			Attempt: rapid.IntRange(1, 99).Draw(t, "attempt"),
		}
		got, err := wire.ParseOpRef(ref.String())
		if err != nil || got != ref {
			t.Fatalf("ParseOpRef(%s) = %+v, %v", ref, got, err)
		}
	})
}

func TestParseOpRefRefuses(t *testing.T) {
	for _, s := range []string{
		"", "t000017.1/s02", "t000017/s02/a1", "t.1/s02/a1", "x000017.1/s02/a1", "t000017.0/s02/a1", "t000017.1/x02/a1",
		"t000017.1/s02/a0", "t000017.1/s02/b1", "t000017.1/s/a1", "t000017.1/s02/a", "t000017.1/s02/a1/x", "t0x.1/s02/a1",
	} {
		if ref, err := wire.ParseOpRef(s); !errors.Is(err, wire.ErrOpRef) || !strings.Contains(err.Error(), s) {
			t.Errorf("ParseOpRef(%q) = %+v, %v; want ErrOpRef naming it", s, ref, err)
		}
	}
}

func TestTaskNumbers(t *testing.T) {
	for _, tt := range []struct {
		block     int
		iteration int64
		want      string
	}{{0, 0, "t000000"}, {0, 17, "t000017"}, {0, 999_999, "t999999"}, {1, 0, "t1000000"}, {12, 345, "t12000345"}} {
		got := wire.TaskID(tt.block, tt.iteration)
		block, iteration, err := wire.SplitTask(got)
		if got != tt.want || err != nil || block != tt.block || iteration != tt.iteration {
			t.Errorf("TaskID(%d, %d) = %s, back as %d, %d, %v; want %s", tt.block, tt.iteration, got, block, iteration, err, tt.want)
		}
	}
	for _, bad := range []string{"", "t", "17", "t-1", "tx"} {
		if _, _, err := wire.SplitTask(bad); err == nil {
			t.Errorf("SplitTask(%q) gave no error", bad)
		}
	}
}

func TestRolloutPath(t *testing.T) {
	if got, ok := wire.RolloutFromPath(wire.RolloutPath("t000017.1")); !ok || got != "t000017.1" {
		t.Errorf("read back %q, %t", got, ok)
	}
	for _, path := range []string{"", "/", "/mcp", "/r//mcp", "/r/a/b/mcp", "/r/a", "/r/a/mcp/x"} {
		if got, ok := wire.RolloutFromPath(path); ok {
			t.Errorf("RolloutFromPath(%q) = %q, want none", path, got)
		}
	}
}

func TestKey(t *testing.T) {
	rule := wire.KeyRule{SeqArgument: "seq", OpArgument: "op", About: []string{"settle"}}
	tests := []struct {
		name, tool, arguments, want string
	}{
		{"a sequence number", "respond", `{"message":"x","seq":4}`, "seq:4"},
		{"the opening", "respond", `{"seq":0}`, "seq:0"},
		{"an operation's id", "append", `{"op":"t000001/s02","text":"x"}`, "arg:t000001/s02"},
		{"another operation's id", "settle", `{"op":"t000001/s02"}`, "settle:t000001/s02"},
		{"a negative number is no key", "respond", `{"seq":-1}`, "args:"},
		{"a fraction is no key", "respond", `{"seq":1.5}`, "args:"},
		{"a number in quotes is no key", "respond", `{"seq":"4"}`, "args:"},
		{"an empty id is no key", "append", `{"op":""}`, "args:"},
		{"no arguments", "get", ``, "args:"},
		{"no object", "get", `[1]`, "args:"},
	}
	for _, tt := range tests {
		if got := rule.Key(tt.tool, json.RawMessage(tt.arguments)); got != tt.want && (tt.want != "args:" || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: Key = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDigestKeysNameTheSameThing(t *testing.T) {
	var rule wire.KeyRule
	same := rule.Key("get", json.RawMessage(`{"a":1,"b":[2]}`))
	if got := rule.Key("get", json.RawMessage(` { "b" : [2], "a":1 } `)); got != same {
		t.Errorf("order and space make another key: %s and %s", got, same)
	}
	for name, other := range map[string]string{
		"another value": rule.Key("get", json.RawMessage(`{"a":2,"b":[2]}`)),
		"another tool":  rule.Key("put", json.RawMessage(`{"a":1,"b":[2]}`)),
	} {
		if other == same {
			t.Errorf("%s makes the same key", name)
		}
	}
}

func TestMessages(t *testing.T) {
	m, err := wire.ParseMessage([]byte(`{"jsonrpc":"2.0","id":3,"result":{}}`))
	if err != nil || !m.Answers(json.RawMessage("3")) || m.Answers(json.RawMessage("4")) {
		t.Errorf("an answer to 3: %+v, %v", m, err)
	}
	for _, bad := range []string{"", "{", "[]", `{"id":3,"result":{}}`, `{"jsonrpc":"1.0"}`, `null`} {
		if _, err := wire.ParseMessage([]byte(bad)); !errors.Is(err, wire.ErrMessage) {
			t.Errorf("ParseMessage(%q): %v, want ErrMessage", bad, err)
		}
	}
	request, err := wire.ParseMessage([]byte(`{"jsonrpc":"2.0","id":3,"method":"ping"}`))
	if err != nil || request.IsResponse() {
		t.Errorf("a request reads as an answer: %+v, %v", request, err)
	}
}

func TestToolResultText(t *testing.T) {
	r := wire.ToolResult{Content: []wire.Content{{Type: "text", Text: "a"}, {Type: "image"}, {Type: "text", Text: "b"}}}
	if got := r.Text(); got != "a\nb" {
		t.Errorf("Text() = %q", got)
	}
}
