package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// legacy is the command of scripts that need a server over a transport which the
// reference servers do not speak: legacy stdio, or legacy sse.
func legacy() {
	if err := serveLegacy(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "legacy:", err)
		os.Exit(1)
	}
}

func serveLegacy(args []string) error {
	server := echoServer()
	switch {
	case len(args) == 1 && args[0] == "stdio":
		fmt.Fprintln(os.Stderr, "legacy: speaking over stdio")
		return server.Run(context.Background(), &mcp.StdioTransport{})
	case len(args) == 1 && args[0] == "sse":
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Printf("serving http://%s/sse\n", listener.Addr())
		return http.Serve(listener, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
	}
	return fmt.Errorf("usage: legacy stdio|sse, got %q", args)
}

func echoServer() *mcp.Server {
	type arguments struct {
		Message string `json:"message"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "legacy", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Echo: " + a.Message}}}, nil, nil
	})
	return server
}
