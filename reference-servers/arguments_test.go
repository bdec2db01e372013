package refserver_test

import (
	"encoding/json"
	"errors"
	"testing"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		text      string
		textErr   string // of a required argument a
		given     bool
		optErr    string // of an optional one
	}{
		{"a text", `{"a":"x"}`, "x", "", true, ""},
		{"an empty text", `{"a":""}`, "", "", true, ""},
		{"absent", `{"b":"x"}`, "", "invalid argument: a: a string is required", false, ""},
		{"another case", `{"A":"x"}`, "", "invalid argument: a: a string is required", false, ""},
		{"null", `{"a":null}`, "", "invalid argument: a: a string is required", true, "invalid argument: a: a string is required"},
		{"a number", `{"a":1}`, "", "invalid argument: a: a string is required", true, "invalid argument: a: a string is required"},
		{"null for all", `null`, "", "invalid argument: a: a string is required", false, ""},
		{"a list", `["a"]`, "", "invalid argument: arguments: not an object", false, "invalid argument: arguments: not an object"},
		{"nothing", ``, "", "invalid argument: arguments: not an object", false, "invalid argument: arguments: not an object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			arguments, err := refserver.ParseArguments(json.RawMessage(tt.raw))
			text, textErr := "", err
			given, optErr := false, err
			if err == nil {
				text, textErr = arguments.Text("a")
				_, given, optErr = arguments.Optional("a")
			}
			if text != tt.text || message(textErr) != tt.textErr {
				t.Errorf("required: %q, %v", text, textErr)
			}
			if given != tt.given || message(optErr) != tt.optErr {
				t.Errorf("optional: given %t, %v", given, optErr)
			}
			if err := errors.Join(textErr, optErr); err != nil && !errors.Is(err, refserver.ErrArgument) {
				t.Errorf("of no known kind: %v", err)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDigestArguments(t *testing.T) {
	first := refserver.DigestArguments("append", []byte(`{"op":"o","text":"x"}`))
	if again := refserver.DigestArguments("append", []byte(`{ "text":"x", "op":"o" }`)); again != first || len(first) != 16 {
		t.Errorf("%q and %q", first, again)
	}
	for _, other := range []struct{ tool, raw string }{
		{"put", `{"op":"o","text":"x"}`}, {"append", `{"op":"o","text":"y"}`}, {"append", `no object`},
	} {
		if refserver.DigestArguments(other.tool, []byte(other.raw)) == first {
			t.Errorf("%v has the same digest", other)
		}
	}
}

func TestJSONResult(t *testing.T) {
	r, err := refserver.JSONResult(map[string]int{"entry": 1})
	if err != nil || r.IsError || string(r.StructuredContent.(json.RawMessage)) != `{"entry":1}` {
		t.Errorf("%+v (%v)", r, err)
	}
	if _, err := refserver.JSONResult(func() {}); err == nil {
		t.Error("a payload that is no data is no error")
	}
}

// What a server takes for the name of an operation is what the records name it.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"op":"o"}`, `{"op":"","Op":"x"}`, `{"op":"a","op":"b"}`, `{"op":null}`, `[]`, ``, `{"op":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		key := wire.KeyRule{OpArgument: "op"}.Key("append", raw)
		op := ""
		if arguments, err := refserver.ParseArguments(raw); err == nil {
			op, _ = arguments.Text("op")
		}
		want := "arg:" + op
		if op == "" {
			want = "args:" + refserver.DigestArguments("append", raw)
		}
		if key != want {
			t.Errorf("%q: executed as %q, recorded as %q", raw, want, key)
		}
	})
}
