package wiki

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The wiki is also there as resources and prompts, for clients that list and read
// them. They are read as the tools read, and are no operations of their own: no
// effect is recorded.

// listed is how many resources are on one page of their list.
const listed = 50

// The addresses of the resources.
const (
	pageURI    = "wiki://page/"
	sectionURI = "wiki://section/"
)

// templates are the resource templates: pages, which are listed too, and sections.
var templates = []*mcp.ResourceTemplate{
	{Name: "page", Description: "A page with all its sections.", MIMEType: "text/plain", URITemplate: pageURI + "{page_id}"},
	{Name: "section", Description: "A section of a page.", MIMEType: "text/plain", URITemplate: sectionURI + "{+section_id}"},
}

// summarise is a prompt about one page, and explore one that takes no argument.
var (
	summarise = &mcp.Prompt{
		Name: "summarise", Description: "Summarise a page.",
		Arguments: []*mcp.PromptArgument{{Name: "page_id", Description: "The page's id.", Required: true}},
	}
	explore = &mcp.Prompt{Name: "explore", Description: "Find something worth reading."}
)

// furnish adds the resources and prompts to one rollout's server.
func (s *server) furnish(m *mcp.Server) {
	for _, t := range templates {
		m.AddResourceTemplate(t, s.readResource)
	}
	m.AddPrompt(summarise, s.summarise)
	m.AddPrompt(explore, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return said(explore.Description, "Find a page of the wiki that you did not know, and say what is remarkable about it."), nil
	})
	m.AddReceivingMiddleware(s.listPages)
}

// listPages answers resources/list with the pages of the wiki, which are too many
// to be registered with every rollout's server.
func (s *server) listPages(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		list, ok := req.(*mcp.ListResourcesRequest)
		if !ok {
			return next(ctx, method, req)
		}
		cursor := ""
		if list.Params != nil {
			cursor, list.Params.Cursor = list.Params.Cursor, "" // the SDK knows no such cursor
		}
		from, err := s.position(cursor)
		if err != nil {
			return nil, err
		}
		result, err := next(ctx, method, req)
		if page, ok := result.(*mcp.ListResourcesResult); ok && err == nil {
			to := min(from+listed, len(s.resources))
			page.Resources = s.resources[from:to]
			if to < len(s.resources) {
				page.NextCursor = fmt.Sprintf("p%d", to)
			}
		}
		return result, err
	}
}

// position is where the page at a cursor begins.
func (s *server) position(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(cursor, "p"))
	if err != nil || cursor[0] != 'p' || n < 0 || n >= len(s.resources) {
		return 0, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("invalid cursor %q", cursor)}
	}
	return n, nil
}

// resourcesOf are the pages as they are listed.
func resourcesOf(c *corpus) []*mcp.Resource {
	list := make([]*mcp.Resource, len(c.pages))
	for i, p := range c.pages {
		list[i] = &mcp.Resource{Name: p.ID, Title: p.Title, URI: pageURI + p.ID, MIMEType: "text/plain"}
	}
	return list
}

// readResource reads a page or a section.
func (s *server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	text, err := s.textAt(uri)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err := s.takeTime(ctx); err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: text}}}, nil
}

// textAt is the text of the resource at an address.
func (s *server) textAt(uri string) (string, error) {
	if id, ok := strings.CutPrefix(uri, sectionURI); ok {
		return s.corpus.read(id)
	}
	return s.corpus.whole(strings.TrimPrefix(uri, pageURI))
}

// summarise is the prompt about one page.
func (s *server) summarise(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text, err := s.corpus.whole(req.Params.Arguments["page_id"])
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	return said(summarise.Description, "Summarise this in one sentence:\n\n"+text), nil
}

// said is a prompt of one message of the user's.
func said(description, text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{
		Description: description,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}
}

// whole is the text of all sections of a page.
func (c *corpus) whole(id string) (string, error) {
	sections, err := c.sections(id)
	if err != nil {
		return "", err
	}
	texts := make([]string, 0, len(sections))
	for _, section := range sections {
		texts = append(texts, section.Name+"\n"+c.texts[section.ID])
	}
	return strings.Join(texts, "\n\n"), nil
}
