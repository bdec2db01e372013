package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// TestResume: the rest of a stream that broke after it named an event is asked for
// by GET, and the call is sent once.
func TestResume(t *testing.T) {
	primed := stream("id: e1\nretry: 1\ndata:\n\n")
	whole := stream("id: e2\ndata: " + toolResult("1", "late") + "\n\n")
	tests := []struct {
		name   string
		call   string // the answer to the call, which then breaks
		rest   []string
		told   history.Told
		text   string
		resume []string // Last-Event-Id of every GET
	}{
		{"resumed", primed, []string{whole}, history.ToldOK, "late", []string{"e1"}},
		{"broken again, then resumed further on", primed, []string{stream("id: e2\ndata:\n\n"), whole}, history.ToldOK, "late", []string{"e1", "e2"}},
		{"broken for good", primed, []string{primed, primed, primed, primed}, history.ToldUnknown, "", []string{"e1", "e1", "e1"}},
		{"the server lets no stream be resumed", primed, []string{plain(405, "")}, history.ToldUnknown, "", []string{"e1"}},
		{"no event was named", stream("data: {}\n\n"), nil, history.ToldUnknown, "", nil},
		{"no byte came", "", nil, history.ToldUnknown, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, func(n int, a asked) (string, ending) {
				switch {
				case a.rpc == "tools/call":
					return tt.call, rst
				case a.method == http.MethodGet:
					return tt.rest[n-1], fin
				}
				return polite(a)
			})
			p := quick(t, "resume")
			p.Session = client.PerCall
			c, rec := dial(t, server.url(), p, nil)
			got := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
			var resumed []string
			for _, a := range server.all() {
				if a.method == http.MethodGet {
					resumed = append(resumed, a.header.Get("Last-Event-Id"))
				}
			}
			if got.Told != tt.told || strings.Count(server.requests(), "tools/call") != 1 {
				t.Errorf("told %s (%v), want %s; server saw %s", got.Told, got.Cause, tt.told, server.requests())
			}
			if diff := cmp.Diff(tt.resume, resumed); diff != "" {
				t.Errorf("resumed from -want +got\n%s", diff)
			}
			if tt.told == history.ToldOK && got.Tool.Text() != tt.text {
				t.Errorf("got %q, want %q", got.Tool.Text(), tt.text)
			}
			if last := rec.attempts[len(rec.attempts)-1]; len(tt.resume) > 0 && (last.Role != history.RoleGet || last.Attempt != 1) {
				t.Errorf("the last exchange is %+v, want a get of the first attempt", last)
			}
		})
	}
}

// TestEachGetIsRecorded: the server closes a connection that stood idle just as a GET
// has arrived on it, again and again. What it saw is what was recorded, one for one.
func TestEachGetIsRecorded(t *testing.T) {
	ended := strings.Replace(stream(""), "Connection: close\r\n", "Transfer-Encoding: chunked\r\n", 1) + "17\r\nid: e1\nretry: 1\ndata:\n\n\r\n0\r\n\r\n"
	for _, end := range []ending{fin, rst} {
		server := serve(t, func(_ int, a asked) (string, ending) {
			switch {
			case a.rpc == "tools/call":
				return ended, keep // the stream ends in order, and the connection can serve again
			case a.method == http.MethodGet && !a.fresh:
				return "", end
			case a.method == http.MethodGet:
				return ended, keep
			}
			return polite(a)
		})
		p := quick(t, "resume")
		p.Session, p.Attempts, p.Unknown = client.PerCall, 1, client.ReportUnknown
		c, rec := dial(t, server.url(), p, nil)
		c.CallTool(t.Context(), "s02", history.Unsafe, respond)
		recorded, reused := 0, false
		for _, a := range rec.attempts {
			if a.Role == history.RoleGet {
				recorded++
				reused = reused || !a.ConnNew
			}
		}
		if seen := strings.Count(server.requests(), http.MethodGet); seen != recorded || seen == 0 || !reused {
			t.Errorf("the server saw %d requests by GET, and %d were recorded: %s", seen, recorded, server.requests())
		}
	}
}

// TestADeadlineCancels: before the stateless era the client says so.
func TestADeadlineCancels(t *testing.T) {
	server := serve(t, faulty("tools/call", 1, "", hang))
	p := quick(t, "resume")
	p.Attempts, p.Deadline = 1, 50*time.Millisecond
	c, _ := dial(t, server.url(), p, nil)
	got := c.CallTool(t.Context(), "s02", history.Keyed, respond)
	if got.Told != history.ToldUnknown || server.requests() != "initialize initialized tools/call cancelled" {
		t.Fatalf("told %s (%v); server saw %s", got.Told, got.Cause, server.requests())
	}
	last := server.all()[3]
	if diff := cmp.Diff(anyJSON(t, `{"requestId":1,"reason":"deadline"}`), anyJSON(t, last.arguments)); diff != "" {
		t.Errorf("cancelled -want +got\n%s", diff)
	}
}

// TestListening: a session keeps a stream open on a connection of its own, which
// neither the calls nor the closing wait for.
func TestListening(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		end       ending
		anyhow    bool // it may have been cut before we closed it or not
	}{
		{"until we close it", stream(": ok\n\n"), hang, false},
		{"not offered", plain(405, ""), keep, false},
		{"never answered", "", hang, false},
		{"cut by the server", stream("data: {}\n\n"), rst, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := make(chan struct{}, 1)
			server := serve(t, func(_ int, a asked) (string, ending) {
				switch {
				case a.method == http.MethodGet:
					got <- struct{}{}
					return tt.raw, tt.end
				case a.rpc == "initialize":
					body := result(a.id, `{}`)
					return fmt.Sprintf("HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), keep
				}
				return polite(a)
			})
			c, rec := dial(t, server.url(), quick(t, "resume"), nil)
			connected := c.Connect(t.Context(), "s01")
			<-got
			called := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
			closed := c.Close(t.Context(), "s03")
			if connected.Told != history.ToldOK || called.Told != history.ToldOK || closed.Told != history.ToldOK {
				t.Errorf("told %s, %s, %s", connected.Told, called.Told, closed.Told)
			}
			var listened []history.Attempt
			for _, a := range rec.attempts {
				if a.Role == history.RoleGet {
					listened = append(listened, a)
				}
			}
			if len(listened) != 1 || listened[0].Op != "t000001/s01" || listened[0].Exchange != 3 || !listened[0].ConnNew {
				t.Fatalf("recorded %+v, want one stream of s01", listened)
			}
			if a := listened[0]; a.Told != history.ToldOK && !tt.anyhow {
				t.Errorf("the stream was told %s (%v), want ok", a.Told, a.Cause)
			}
			for _, a := range server.all() {
				if a.method == http.MethodGet && (a.session != "abc" || a.header.Get("Accept") != "text/event-stream" || a.header.Get("Last-Event-Id") != "") {
					t.Errorf("the stream was asked for with %v", a.header)
				}
			}
		})
	}
}
