package refserver

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestFastMCPKeepsErrors hands the middleware what the SDK's own handlers return
// with an error: a result of their type that points to nothing.
func TestFastMCPKeepsErrors(t *testing.T) {
	broken := errors.New("broken")
	invalid := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams}
	call := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "fly"}}
	list := &mcp.ListToolsRequest{Params: &mcp.ListToolsParams{}}
	tests := []struct {
		name   string
		req    mcp.Request
		result mcp.Result
		err    error
		want   error
	}{
		{"a list", list, (*mcp.ListToolsResult)(nil), broken, broken},
		{"a list of invalid params", list, (*mcp.ListToolsResult)(nil), invalid, invalid},
		{"a call", call, (*mcp.CallToolResult)(nil), broken, broken},
		{"a call of an unknown tool", call, (*mcp.CallToolResult)(nil), invalid, nil},
		{"no result", call, nil, broken, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			next := func(context.Context, string, mcp.Request) (mcp.Result, error) { return tt.result, tt.err }
			result, err := asFastMCP(next)(context.Background(), "", tt.req)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if r, ok := result.(*callResult); tt.want == nil && (!ok || !r.IsError) {
				t.Errorf("result %+v, want one with isError", result)
			}
		})
	}
}
