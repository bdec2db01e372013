package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mcpstorm/internal/wire"
)

const (
	request  = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"append","arguments":{"op":"t000001/s02","text":"The quick brown fox jumps over the lazy dog, looks back once, and jumps over it again."}}}`
	answered = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"The quick brown fox jumps over the lazy dog."}],"structuredContent":{"a":[1]},"isError":true}}`
	failed   = `{"jsonrpc":"2.0","id":"7","error":{"code":-32601,"message":"no such method","data":[null]}}`
)

// texts are JSON, and things that are nearly JSON.
var texts = []string{
	request, answered, failed, ``, ` `, `null`, `[]`, `{}`, `7`, `"x"`, ` {"jsonrpc":"2.0"} `, `{"jsonrpc":"2.0"}x`, `{"jsonrpc":"2.0"}{}`,
	`{"jsonrpc":"1.0"}`, `{"jsonrpc":2.0}`, `{"jsonrpc":"2.0",}`, `{"jsonrpc":"2.0","id":1 "method":"x"}`, `{,"jsonrpc":"2.0"}`, `{"jsonrpc" "2.0"}`,
	`{"\u006asonrpc":"2.0","m\u0065thod":"a\/\u0062\n\ud83d\ude00"}`, `{"jsonrpc":"2.0","method":"\ud800x"}`, `{"jsonrpc":"2.0","method":"\x"}`,
	`{"jsonrpc":"2.0","method":"\u12"}`, `{"jsonrpc":"2.0","method":"\u123"}`, `{"jsonrpc":"2.0","method":"\`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", "{\"jsonrpc\":\"2.0\",\"met\xffhod\":1}",
	"{\"jsonrpc\":\"2.0\",\"method\":\"\x01\"}", "{\"jsonrpc\":\"2.0\",\"params\":[\"\x1f\"]}", "\ufeff{\"jsonrpc\":\"2.0\"}",
	`{"jsonrpc":"2.0","id":1e5}`, `{"jsonrpc":"2.0","id":01}`, `{"jsonrpc":"2.0","id":-}`, `{"jsonrpc":"2.0","id":1.}`, `{"jsonrpc":"2.0","id":.5}`,
	`{"jsonrpc":"2.0","id":1e+}`, `{"jsonrpc":"2.0","id":-0.50E-7}`, `{"jsonrpc":"2.0","id":9007199254740993}`, `{"jsonrpc":"2.0","id": "a" }`,
	`{"jsonrpc":"2.0","id":null,"method":null,"error":null,"result":null}`, `{"jsonrpc":"2.0","params":tru}`, `{"jsonrpc":"2.0","params":[1,]}`,
	`{"jsonrpc":"2.0","method":5}`, `{"jsonrpc":"2.0","error":5}`, `{"jsonrpc":"2.0","error":{"code":"x"}}`, `{"jsonrpc":"2.0","error":{"code":1.5}}`,
	`{"jsonrpc":"2.0","error":{"code":42000000000000000000}}`, `{"jsonrpc":"2.0","error":{"code":-9223372036854775808}}`,
	`{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}`, `{"jsonrpc":"2.0","error":{"code":1},"error":{"message":"x"}}`,
	`{"name":"a","name":"b","arguments":1,"arguments":{}}`, `{"name":null,"arguments":null}`, `{"name":7}`, `{"arguments":[}`,
	`{"content":[{"type":"text","text":"a"}],"content":[{"type":"image"}]}`, `{"content":null,"isError":null}`, `{"content":{}}`, `{"content":[7]}`,
	`{"content":[,]}`, `{"content":[{}{}]}`, `{"isError":"true"}`, `{"isError":truex}`, `{"seq":3,"op":"a"}`, `{"seq": -1 ,"op":"\u0061"}`, `{"op":""}`,
	`{"op":null}`, `{"op":7}`, `{"op":"a","op":"b"}`, `{"a":{"op":"a"}}`, `{"":1}`,
}

// TestAgreesWithTheStandardLibrary holds our reading of every text, and of every
// beginning of it, as a cut leaves it, against that of encoding/json.
func TestAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range texts {
		for end := range len(text) + 1 {
			compare(t, slices.Clip([]byte(text[:end])))
		}
	}
}

// FuzzJSON looks for a text that we read otherwise than encoding/json.
func FuzzJSON(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, data) })
}

// TestDamagedMessages compares the two on messages of which some bytes are wrong.
func TestDamagedMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		if len(text) == 0 {
			return
		}
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			gone := rapid.IntRange(0, min(2, len(text)-at)).Draw(t, "gone")
			text = text[:at] + rapid.StringOfN(rapid.RuneFrom([]rune("{}[]\":,\\un01-.eE \t\x00\u00e9")), 0, 2, -1).Draw(t, "put") + text[at+gone:]
		}
		compare(t, []byte(text))
	})
}

// fataler is a test, of whichever kind.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compare holds our reading of a text, as each of the things that we read, against
// that of encoding/json. Two differences are meant, and left out: names match in
// letter case too, and content that comes twice is not mixed.
func compare(t fataler, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	keys := wire.KeyRule{SeqArgument: "seq", OpArgument: "op"}
	if got, want := keys.Key("x", data), standardKey(keys, "x", data); got != want {
		t.Fatalf("the key of %q is %q, want %q", data, got, want)
	}
	compareParams(t, wire.ToolCall{Name: string(data), Arguments: data})
	if differs(data) {
		return
	}
	m, err := wire.ParseMessage(data)
	var want wire.Message
	compareAs(t, data, m, err == nil, &want, json.Unmarshal(data, &want) == nil && want.JSONRPC == "2.0")

	c, err := wire.ParseToolCall(data)
	var wantCall wire.ToolCall
	compareAs(t, data, &c, err == nil, &wantCall, json.Unmarshal(data, &wantCall) == nil)

	r, err := wire.ParseToolResult(data)
	var wantResult wire.ToolResult
	compareAs(t, data, r, err == nil, &wantResult, json.Unmarshal(data, &wantResult) == nil)

	isError, ok := wire.IsToolError(data)
	var flag *struct{ IsError bool }
	if wantOK := json.Unmarshal(data, &flag) == nil && flag != nil; ok != wantOK || ok && isError != flag.IsError {
		t.Fatalf("%q is a tool's error: %t, %t; encoding/json says %+v", data, isError, ok, flag)
	}
	if m != nil && r != nil {
		_, _, _ = append(m.Params, "y"...), append(m.Result, "y"...), append(r.StructuredContent, "y"...)
	}
	if _ = append(c.Arguments, "y"...); !bytes.Equal(data, before) {
		t.Fatalf("appending to parts of %q changed it to %q", before, data)
	}
}

// compareAs holds one reading against that of encoding/json.
func compareAs[T any](t fataler, data []byte, got *T, ok bool, want *T, wantOK bool) {
	t.Helper()
	if ok != wantOK {
		t.Fatalf("%q is a %T: %t; encoding/json says %t", data, got, ok, wantOK)
	}
	if !ok {
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%q as a %T: (-encoding/json +ours)\n%s", data, got, diff)
	}
}

// compareParams holds an encoded call against encoding/json, which would also
// leave out spaces and escape what HTML would misread.
func compareParams(t fataler, call wire.ToolCall) {
	t.Helper()
	got, err := call.Params()
	want, standard := json.Marshal(call)
	if (err == nil) != (standard == nil) {
		t.Fatalf("encoding %q: %v; encoding/json says %v", call, err, standard)
	}
	if err != nil {
		return
	}
	if compact, err := json.Marshal(got); err != nil || !bytes.Equal(compact, want) {
		t.Fatalf("%q is encoded as %s, %v; want %s", call, compact, err, want)
	}
}

// standardKey is the key of a call by encoding/json.
func standardKey(k wire.KeyRule, tool string, arguments []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(arguments, &fields) != nil {
		return wire.KeyRule{}.Key(tool, arguments)
	}
	if n, err := strconv.ParseInt(string(fields[k.SeqArgument]), 10, 64); err == nil && n >= 0 {
		return "seq:" + strconv.FormatInt(n, 10)
	}
	var op string
	if json.Unmarshal(fields[k.OpArgument], &op) == nil && op != "" {
		return "arg:" + op
	}
	return wire.KeyRule{}.Key(tool, arguments)
}

// differs reports whether a text holds a member's name in another letter case, or
// content twice.
func differs(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	contents := 0
	for {
		token, err := d.Token()
		if err != nil {
			return contents > 1
		}
		text, _ := token.(string)
		if text == "content" {
			contents++
		}
		for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data", "name", "arguments", "content", "structuredContent", "isError", "type", "text"} {
			if text != name && strings.EqualFold(text, name) {
				return true
			}
		}
	}
}

func TestParams(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		call       wire.ToolCall
	}{
		{"as written", `{"name":"a\"b","arguments": { "x" : "<1>" } }`, wire.ToolCall{Name: `a"b`, Arguments: json.RawMessage(` { "x" : "<1>" } `)}},
		{"none", `{"name":"a","arguments":null}`, wire.ToolCall{Name: "a"}},
		{"no JSON", "", wire.ToolCall{Name: "a", Arguments: json.RawMessage(`{"x":1}}`)}},
		{"none at all", "", wire.ToolCall{Name: "a", Arguments: json.RawMessage(` `)}},
		{"empty", "", wire.ToolCall{Name: "a", Arguments: json.RawMessage{}}},
	} {
		if got, err := tt.call.Params(); string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

// TestMeantDifferences lists what encoding/json would read otherwise.
func TestMeantDifferences(t *testing.T) {
	if c, err := wire.ParseToolCall([]byte(`{"Name":"a","ARGUMENTS":1}`)); err != nil || c.Name != "" || c.Arguments != nil {
		t.Errorf("names in another letter case: %+v, %v; want nothing", c, err)
	}
	if m, err := wire.ParseMessage([]byte(`{"JSONRPC":"2.0","id":1}`)); !errors.Is(err, wire.ErrMessage) {
		t.Errorf("a version under another name: %+v, %v; want ErrMessage", m, err)
	}
	r, err := wire.ParseToolResult([]byte(`{"content":[{"type":"text","text":"a"}],"content":[{"type":"image"}]}`))
	if want := []wire.Content{{Type: "image"}}; err != nil || !cmp.Equal(want, r.Content) {
		t.Errorf("content that comes twice: %+v, %v; want %+v", r, err, want)
	}
}

// TestDeepNesting goes to the limit of encoding/json and far over it: a stack
// that overflows would end the process.
func TestDeepNesting(t *testing.T) {
	for _, tt := range []struct {
		name        string
		open, close string
		depth       int
		ok          bool
	}{
		{"arrays, as deep as may be", "[", "]", 9_999, true},
		{"arrays, one too many", "[", "]", 10_000, false},
		{"objects, one too many", `{"a":`, "}", 10_000, false},
		{"a bomb", "[", "]", 5_000_000, false},
		{"a bomb that never ends", `{"a":[`, "", 5_000_000, false},
	} {
		inner := ""
		if tt.open != "[" {
			inner = "1"
		}
		data := []byte(`{"jsonrpc":"2.0","params":` + strings.Repeat(tt.open, tt.depth) + inner + strings.Repeat(tt.close, tt.depth) + `}`)
		if _, err := wire.ParseMessage(data); (err == nil) != tt.ok {
			t.Errorf("%s: %v, want %t", tt.name, err, tt.ok)
		}
		if tt.depth > 10_000 {
			continue
		}
		var m wire.Message
		if standard := json.Unmarshal(data, &m); (standard == nil) != tt.ok {
			t.Errorf("%s: encoding/json says %v, want %t", tt.name, standard, tt.ok)
		}
	}
	flat := []byte(`{"jsonrpc":"2.0","params":[` + strings.Repeat(`{"a":[]},`, 20_000) + `"[[["]}`)
	if _, err := wire.ParseMessage(flat); err != nil {
		t.Errorf("many brackets that do not nest: %v", err)
	}
}

// TestMessagesKeepTheirID: an id outlives its message, and must not change with
// the bytes that the message was read from.
func TestMessagesKeepTheirID(t *testing.T) {
	data := []byte(request)
	m, err := wire.ParseMessage(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if string(m.ID) != "7" {
		t.Errorf("the id is now %q", m.ID)
	}
}

// BenchmarkParse shows what reading a call and its answer costs, by us and by
// encoding/json.
func BenchmarkParse(b *testing.B) {
	rule := wire.KeyRule{OpArgument: "op"}
	call := []byte(request)
	params := call[bytes.Index(call, []byte(`{"name"`)) : len(call)-1]
	arguments := params[bytes.Index(params, []byte(`{"op"`)) : len(params)-1]
	answer := []byte(answered)
	result := answer[bytes.Index(answer, []byte(`{"content"`)) : len(answer)-1]
	for _, bb := range []struct {
		name           string
		ours, standard func() error
	}{
		{"request", func() error { _, err := wire.ParseMessage(call); return err }, func() error { return json.Unmarshal(call, new(wire.Message)) }},
		{"answer", func() error { _, err := wire.ParseMessage(answer); return err }, func() error { return json.Unmarshal(answer, new(wire.Message)) }},
		{"call", func() error { _, err := wire.ParseToolCall(params); return err }, func() error { return json.Unmarshal(params, new(wire.ToolCall)) }},
		{"result", func() error { _, err := wire.ParseToolResult(result); return err }, func() error { return json.Unmarshal(result, new(wire.ToolResult)) }},
		{"key", func() error { rule.Key("x", arguments); return nil }, func() error { return json.Unmarshal(arguments, new(map[string]json.RawMessage)) }},
	} {
		for name, parse := range map[string]func() error{"ours": bb.ours, "encoding-json": bb.standard} {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := parse(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
