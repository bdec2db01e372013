package community_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// childMode is what this test binary is to be when a stdio client starts it.
const childMode = "COMMUNITY_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	goleak.VerifyTestMain(m)
}

// child is a stdio server, or something that only looks like one.
func child(mode string) int {
	fmt.Fprintf(os.Stderr, "child: started as %s, process %d\n", mode, os.Getpid())
	switch mode {
	case "server":
		hanging := func() { fmt.Fprintln(os.Stderr, "child: hanging") }
		_ = newServer(&counts{hanging: hanging}).Run(context.Background(), &mcp.StdioTransport{})
	case "garbage":
		fmt.Println("Welcome to the server!")
		wait()
	case "exits":
		fmt.Fprintln(os.Stderr, "child: no licence")
		return 3
	case "deaf": // neither answers nor ends when its stdin does
		select {}
	case "silent":
		wait()
	}
	return 0
}

// wait returns once stdin has ended.
func wait() {
	buffer := make([]byte, 1<<10)
	for {
		if _, err := os.Stdin.Read(buffer); err != nil {
			return
		}
	}
}

// counts are what a server has seen.
type counts struct {
	sessions, calls atomic.Int64
	hanging         func()        // called when the tool hang is, unless it is nil
	over            chan struct{} // ends that tool, once closed
}

type echoArguments struct {
	Message string `json:"message"`
}

// newServer is a server with tools, resources and prompts, three to a page.
func newServer(seen *counts) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "everything", Version: "1"}, &mcp.ServerOptions{
		PageSize:           3,
		InitializedHandler: func(context.Context, *mcp.InitializedRequest) { seen.sessions.Add(1) },
	})
	echo := func(_ context.Context, _ *mcp.CallToolRequest, a echoArguments) (*mcp.CallToolResult, map[string]any, error) {
		seen.calls.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Echo: " + a.Message}}}, map[string]any{"toldBack": a.Message}, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "says it again"}, echo)
	mcp.AddTool(s, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("the tool refused")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		if seen.hanging != nil {
			seen.hanging()
		}
		select {
		case <-ctx.Done():
		case <-seen.over:
		}
		return nil, nil, errors.New("nobody waits any more")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "die"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		fmt.Fprintln(os.Stderr, "child: dying")
		os.Exit(4) // only as a child: over HTTP no such call gets this far
		return nil, nil, nil
	})
	for i := range 7 {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("tool%d", i)}, echo)
		uri := fmt.Sprintf("test://text/%d", i)
		s.AddResource(&mcp.Resource{URI: uri, Name: uri, MIMEType: "text/plain"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: "text of " + uri}}}, nil
		})
		s.AddPrompt(&mcp.Prompt{Name: fmt.Sprintf("prompt%d", i)}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := "prompt of " + r.Params.Arguments["who"]
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
	return s
}

// target is a server of one kind, and how a script makes a client of it.
type target struct {
	construct string // such as "new mcp.SSEClient({ base_url: '…' })"
	seen      *counts
}

// with adds settings to the construction.
func (t target) with(settings string) string {
	return strings.TrimSuffix(t.construct, " })") + ", " + settings + " })"
}

// eachKind runs a test against a server of every kind.
func eachKind(t *testing.T, test func(*testing.T, target)) {
	t.Helper()
	t.Run("stdio", func(t *testing.T) { test(t, target{construct: stdioClient(t, "server")}) })
	t.Run("sse", func(t *testing.T) { test(t, overHTTP(t, "SSEClient", sseHandler)) })
	t.Run("streamable", func(t *testing.T) { test(t, overHTTP(t, "StreamableHTTPClient", streamableHandler)) })
}

func sseHandler(get func(*http.Request) *mcp.Server) http.Handler {
	return mcp.NewSSEHandler(get, nil)
}

func streamableHandler(get func(*http.Request) *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(get, nil)
}

func overHTTP(t *testing.T, class string, handler func(func(*http.Request) *mcp.Server) http.Handler) target {
	t.Helper()
	seen := &counts{over: make(chan struct{})}
	server := newServer(seen)
	listening := httptest.NewServer(handler(func(*http.Request) *mcp.Server { return server }))
	t.Cleanup(func() {
		close(seen.over)
		for s := range server.Sessions() {
			_ = s.Close()
		}
		listening.CloseClientConnections()
		listening.Close()
	})
	return target{fmt.Sprintf("new mcp.%s({ base_url: '%s/mcp' })", class, listening.URL), seen}
}

// stdioClient constructs a client that starts this binary as a child.
func stdioClient(t *testing.T, mode string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("new mcp.StdioClient({ path: '%s', args: [], env: ['%s=%s'] })", program, childMode, mode)
}
