package refserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asFastMCP makes answers look as servers on the Python SDK 1.28 send them,
// where the Go SDK differs: isError and description are written out even when
// they are false or empty, and an unknown tool is a result with isError instead
// of a JSON-RPC error.
func asFastMCP(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if call, ok := req.(*mcp.CallToolRequest); ok && isInvalidParams(err) {
			result, err = errorResult("Unknown tool: "+call.Params.Name), nil
		}
		if err != nil {
			return result, err // which may hold a nil pointer
		}
		switch r := result.(type) {
		case *mcp.CallToolResult:
			return &callResult{Content: r.Content, StructuredContent: r.StructuredContent, IsError: r.IsError}, nil
		case *mcp.ListToolsResult:
			return newListResult(r), nil
		}
		return result, nil
	}
}

// isInvalidParams reports the error that the Go SDK gives for an unknown tool; a
// Tool itself never ends in a JSON-RPC error.
func isInvalidParams(err error) bool {
	var rpc *jsonrpc.Error
	return errors.As(err, &rpc) && rpc.Code == jsonrpc.CodeInvalidParams
}

type callResult struct {
	mcp.ResultBase
	Content           []mcp.Content `json:"content"`
	StructuredContent any           `json:"structuredContent,omitempty"`
	IsError           bool          `json:"isError"`
}

type listResult struct {
	mcp.ResultBase
	Tools      []listedTool `json:"tools"`
	NextCursor string       `json:"nextCursor,omitempty"`
}

type listedTool struct {
	*mcp.Tool
	Description string `json:"description"` // shadows the tool's own
}

func newListResult(r *mcp.ListToolsResult) *listResult {
	tools := make([]listedTool, len(r.Tools))
	for i, tool := range r.Tools {
		tools[i] = listedTool{Tool: tool, Description: tool.Description}
	}
	return &listResult{Tools: tools, NextCursor: r.NextCursor}
}
