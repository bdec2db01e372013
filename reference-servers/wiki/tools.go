package wiki

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
)

// tool is one of the wiki's tools.
type tool struct {
	spec     *mcp.Tool
	argument string // the one that it requires
	find     func(c *corpus, value string) (result, error)
}

// result is the result of any of the tools.
type result struct {
	Pages    []pageRef    `json:"pages,omitempty"`
	Sections []sectionRef `json:"sections,omitempty"`
	Text     string       `json:"text,omitempty"`
	Nonce    string       `json:"nonce,omitempty"` // of the arguments
}

// The tools, by the names and arguments that wiki-search has. The optional
// arguments name the operation and carry a nonce.
var (
	searchPages = tool{
		spec("search_pages", "Find the pages that have most to do with a query.", "query", "Query"), "query",
		func(c *corpus, query string) (result, error) { return result{Pages: c.search(query)}, nil },
	}
	viewSections = tool{
		spec("view_sections", "List the sections of a page.", "page_id", "Page Id"), "page_id",
		func(c *corpus, id string) (result, error) {
			list, err := c.sections(id)
			return result{Sections: list}, err
		},
	}
	readSection = tool{
		spec("read_section", "Read a section.", "section_id", "Section Id"), "section_id",
		func(c *corpus, id string) (result, error) {
			text, err := c.read(id)
			return result{Text: text}, err
		},
	}
)

func spec(name, description, argument, title string) *mcp.Tool {
	return &mcp.Tool{
		Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		InputSchema: json.RawMessage(`{"properties":{"` + argument + `":{"title":"` + title + `","type":"string"},` +
			`"op":{"default":"","title":"Op","type":"string"},"nonce":{"default":"","title":"Nonce","type":"string"}},` +
			`"required":["` + argument + `"],"title":"` + name + `Arguments","type":"object"}`),
	}
}

// serve is a tool for one rollout.
func (s *server) serve(rollout string, t tool) refserver.Tool {
	return refserver.Tool{
		Tool: t.spec,
		Call: func(ctx context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
			steps := s.Effects.Steps(history.Effect{
				Rollout: rollout, Key: keys.Key(t.spec.Name, raw), Tool: t.spec.Name,
				Digest: refserver.DigestArguments(t.spec.Name, raw),
			})
			found, err := s.find(t, raw)
			if err != nil {
				return nil, steps.Refuse(err)
			}
			return s.execute(ctx, steps, found)
		},
	}
}

// find reads the arguments and finds the result. What is asked for and not there
// is an error like any other argument.
func (s *server) find(t tool, raw json.RawMessage) (result, error) {
	arguments, err := refserver.ParseArguments(raw)
	if err != nil {
		return result{}, err
	}
	value, err := arguments.Text(t.argument)
	if err != nil {
		return result{}, err
	}
	if _, _, err := arguments.Optional("op"); err != nil {
		return result{}, err
	}
	nonce, _, err := arguments.Optional("nonce")
	if err != nil {
		return result{}, err
	}
	found, err := t.find(s.corpus, value)
	found.Nonce = nonce
	return found, err
}

// execute takes a call through its steps. Once begun it depends on nobody; only
// closing the server ends it early, and the end of ctx, which is the client's cancel.
func (s *server) execute(ctx context.Context, steps refserver.Steps, found result) (*mcp.CallToolResult, error) {
	s.enter(found)
	if err := steps.Begin(); err != nil {
		return nil, err
	}
	if err := s.takeTime(ctx); err != nil {
		return nil, steps.Abort(err)
	}
	if err := steps.Commit(0, ""); err != nil {
		return nil, steps.Abort(err)
	}
	if err := steps.Answer("", false); err != nil {
		return nil, err
	}
	return refserver.JSONResult(s.current(found))
}
