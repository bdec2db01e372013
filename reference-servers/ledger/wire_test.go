package ledger_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

const (
	safeToRepeat = `{"destructiveHint":false,"idempotentHint":true,"readOnlyHint":false}`
	readsOnly    = `{"idempotentHint":false,"readOnlyHint":true}`
	op           = `"op":{"title":"Op","type":"string"}`
	nonce        = `"nonce":{"default":"","title":"Nonce","type":"string"}`
)

// toolsList is the golden answer to tools/list, with the annotations of append.
func toolsList(appending string) string {
	return `{"tools":[
	{"name":"append",` + appending + `"description":"Append an entry to the ledger.",
		"inputSchema":{"properties":{` + op + `,"text":{"title":"Text","type":"string"},` + nonce + `},
			"required":["op","text"],"title":"appendArguments","type":"object"}},
	{"name":"get","annotations":` + readsOnly + `,"description":"Read one value, or the whole ledger.",
		"inputSchema":{"properties":{` + op + `,"key":{"title":"Key","type":"string"},` + nonce + `},
			"required":["op"],"title":"getArguments","type":"object"}},
	{"name":"lookup","annotations":` + readsOnly + `,"description":"Tell whether an operation has been executed yet.",
		"inputSchema":{"properties":{` + op + `,` + nonce + `},"required":["op"],"title":"lookupArguments","type":"object"}},
	{"name":"put","annotations":` + safeToRepeat + `,"description":"Set a value in the ledger.",
		"inputSchema":{"properties":{` + op + `,"key":{"title":"Key","type":"string"},"value":{"title":"Value","type":"string"},` + nonce + `},
			"required":["op","key","value"],"title":"putArguments","type":"object"}},
	{"name":"settle","annotations":` + safeToRepeat + `,"description":"Decide an operation for good: done, or voided and never to be executed.",
		"inputSchema":{"properties":{` + op + `,` + nonce + `},"required":["op"],"title":"settleArguments","type":"object"}}]}`
}

