package client

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/internal/wire"
)

// FuzzWithMeta: whatever object the params are, they keep their members and get the
// era's; what is no object stays as it is.
func FuzzWithMeta(f *testing.F) {
	for _, params := range []string{
		`{}`, ` { } `, `{"name":"x","arguments":{}}`, `{"_meta":{"progressToken":7}}`, `{"_meta":null}`,
		`{"arguments":{"_meta":1}}`, `{"\u005fmeta":{}}`, `[]`, `null`, `"{"`, `{`, ``,
	} {
		f.Add([]byte(params))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		var before, after map[string]any
		got := withMeta(params)
		if json.Unmarshal(params, &before) != nil || before == nil {
			return
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", params, got, err)
		}
		own, given := before["_meta"].(map[string]any)
		if _, there := before["_meta"]; there && !given {
			return // a _meta that is no object is the server's to refuse
		}
		meta, _ := after["_meta"].(map[string]any)
		if meta["io.modelcontextprotocol/protocolVersion"] != wire.EraStateless {
			t.Fatalf("%q became %q, which names no version", params, got)
		}
		for name := range meta {
			if _, ours := own[name]; !ours {
				delete(meta, name)
			}
		}
		delete(before, "_meta")
		delete(after, "_meta")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q became %q: -before +after\n%s", params, got, diff)
		}
	})
}
