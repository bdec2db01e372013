package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpstorm/internal/wire"
)

const (
	request  = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"append","arguments":{"op":"t000001/s02","text":"x"}}}`
	answered = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":[1]},"isError":true}}`
	failed   = `{"jsonrpc":"2.0","id":"7","error":{"code":-32601,"message":"no such method","data":[null]}}`
)

// texts are JSON, and things that are nearly JSON.
var texts = []string{
	request, answered, failed, ``, ` `, `null`, `[]`, `{}`, `7`, `"x"`, ` {"jsonrpc":"2.0"} `, `{"jsonrpc":"2.0"}x`, `{"jsonrpc":"2.0"}{}`,
	`{"jsonrpc":"1.0"}`, `{"jsonrpc":2.0}`, `{"jsonrpc":"2.0",}`, `{"jsonrpc":"2.0","id":1 "method":"x"}`, `{,"jsonrpc":"2.0"}`, `{"jsonrpc" "2.0"}`,
	`{"\u006asonrpc":"2.0","m\u0065thod":"a\/\u0062\n\ud83d\ude00"}`, `{"jsonrpc":"2.0","method":"\ud800x"}`, `{"jsonrpc":"2.0","method":"\x"}`,
	`{"jsonrpc":"2.0","method":"\u12"}`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", "{\"jsonrpc\":\"2.0\",\"met\xffhod\":1}",
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

// TestUnmarshalAgreesWithTheStandardLibrary compares the two on every text.
func TestUnmarshalAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range texts {
		compare(t, []byte(text))
	}
}

// FuzzUnmarshal looks for a text that we read otherwise than encoding/json.
func FuzzUnmarshal(f *testing.F) {
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

// compare holds our reading of a text against that of encoding/json. Only names
// in another letter case may be read otherwise, and those are left out.
func compare(t fataler, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	keys := wire.KeyRule{SeqArgument: "seq", OpArgument: "op"}
	if got, want := keys.Key("x", data), standardKey(keys, "x", data); got != want {
		t.Fatalf("the key of %q is %q, want %q", data, got, want)
	}
	compareInto[map[string]json.RawMessage](t, data)
	compareParams(t, wire.ToolCall{Name: string(data), Arguments: data})
	if otherCase(data) {
		return
	}
	compareInto[wire.Message](t, data)
	compareInto[wire.ToolCall](t, data)
	compareInto[wire.ToolResult](t, data)

	got, err := wire.ParseMessage(data)
	var want wire.Message
	if ok := json.Unmarshal(data, &want) == nil && want.JSONRPC == "2.0"; ok != (err == nil) {
		t.Fatalf("%q is a message: %t; encoding/json says %t", data, err == nil, ok)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Fatalf("%q: (-encoding/json +ours)\n%s", data, diff)
	}
	_, _ = append(got.Params, "y"...), append(got.Result, "y"...)
	if !bytes.Equal(data, before) {
		t.Fatalf("appending to parts of %q changed it to %q", before, data)
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

func compareInto[T any](t fataler, data []byte) {
	t.Helper()
	var got, want T
	ours, standard := wire.Unmarshal(data, &got), json.Unmarshal(data, &want)
	if (ours == nil) != (standard == nil) {
		t.Fatalf("%q as a %T: %v; encoding/json says %v", data, got, ours, standard)
	}
	if diff := cmp.Diff(want, got); ours == nil && diff != "" {
		t.Fatalf("%q as a %T: (-encoding/json +ours)\n%s", data, got, diff)
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

// otherCase reports whether a text holds a member's name in another letter case.
func otherCase(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		text, _ := token.(string)
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
		{"as given, without space around", `{"name":"a\"b","arguments":{ "x" : "<1>" }}`, wire.ToolCall{Name: `a"b`, Arguments: json.RawMessage(` { "x" : "<1>" } `)}},
		{"none", `{"name":"a","arguments":null}`, wire.ToolCall{Name: "a"}},
		{"no JSON", "", wire.ToolCall{Name: "a", Arguments: json.RawMessage(`{"x":1}}`)}},
		{"empty", "", wire.ToolCall{Name: "a", Arguments: json.RawMessage{}}},
	} {
		if got, err := tt.call.Params(); string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestNamesMatchExactly(t *testing.T) {
	var call wire.ToolCall
	if err := wire.Unmarshal([]byte(`{"Name":"a","ARGUMENTS":1}`), &call); err != nil || call.Name != "" || call.Arguments != nil {
		t.Errorf("names in another letter case: %+v, %v; want nothing", call, err)
	}
	if m, err := wire.ParseMessage([]byte(`{"JSONRPC":"2.0","id":1}`)); !errors.Is(err, wire.ErrMessage) {
		t.Errorf("a version under another name: %+v, %v; want ErrMessage", m, err)
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

// BenchmarkParseMessage shows what a message costs here and in encoding/json.
func BenchmarkParseMessage(b *testing.B) {
	for name, text := range map[string]string{"request": request, "answer": answered} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wire.ParseMessage([]byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var m wire.Message
				if err := json.Unmarshal([]byte(text), &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
