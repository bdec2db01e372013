package toxics

import (
	"bytes"
	"encoding/json"
	"testing"

	"mcpstorm/internal/wire"
)

// FuzzBeginning breaks tool calls off anywhere: what the beginning tells is what
// the whole says, or nothing, and any bytes at all can be looked at.
func FuzzBeginning(f *testing.F) {
	f.Add("tools/call", "append", "x", int64(12), []byte(`{"a":[1,{}]}`), uint16(90), true, true)
	f.Add("tools/call", "respond", "", int64(1000), []byte(`"text"`), uint16(70), false, true)
	f.Add("tools/list", "é\n", "\"", int64(-1), []byte(`1e5`), uint16(40), true, false)
	f.Fuzz(func(t *testing.T, method, tool, op string, seq int64, more []byte, at uint16, byOp, bySeq bool) {
		readBeginning(more)
		if !json.Valid(more) {
			more = []byte("null")
		}
		text, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": seq, "method": method,
			"params": map[string]any{"name": tool, "arguments": map[string]any{"a": json.RawMessage(more), "op": op, "seq": seq}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var rule wire.KeyRule
		if byOp {
			rule.OpArgument = "op"
		}
		if bySeq {
			rule.SeqArgument = "seq"
		}
		var whole, part request
		whole.read(text, rule)
		part.glimpse(text[:int(at)%len(text)], rule)
		if part.id != nil && !bytes.Equal(part.id, whole.id) || differs(part.rpc, whole.rpc) ||
			differs(part.tool, whole.tool) || differs(part.key, whole.key) {
			t.Errorf("%q of %q tells %+v, want of %+v", text[:int(at)%len(text)], text, part, whole)
		}
	})
}

// differs reports whether a part tells what the whole does not say.
func differs(part, whole string) bool { return part != "" && part != whole }
