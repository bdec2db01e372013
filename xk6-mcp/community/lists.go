package community

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages bounds a list that is read to its end.
const maxPages = 10_000

// page reads one page of a list: its items and the cursor of the next, which is
// empty at the end.
type page[T any] func(ctx context.Context, cursor string) (items []T, next string, err error)

// one is a page as the script gets it, to go on by itself.
func one[T any](ctx context.Context, name string, p params, read page[T]) (any, error) {
	items, next, err := read(ctx, p.Cursor)
	if err != nil {
		return nil, err
	}
	return map[string]any{name: append([]T{}, items...), "nextCursor": next}, nil
}

// all is every page from the cursor on. A cursor that comes twice would go round
// for ever.
func all[T any](ctx context.Context, name string, p params, read page[T]) (any, error) {
	list, cursor := []T{}, p.Cursor
	seen := map[string]bool{}
	for range maxPages {
		items, next, err := read(ctx, cursor)
		if err != nil {
			return nil, err
		}
		list = append(list, items...)
		if next == "" {
			return map[string]any{name: list}, nil
		}
		if seen[next] {
			return nil, fmt.Errorf("%w: the cursor %q came twice", errPaging, next)
		}
		seen[next], cursor = true, next
	}
	return nil, fmt.Errorf("%w: %d pages were read", errPaging, maxPages)
}

func listTools(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return one(ctx, "tools", p, toolsOf(s))
}

func listAllTools(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return all(ctx, "tools", p, toolsOf(s))
}

func listResources(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return one(ctx, "resources", p, resourcesOf(s))
}

func listAllResources(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return all(ctx, "resources", p, resourcesOf(s))
}

func listPrompts(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return one(ctx, "prompts", p, promptsOf(s))
}

func listAllPrompts(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return all(ctx, "prompts", p, promptsOf(s))
}

func toolsOf(s *mcp.ClientSession) page[*mcp.Tool] {
	return func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error) {
		r, err := s.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Tools, r.NextCursor, nil
	}
}

func resourcesOf(s *mcp.ClientSession) page[*mcp.Resource] {
	return func(ctx context.Context, cursor string) ([]*mcp.Resource, string, error) {
		r, err := s.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Resources, r.NextCursor, nil
	}
}

func promptsOf(s *mcp.ClientSession) page[*mcp.Prompt] {
	return func(ctx context.Context, cursor string) ([]*mcp.Prompt, string, error) {
		r, err := s.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Prompts, r.NextCursor, nil
	}
}
