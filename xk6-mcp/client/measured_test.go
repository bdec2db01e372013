package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/client"
)

// columns are the programs of verifiers as they were measured, and our models of them.
// Of 0.2.0 and 2134 the presets have a transport that ends by itself, so that scenarios
// show what they decide; measured were all of them on the Python SDK.
var columns = []string{"verifiers-0.2.0", "verifiers-dc1a15bc6", "verifiers-4ad49c3d3", "verifiers-fea04957b", "verifiers-0.2.1", "verifiers-2134"}

// stateful is polite, in a session that has to be ended.
func stateful(a asked) (string, ending) {
	if a.rpc == "initialize" {
		raw, end := polite(a)
		return strings.Replace(raw, "Content-Type", "Mcp-Session-Id: s1\r\nContent-Type", 1), end
	}
	return polite(a)
}

// measured is the table of what each program did when the first two requests of one
// kind met a fault: how it ended, and how many calls were seen. One measured cell is not
// a whole program: at the three initialisations of fea04957b another is added here, for
// its call has a session of its own after the one of its list.
var measured = []struct {
	fault string
	kind  string // of the requests that meet it
	raw   string
	end   ending
	want  [6]string
}{
	{"none", "", "", keep, [6]string{"ok 1", "ok 1", "ok 1", "ok 1", "ok 1", "ok 1"}},
	{"drop on initialize", "initialize", "", fin, [6]string{"fail 0", "fail 0", "fail 0", "ok 1", "fail 0 cancelled", "ok 1"}},
	{"503 on initialize", "initialize", plain(503, ""), keep, [6]string{"fail 0", "fail 0", "fail 0", "ok 1", "fail 0 cancelled", "ok 1"}},
	{"drop on initialized", "notifications/initialized", "", fin, [6]string{"fail 0", "fail 0", "fail 0", "fail 0", "ok 1", "ok 1"}},
	{"drop on tools/call", "tools/call", "", fin, [6]string{"fail 1", "ok 3", "ok 3", "fail 1", "fail 1 cancelled", "fail 1 marker"}},
	{"RST on tools/call", "tools/call", "", rst, [6]string{"fail 1", "ok 3", "ok 3", "fail 1", "fail 1 cancelled", "fail 1 marker"}},
	{"500 on tools/call", "tools/call", plain(500, ""), keep, [6]string{"fail 1", "ok 3", "ok 3", "fail 1", "fail 1 cancelled", "fail 1 marker"}},
	{"400 on tools/call", "tools/call", plain(400, ""), keep, [6]string{"fail 1", "ok 3", "ok 3", "fail 1", "fail 1 cancelled", "fail 1 marker"}},
	{"429 on tools/call", "tools/call", plain(429, ""), keep, [6]string{"fail 1", "ok 3", "ok 3", "fail 1", "fail 1 cancelled", "fail 1 marker"}},
	{"404 on tools/call", "tools/call", plain(404, ""), keep, [6]string{"fail 1", "ok 3", "ok 3", "fail 1", "ok 3", "fail 1"}},
	{
		"a JSON-RPC error", "tools/call", jsonAnswer(200, `{"jsonrpc":"2.0","id":#,"error":{"code":-32000,"message":"no"}}`), keep,
		[6]string{"fail 1", "ok 3", "ok 3", "fail 1", "ok 3", "fail 1"},
	},
	{"a body cut short", "tools/call", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{", fin, hangs(1)},
	{"bad JSON", "tools/call", jsonAnswer(200, `{"jsonrpc":`), keep, hangs(1)},
	{"text/html", "tools/call", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>", keep, hangs(1)},
	{"a wrong id", "tools/call", jsonAnswer(200, `{"jsonrpc":"2.0","id":77,"result":{"content":[]}}`), keep, hangs(1)},
	{
		"isError", "tools/call", jsonAnswer(200, `{"jsonrpc":"2.0","id":#,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`), keep,
		[6]string{"ok 1", "ok 1", "ok 1", "ok 1", "ok 1", "ok 1"},
	},
	{"DELETE drops", "DELETE", "", fin, [6]string{"ok 1", "ok 1", "ok 1", "ok 1", "ok 1", "ok 1"}},
	{"DELETE 500", "DELETE", plain(500, ""), keep, [6]string{"ok 1", "ok 1", "ok 1", "ok 1", "ok 1", "ok 1"}},
	// 0.2.0 has its result before it closes; the others hang in the session of their list.
	{"DELETE hangs", "DELETE", "", hang, [6]string{"hang 1", "hang 0", "hang 0", "hang 0", "hang 0", "hang 0"}},
}

func hangs(calls int) (all [6]string) {
	for i := range all {
		all[i] = fmt.Sprintf("hang %d", calls)
	}
	return all
}

// TestAsMeasured: our models make the calls that the real programs made, and come to
// the same end.
func TestAsMeasured(t *testing.T) {
	for _, row := range measured {
		for i, column := range columns {
			t.Run(row.fault+"/"+column, func(t *testing.T) {
				t.Parallel()
				good := polite
				if row.kind == "DELETE" {
					good = stateful
				}
				server := serve(t, func(n int, a asked) (string, ending) {
					if (a.rpc == row.kind || a.method == row.kind) && n <= 2 {
						return strings.ReplaceAll(row.raw, "#", a.id), row.end
					}
					return good(a)
				})
				if got := program(t, server, column); got != row.want[i] {
					t.Errorf("%s, measured was %s: %s", got, row.want[i], server.requests())
				}
			})
		}
	}
}

// impatient is a clock on which no pause takes any time.
type impatient struct{ clock.System }

func (impatient) Sleep(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

// program is what a harness program does: it lists the tools, calls one, and ends.
func program(t *testing.T, server *scripted, preset string) string {
	t.Helper()
	policy, err := client.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	policy = policy.OnPythonSDK()
	policy.Deadline, policy.Grace = time.Second, 100*time.Millisecond
	c, err := client.New(client.Options{
		Server: "s", URL: server.url(), Task: "t000001", Restart: 1, Policy: policy, Recorder: &recorder{},
		Clock: impatient{}, Base: clock.NewBase(clock.System{}), Random: rand.New(rand.NewPCG(1, 1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Abandon)
	last := c.Connect(t.Context(), "s01")
	if last.Told == history.ToldOK {
		last = c.Request(t.Context(), "s02", client.Request{Method: "tools/list"})
	}
	if last.Told == history.ToldOK {
		last = c.CallTool(t.Context(), "s03", history.Unsafe, respond)
	}
	if closed := c.Close(t.Context(), "s04"); closed.Told == history.ToldNone {
		last = closed // what else goes wrong in closing, the programs swallow
	}
	return fmt.Sprintf("%s %d%s", ended(last), strings.Count(server.requests(), "tools/call"), remarks(last))
}

func ended(r client.Result) string {
	switch r.Told {
	case history.ToldOK:
		return "ok"
	case history.ToldNone:
		return "hang"
	}
	return "fail"
}

func remarks(r client.Result) (text string) {
	if r.Told != history.ToldOK && r.Told != history.ToldNone && r.Cause.Class == "cancelled" {
		text += " cancelled"
	}
	if r.Diagnostics != nil {
		text += " marker"
	}
	return text
}

// TestMarkerAsMeasured: whatever the status, verifiers 2134 writes the same; and a client
// that keeps it says what came.
func TestMarkerAsMeasured(t *testing.T) {
	const lost = `VF_MCP_ERROR={"cause_type":"McpError","delivery":"response_unknown","operation":"call_tool","phase":"call_tool",` +
		`"replay_safe":false,"server":"s","session_retry_safe":false,"status_code":null,"transient":true}`
	for raw, want := range map[string]string{
		"": lost, plain(400, ""): lost, plain(429, ""): lost, plain(500, ""): lost,
	} {
		policy, _ := client.Preset("verifiers-2134")
		if got := marker(t, policy, "tools/call", raw); got != want {
			t.Errorf("%.20q: %s", raw, got)
		}
	}
	for _, tt := range []struct{ kind, raw, want string }{
		{"tools/call", plain(429, ""), `"delivery":"response_unknown","operation":"call_tool","phase":"call_tool","replay_safe":false,"server":"s","session_retry_safe":false,"status_code":429,"transient":true`},
		{"tools/call", plain(400, ""), `"status_code":400,"transient":false`},
		{"initialize", plain(503, ""), `"delivery":"operation_not_started","operation":"call_tool","phase":"initialize","replay_safe":true,"server":"s","session_retry_safe":true,"status_code":503,"transient":true`},
	} {
		policy, _ := client.Preset("at-most-once")
		policy.Diagnose = client.DiagnoseWhole
		if got := marker(t, policy, tt.kind, tt.raw); !strings.Contains(got, tt.want) {
			t.Errorf("%s, %.20q: %s", tt.kind, tt.raw, got)
		}
	}
}

// marker is what a policy writes down of one call whose exchanges of one kind all fail.
func marker(t *testing.T, policy client.Policy, kind, raw string) string {
	t.Helper()
	end := keep
	if raw == "" {
		end = fin
	}
	server := serve(t, faulty(kind, 99, raw, end))
	c, err := client.New(client.Options{
		Server: "s", URL: server.url(), Task: "t000001", Restart: 1, Policy: policy, Recorder: &recorder{},
		Clock: impatient{}, Base: clock.NewBase(clock.System{}), Random: rand.New(rand.NewPCG(1, 1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Abandon()
	d := c.CallTool(t.Context(), "s02", history.Unsafe, respond).Diagnostics
	if d == nil {
		return ""
	}
	return d.Marker()
}