func TestToolsList(t *testing.T) {
	b := start(t, refserver.Config{})
	got, err := b.RPC(t.Context(), rollout, "tools/list", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	servertest.SameJSON(t, toolsList(""), got)
}

// Each call is made on the book that the calls before it have left.
func TestResults(t *testing.T) {
	b := start(t, refserver.Config{})
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"an empty book", "get", `{"op":"o1"}`, `{"op":"o1","entries":[],"values":{}}`},
		{"the first entry", "append", `{"op":"o2","text":"one","nonce":"n2"}`, `{"op":"o2","entry":1,"nonce":"n2"}`},
		{"no nonce is asked for", "append", `{"op":"o3","text":""}`, `{"op":"o3","entry":2}`},
		{"an empty nonce is none", "append", `{"op":"o4","text":"three","nonce":""}`, `{"op":"o4","entry":3}`},
		{"the same operation appends again", "append", `{"op":"o2","text":"one","nonce":"n2b"}`, `{"op":"o2","entry":4,"nonce":"n2b"}`},
		{"a value", "put", `{"op":"o5","key":"k","value":"v","nonce":"n5","more":{}}`, `{"op":"o5","key":"k","value":"v","nonce":"n5"}`},
		{"the same operation sets it again", "put", `{"op":"o5","key":"k","value":"v","nonce":"n5"}`, `{"op":"o5","key":"k","value":"v","nonce":"n5"}`},
		{"reading it", "get", `{"op":"o6","key":"k","nonce":"n6"}`, `{"op":"o6","key":"k","value":"v","nonce":"n6"}`},
		{"reading what is not there", "get", `{"op":"o7","key":"K"}`, `{"op":"o7","key":"K","value":null}`},
		{"everything", "get", `{"op":"o8","nonce":"n8"}`, `{"op":"o8","entries":[{"op":"o2","entry":1,"text":"one"},{"op":"o3","entry":2,"text":""},
			{"op":"o4","entry":3,"text":"three"},{"op":"o2","entry":4,"text":"one"}],"values":{"k":"v"},"nonce":"n8"}`},
		{"looking up", "lookup", `{"op":"o2","nonce":"n9"}`, `{"op":"o2","found":true,"results":[{"op":"o2","entry":1,"nonce":"n2"},{"op":"o2","entry":4,"nonce":"n2b"}],"nonce":"n9"}`},
		{"looking up a value", "lookup", `{"op":"o5"}`, `{"op":"o5","found":true,"results":[{"op":"o5","key":"k","value":"v","nonce":"n5"},{"op":"o5","key":"k","value":"v","nonce":"n5"}]}`},
		{"a read is no execution", "lookup", `{"op":"o6"}`, `{"op":"o6","found":false,"results":[]}`},
		{"settling what is done", "settle", `{"op":"o3","nonce":"n10"}`, `{"op":"o3","state":"done","results":[{"op":"o3","entry":2}],"nonce":"n10"}`},
		{"settling what never came", "settle", `{"op":"o99","nonce":"n11"}`, `{"op":"o99","state":"voided","nonce":"n11"}`},
		{"settling it again", "settle", `{"op":"o99","nonce":"n12"}`, `{"op":"o99","state":"voided","nonce":"n12"}`},
		{"looking up what was voided", "lookup", `{"op":"o99"}`, `{"op":"o99","found":false,"results":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := b.RPC(t.Context(), rollout, "tools/call", `{"name":"`+tt.tool+`","arguments":`+tt.arguments+`}`)
			if err != nil {
				t.Fatal(err)
			}
			var result struct{ Content []struct{ Text string } }
			if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) != 1 {
				t.Fatalf("%s (%v)", raw, err)
			}
			servertest.SameJSON(t, tt.want, []byte(result.Content[0].Text))
			text, _ := json.Marshal(result.Content[0].Text)
			servertest.SameJSON(t, `{"content":[{"type":"text","text":`+string(text)+`}],"structuredContent":`+tt.want+`,"isError":false}`, raw)
		})
	}
}

func TestErrorsAreResults(t *testing.T) {
	b := start(t, refserver.Config{})
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"no arguments", "append", `null`, "op: a string is required"},
		{"arguments a list", "append", `[]`, "arguments: not an object"},
		{"no op", "append", `{"text":"x"}`, "op: a string is required"},
		{"op null", "put", `{"op":null,"key":"k","value":"v"}`, "op: a string is required"},
		{"op a number", "get", `{"op":3}`, "op: a string is required"},
		{"op in another case", "lookup", `{"Op":"o"}`, "op: a string is required"},
		{"op empty", "settle", `{"op":""}`, "op: must not be empty"},
		{"no text", "append", `{"op":"o"}`, "text: a string is required"},
		{"text an object", "append", `{"op":"o","text":{}}`, "text: a string is required"},
		{"no key", "put", `{"op":"o","value":"v"}`, "key: a string is required"},
		{"no value", "put", `{"op":"o","key":"k"}`, "value: a string is required"},
		{"value null", "put", `{"op":"o","key":"k","value":null}`, "value: a string is required"},
		{"key a number", "get", `{"op":"o","key":1}`, "key: a string is required"},
		{"nonce a number", "append", `{"op":"o","text":"x","nonce":1}`, "nonce: a string is required"},
		{"nonce null", "settle", `{"op":"o","nonce":null}`, "nonce: a string is required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(b.List())
			raw, err := b.RPC(t.Context(), rollout, "tools/call", `{"name":"`+tt.tool+`","arguments":`+tt.arguments+`}`)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal("Error executing tool " + tt.tool + ": invalid argument: " + tt.want)
			servertest.SameJSON(t, `{"content":[{"type":"text","text":`+string(text)+`}],"isError":true}`, raw)
			effects := b.List()[before:]
			if len(effects) != 1 || effects[0].Kind != history.EffectRefuse || effects[0].Tool != tt.tool || !strings.Contains(effects[0].Reason, tt.want) {
				t.Errorf("effects %+v", effects)
			}
		})
	}
	if texts := b.texts(t, rollout); len(texts) != 0 {
		t.Errorf("entries %q", texts)
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
			b := start(t, tt.cfg)
			session := b.Connect(t, rollout)
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "append", Arguments: map[string]any{"op": "o", "text": "x", "nonce": "n"}})
			if err != nil || result.IsError {
				t.Fatalf("%+v (%v)", result, err)
			}
			payload, err := json.Marshal(result.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			servertest.SameJSON(t, `{"op":"o","entry":1,"nonce":"n"}`, payload)
		})
	}
}
