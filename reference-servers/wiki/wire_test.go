package wiki_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/internal/servertest"
)

// listed is a tool as the golden answer to tools/list has it.
func listed(name, description, argument, title string) string {
	return `{"name":"` + name + `","annotations":{"idempotentHint":false,"readOnlyHint":true},"description":"` + description + `",
		"inputSchema":{"properties":{"` + argument + `":{"title":"` + title + `","type":"string"},
			"op":{"default":"","title":"Op","type":"string"},"nonce":{"default":"","title":"Nonce","type":"string"}},
			"required":["` + argument + `"],"title":"` + name + `Arguments","type":"object"}}`
}

func TestToolsList(t *testing.T) {
	s := start(t, refserver.Config{})
	got, err := s.RPC(t.Context(), rollout, "tools/list", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	servertest.SameJSON(t, `{"tools":[`+
		listed("read_section", "Read a section.", "section_id", "Section Id")+`,`+
		listed("search_pages", "Find the pages that have most to do with a query.", "query", "Query")+`,`+
		listed("view_sections", "List the sections of a page.", "page_id", "Page Id")+`]}`, got)
}

// The corpus is a function of the seed, and these are its words under seed 1.
func TestResults(t *testing.T) {
	s := start(t, refserver.Config{Seed: 1})
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"a search", "search_pages", `{"query":"West Moor","nonce":"n1","op":"o1","more":1}`, `{"pages":[
			{"page_id":"west_moor","title":"West Moor"},{"page_id":"deep_moor","title":"Deep Moor"},
			{"page_id":"west_barrow","title":"West Barrow"},{"page_id":"west_field","title":"West Field"},
			{"page_id":"south_moor","title":"South Moor"},{"page_id":"little_moor","title":"Little Moor"},
			{"page_id":"east_moor","title":"East Moor"},{"page_id":"west_gate","title":"West Gate"},
			{"page_id":"upper_moor","title":"Upper Moor"},{"page_id":"green_moor","title":"Green Moor"}],"nonce":"n1"}`},
		{"the sections of a page", "view_sections", `{"page_id":"west_moor"}`, `{"sections":[
			{"section_id":"west_moor:history","section_name":"History"},{"section_id":"west_moor:geography","section_name":"Geography"},
			{"section_id":"west_moor:economy","section_name":"Economy"},{"section_id":"west_moor:culture","section_name":"Culture"},
			{"section_id":"west_moor:transport","section_name":"Transport"}]}`},
		{
			"the text of a section", "read_section", `{"section_id":"west_moor:history","nonce":""}`,
			`{"text":"The windy bridge of West Moor was flooded in 1880 by the teachers. The busy bridge of West Moor was painted in 1319 by the potters. ` +
				`The late mill of West Moor was founded in 1270 by the monks. The quiet lighthouse of West Moor was founded in 1770 by the sailors."}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := s.RPC(t.Context(), rollout, "tools/call", `{"name":"`+tt.tool+`","arguments":`+tt.arguments+`}`)
			if err != nil {
				t.Fatal(err)
			}
			var r struct{ Content []struct{ Text string } }
			if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
				t.Fatalf("%s (%v)", raw, err)
			}
			text, _ := json.Marshal(r.Content[0].Text)
			servertest.SameJSON(t, tt.want, []byte(r.Content[0].Text))
			servertest.SameJSON(t, `{"content":[{"type":"text","text":`+string(text)+`}],"structuredContent":`+tt.want+`,"isError":false}`, raw)
		})
	}
}

func TestErrorsAreResults(t *testing.T) {
	s := start(t, refserver.Config{})
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"arguments a text", "search_pages", `"x"`, "invalid argument: arguments: not an object"},
		{"no query", "search_pages", `{"op":"o"}`, "invalid argument: query: a string is required"},
		{"query a number", "search_pages", `{"query":1}`, "invalid argument: query: a string is required"},
		{"page_id null", "view_sections", `{"page_id":null}`, "invalid argument: page_id: a string is required"},
		{"no section_id", "read_section", `{"page_id":"x"}`, "invalid argument: section_id: a string is required"},
		{"op a number", "search_pages", `{"query":"x","op":1}`, "invalid argument: op: a string is required"},
		{"nonce a list", "search_pages", `{"query":"x","nonce":[]}`, "invalid argument: nonce: a string is required"},
		{"an unknown page", "view_sections", `{"page_id":"atlantis"}`, `page_id: "atlantis": no such page`},
		{"an unknown section", "read_section", `{"section_id":"atlantis:history"}`, `section_id: "atlantis:history": no such section`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(s.List())
			raw, err := s.RPC(t.Context(), rollout, "tools/call", `{"name":"`+tt.tool+`","arguments":`+tt.arguments+`}`)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal("Error executing tool " + tt.tool + ": " + tt.want)
			servertest.SameJSON(t, `{"content":[{"type":"text","text":`+string(text)+`}],"isError":true}`, raw)
			effects := s.List()[before:]
			if len(effects) != 1 || effects[0].Kind != history.EffectRefuse || effects[0].Reason != tt.want {
				t.Errorf("effects %+v", effects)
			}
		})
	}
}

func TestEffectsOfACall(t *testing.T) {
	s := start(t, refserver.Config{Name: "kb", Arm: "main"})
	for i, tt := range []struct{ arguments, key string }{
		{`{"query":"mill","op":"t000001/s02"}`, "arg:t000001/s02"},
		{`{"query":"mill"}`, "args:" + refserver.DigestArguments("search_pages", []byte(`{"query":"mill"}`))},
	} {
		ask(t, s, "search_pages", tt.arguments)
		var want []history.Effect
		for n, kind := range []history.EffectKind{history.EffectBegin, history.EffectCommit, history.EffectAnswer} {
			want = append(want, history.Effect{
				Arm: "main", Server: "kb", Rollout: rollout, Kind: kind, N: int64(3*i + n + 1), Key: tt.key,
				Tool: "search_pages", Digest: refserver.DigestArguments("search_pages", []byte(tt.arguments)),
			})
		}
		if diff := cmp.Diff(want, s.List()[3*i:], cmpopts.IgnoreFields(history.Effect{}, "At")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLostEffects(t *testing.T) {
	errDisk := errors.New("no space left")
	for _, tt := range []struct {
		kind history.EffectKind
		want []string
	}{
		{history.EffectBegin, nil},
		{history.EffectCommit, []string{"begin", "abort"}},
		{history.EffectAnswer, []string{"begin", "commit"}},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			s := start(t, refserver.Config{Effects: &servertest.Effects{Fail: func(e history.Effect) error {
				if e.Kind == tt.kind {
					return errDisk
				}
				return nil
			}}})
			r, err := s.Call(t.Context(), rollout, "search_pages", `{"query":"mill"}`)
			if err != nil || !r.IsError || !strings.Contains(r.Text(), "effect not recorded: "+string(tt.kind)) {
				t.Errorf("%+v (%v)", r, err)
			}
			if diff := cmp.Diff(tt.want, kinds(s)); diff != "" {
				t.Error(diff)
			}
			if err := s.Stop(t); !errors.Is(err, errDisk) || !errors.Is(err, refserver.ErrEffect) {
				t.Errorf("the end does not tell: %v", err)
			}
		})
	}
}

func TestDisconnectIsNoCancel(t *testing.T) {
	held := servertest.NewHeldClock()
	s := start(t, refserver.Config{Clock: held})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.Call(ctx, rollout, "search_pages", `{"query":"mill"}`)
		gone <- err
	}()
	held.Wait(t)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatalf("the call was answered: %v", err)
	}
	held.Release()
	s.Await(t, history.EffectAnswer, 1)
	if diff := cmp.Diff([]string{"begin", "commit", "answer"}, kinds(s)); diff != "" {
		t.Error(diff)
	}
}

func TestWithTheSDKClient(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  refserver.Config
	}{
		{"stateless", refserver.Config{}},
		{"stateful, event streams", refserver.Config{Stateful: true, SSE: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			session := start(t, tt.cfg).Connect(t, rollout)
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_pages", Arguments: map[string]any{"query": "mill"}})
			if err != nil || r.IsError || len(r.StructuredContent.(map[string]any)["pages"].([]any)) != 10 {
				t.Errorf("%+v (%v)", r, err)
			}
		})
	}
}
