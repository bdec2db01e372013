package client_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// TestHeaders lists what each kind of request carries, twice over: values are
// shared between requests, so one that changed them would show in the next.
func TestHeaders(t *testing.T) {
	server := serve(t, func(_ int, a asked) (string, ending) {
		if a.rpc == "initialize" {
			body := result(a.id, `{}`)
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), keep
		}
		return polite(a)
	})
	given := http.Header{"X-Extra": {"a", "b"}, "Accept": {"text/plain"}}
	c, _ := dial(t, server.url(), quick(t, "settle"), given)
	for _, step := range []string{"s02", "s03"} {
		if got := c.CallTool(t.Context(), step, history.Keyed, respond); got.Told != history.ToldOK {
			t.Fatalf("told %s: %v", got.Told, got.Cause)
		}
	}
	all := server.all()
	if len(all) != 8 {
		t.Fatalf("server saw %s", server.requests())
	}
	for i, a := range all {
		want := http.Header{
			"X-Extra": {"a", "b"}, "Accept": {"application/json, text/event-stream"},
			wire.OpHeader: {fmt.Sprintf("t000001.1/s%02d/a1", 2+i/4)},
		}
		if a.rpc != "initialize" {
			want["Mcp-Protocol-Version"], want["Mcp-Session-Id"] = []string{"2025-11-25"}, []string{"abc"}
		}
		if a.method == http.MethodPost {
			want["Content-Type"] = []string{"application/json"}
		}
		for _, name := range []string{"User-Agent", "Content-Length"} { // net/http's own
			a.header.Del(name)
		}
		if diff := cmp.Diff(want, a.header); diff != "" {
			t.Errorf("request %d, %s %s: (-want +got)\n%s", i, a.method, a.rpc, diff)
		}
	}
	if diff := cmp.Diff(http.Header{"X-Extra": {"a", "b"}, "Accept": {"text/plain"}}, given); diff != "" {
		t.Errorf("the caller's header was changed: (-want +got)\n%s", diff)
	}
}

func TestContentTypes(t *testing.T) {
	for contentType, told := range map[string]history.Told{
		"application/json":                history.ToldOK,
		"application/json; charset=utf-8": history.ToldOK,
		"Application/JSON":                history.ToldOK,
		"text/json":                       history.ToldUnknown,
		"application/json-seq":            history.ToldUnknown,
		"":                                history.ToldUnknown,
	} {
		server := serve(t, func(_ int, a asked) (string, ending) {
			if a.rpc != "tools/call" {
				return polite(a)
			}
			body := toolResult(a.id, "hello")
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", contentType, len(body), body), keep
		})
		c, _ := dial(t, server.url(), quick(t, "at-most-once"), nil)
		if got := c.CallTool(t.Context(), "s02", history.Unsafe, respond); got.Told != told {
			t.Errorf("an answer of type %q was told %s, want %s", contentType, got.Told, told)
		}
	}
}
