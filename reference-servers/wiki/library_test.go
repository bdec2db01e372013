package wiki_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	refserver "mcpstorm/reference-servers"
)

// TestEveryPageIsListed walks the list through its cursors.
func TestEveryPageIsListed(t *testing.T) {
	s := start(t, refserver.Config{Seed: 1})
	seen := map[string]bool{}
	cursor, pages := "", 0
	for pages = 1; pages <= 10; pages++ {
		raw, err := s.RPC(t.Context(), rollout, "resources/list", fmt.Sprintf(`{"cursor":%q}`, cursor))
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Resources  []struct{ URI, Name string }
			NextCursor string
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Resources {
			seen[r.URI] = r.URI == "wiki://page/"+r.Name
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if pages != 4 || len(seen) != 200 || !seen["wiki://page/west_moor"] {
		t.Errorf("%d resources on %d pages, want 200 on 4", len(seen), pages)
	}
}

func TestLibrary(t *testing.T) {
	s := start(t, refserver.Config{Seed: 1})
	const history = "The windy bridge of West Moor was flooded in 1880 by the teachers."
	for _, tt := range []struct{ name, method, params, want string }{
		{"the templates", "resources/templates/list", `{}`, `wiki://section/{+section_id}`},
		{"a page", "resources/read", `{"uri":"wiki://page/west_moor"}`, `"text":"History\n` + history},
		{"a section", "resources/read", `{"uri":"wiki://section/west_moor:history"}`, `"text":"` + history},
		{"no such page", "resources/read", `{"uri":"wiki://page/nowhere"}`, "Resource not found"},
		{"no such section", "resources/read", `{"uri":"wiki://section/west_moor:nothing"}`, "Resource not found"},
		{"no such address", "resources/read", `{"uri":"http://elsewhere/"}`, "Resource not found"},
		{"a cursor of nobody's", "resources/list", `{"cursor":"x"}`, "invalid cursor"},
		{"a cursor beyond the end", "resources/list", `{"cursor":"p200"}`, "invalid cursor"},
		{"the prompts", "prompts/list", `{}`, `"name":"summarise"`},
		{"a prompt", "prompts/get", `{"name":"summarise","arguments":{"page_id":"west_moor"}}`, `"role":"user"`},
		{"a prompt without arguments", "prompts/get", `{"name":"explore"}`, "remarkable"},
		{"a prompt about nothing", "prompts/get", `{"name":"summarise","arguments":{"page_id":"nowhere"}}`, "no such page"},
		{"no such prompt", "prompts/get", `{"name":"sing"}`, "unknown prompt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := s.RPC(t.Context(), rollout, tt.method, tt.params)
			if got := fmt.Sprintf("%s %v", raw, err); !strings.Contains(got, tt.want) {
				t.Errorf("%.300s\nwant %q in it", got, tt.want)
			}
		})
	}
}

// TestTheSDKReads lets the official client read what its own calls can.
func TestTheSDKReads(t *testing.T) {
	session := start(t, refserver.Config{Seed: 1}).Connect(t, rollout)
	if caps := session.InitializeResult().Capabilities; caps.Resources == nil || caps.Prompts == nil {
		t.Errorf("capabilities %+v, want resources and prompts", caps)
	}
	n := 0
	for _, err := range session.Resources(t.Context(), nil) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 200 {
		t.Errorf("%d resources, want 200", n)
	}
	if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "explore"}); err != nil {
		t.Error(err)
	}
}
