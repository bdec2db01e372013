package refserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/internal/wire"
)

// Tool is a tool of a reference server.
type Tool struct {
	*mcp.Tool // shared by all endpoints, and never changed
	// Call runs the tool. The raw arguments are as they were sent. The context ends
	// when the client goes away in the 2026-07-28 era, where a disconnect is a
	// cancel, and never in the 2025-11-25 era, where it is none. An error becomes a
	// result with isError.
	Call func(ctx context.Context, arguments json.RawMessage) (*mcp.CallToolResult, error)
}

// Endpoint is one MCP server over streamable HTTP, for one rollout.
type Endpoint struct {
	http.Handler
	server *mcp.Server
}

// NewEndpoint makes an endpoint of a completed configuration that offers these
// tools. It speaks the configuration's era.
func NewEndpoint(cfg Config, tools ...Tool) *Endpoint {
	server := mcp.NewServer(&mcp.Implementation{Name: cfg.Name, Version: "1"}, &mcp.ServerOptions{
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SupportedProtocolVersions: versions(cfg.Era),
	})
	for _, tool := range tools {
		server.AddTool(tool.Tool, tool.handler(cfg.Era))
	}
	endpoint := &Endpoint{server: server}
	endpoint.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, handlerOptions(cfg))
	if cfg.Framing != (wire.SSEFraming{}) {
		endpoint.Handler = framed(endpoint.Handler, cfg.Framing)
	}
	if cfg.Era == wire.EraStateless {
		endpoint.Handler = onlyStateless(endpoint.Handler)
	} else { // the Python SDK 1.28 speaks no newer era
		server.AddReceivingMiddleware(asFastMCP)
	}
	return endpoint
}

// Close ends every session of the endpoint after the calls that run in it.
func (e *Endpoint) Close() error {
	var errs []error
	for session := range e.server.Sessions() {
		errs = append(errs, session.Close())
	}
	return errors.Join(errs...)
}

// handler is the tool as the SDK calls it in an era.
func (t Tool) handler(era string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if era != wire.EraStateless {
			ctx = context.WithoutCancel(ctx)
		}
		result, err := t.Call(ctx, req.Params.Arguments)
		if err != nil {
			return errorResult("Error executing tool " + t.Name + ": " + err.Error()), nil
		}
		return result, nil
	}
}

// JSONResult is a successful result that carries a payload both as a text block
// and as structured content. The payload must be one that can be marshalled; an
// error becomes a result with isError like any other.
func JSONResult(payload any) (*mcp.CallToolResult, error) {
	data, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("refserver: payload: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(data)}},
		StructuredContent: json.RawMessage(data),
	}, nil
}

func errorResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
