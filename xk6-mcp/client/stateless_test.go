package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// dialStateless is a client of the 2026-07-28 era.
func dialStateless(t *testing.T, url string, p client.Policy) (*client.Client, *recorder) {
	t.Helper()
	rec := &recorder{}
	c, err := client.New(client.Options{
		Server: "sim", Era: wire.EraStateless, URL: url, Task: "t000001", Restart: 1, Policy: p, Recorder: rec,
		Clock: clock.System{}, Base: clock.NewBase(clock.System{}), Random: seed.Root(1).Stream("backoff"),
		Fates: client.Fates{OpArgument: "op", Settle: "settle", LookUp: "lookup"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Abandon)
	return c, rec
}

// modern answers discovering and calls as a good server of the era does, except for
// the first n calls.
func modern(n int, raw string, end ending) func(int, asked) (string, ending) {
	return func(i int, a asked) (string, ending) {
		switch {
		case a.rpc == "server/discover":
			return jsonAnswer(200, result(a.id, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`)), keep
		case i <= n:
			return strings.ReplaceAll(raw, "#", a.id), end
		}
		return jsonAnswer(200, result(a.id, `{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`)), keep
	}
}

func rpcError(status, code int) string {
	return jsonAnswer(status, fmt.Sprintf(`{"jsonrpc":"2.0","id":#,"error":{"code":%d,"message":"no"}}`, code))
}

// TestStatelessOnTheWire: no handshake, no session, no closing; every request says
// in its header and in its _meta what it is.
func TestStatelessOnTheWire(t *testing.T) {
	for _, policy := range []string{"settle", "verifiers-0.2.0"} { // per-call and persistent make no difference
		server := serve(t, modern(0, "", keep))
		c, rec := dialStateless(t, server.url(), quick(t, policy))
		for _, got := range []client.Result{
			c.Connect(t.Context(), "s01"),
			c.CallTool(t.Context(), "s02", history.Keyed, respond),
			c.Request(t.Context(), "s03", client.Request{Method: "resources/read", Params: json.RawMessage(`{"uri":"wiki://a","_meta":{"progressToken":7}}`)}),
			c.Close(t.Context(), "s04"),
		} {
			if got.Told != history.ToldOK {
				t.Fatalf("%s: told %s: %v", policy, got.Told, got.Cause)
			}
		}
		if got, want := server.requests(), "server/discover tools/call resources/read"; got != want {
			t.Fatalf("%s: server saw %s, want %s", policy, got, want)
		}
		const meta = `"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"mcpstorm","version":"1"},` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		for i, want := range []struct{ name, params string }{
			{"", `{"_meta":{` + meta + `}}`},
			{"respond", `{"_meta":{` + meta + `},"arguments":{"message":"","seq":0},"name":"respond"}`},
			{"wiki://a", `{"_meta":{` + meta + `,"progressToken":7},"uri":"wiki://a"}`},
		} {
			a := server.all()[i]
			if a.id != fmt.Sprint(i) || a.session != "" || a.header.Get("Mcp-Protocol-Version") != "2026-07-28" ||
				a.header.Get("Mcp-Method") != a.rpc || a.header.Get("Mcp-Name") != want.name {
				t.Errorf("%s: %s had id %s, session %q and header %v", policy, a.rpc, a.id, a.session, a.header)
			}
			if diff := cmp.Diff(anyJSON(t, want.params), anyJSON(t, a.arguments)); diff != "" {
				t.Errorf("%s: %s, params -want +got\n%s", policy, a.rpc, diff)
			}
		}
		for i, role := range []history.ExchangeRole{history.RoleDiscover, history.RoleCall, history.RoleRead} {
			if a := rec.attempts[i]; a.Role != role || a.Era != wire.EraStateless {
				t.Errorf("%s: recorded %+v, want role %s", policy, a, role)
			}
		}
	}
}

func anyJSON(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestToldStateless is what each way of failing tells the caller in the era without
// sessions, and how often the call is sent.
func TestToldStateless(t *testing.T) {
	type want struct {
		told  history.Told
		calls int
	}
	unknown1, ok1, ok3 := want{history.ToldUnknown, 1}, want{history.ToldOK, 1}, want{history.ToldOK, 3}
	refused := want{history.ToldNotExecuted, 1}
	input := want{history.ToldToolError, 1}
	tests := []struct {
		name                       string
		answer                     func(int, asked) (string, ending)
		most, least, keyed, unsafe want
		knowable                   bool // of the one attempt under at-most-once
	}{
		{"nothing goes wrong", modern(0, "", keep), ok1, ok1, ok1, ok1, true},
		{"FIN before a byte of the answer", modern(2, "", fin), unknown1, ok3, ok3, unknown1, false},
		{"RST in the body", modern(2, cutBody, rst), unknown1, ok3, ok3, unknown1, false},
		{"400 and a JSON-RPC error", modern(2, rpcError(400, -32602), keep), refused, ok3, unknown1, unknown1, true},
		{"header mismatch", modern(2, rpcError(400, -32020), keep), refused, ok3, unknown1, unknown1, true},
		{"missing capability", modern(2, rpcError(400, -32021), keep), refused, ok3, unknown1, unknown1, true},
		{"unsupported version", modern(2, rpcError(400, -32022), keep), refused, ok3, unknown1, unknown1, true},
		{"unsupported version with 200", modern(2, rpcError(200, -32022), keep), refused, ok3, unknown1, unknown1, true},
		{"unknown method", modern(2, rpcError(404, -32601), keep), refused, ok3, unknown1, unknown1, true},
		{"404 from who knows whom", modern(2, plain(404, ""), keep), unknown1, ok3, ok3, unknown1, false},
		{"404 that answers another request", modern(2, strings.ReplaceAll(rpcError(404, -32601), "#", "\"x\""), keep), unknown1, ok3, ok3, unknown1, false},
		{"an internal error", modern(2, rpcError(500, -32603), keep), unknown1, ok3, ok3, unknown1, false},
		{"an event stream without ids", modern(1, stream("data: "+result("#", `{"resultType":"complete","content":[]}`)+"\n\n"), fin), ok1, ok1, ok1, ok1, true},
		{"an event stream cut before its answer", modern(2, stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"), fin), unknown1, ok3, ok3, unknown1, false},
		{"a tool that asks for input", modern(9, jsonAnswer(200, result("#", `{"resultType":"input_required","inputRequests":{}}`)), keep), input, input, input, input, false},
	}
	for _, tt := range tests {
		for _, by := range []struct {
			policy string
			class  history.ReplayClass
			want   want
		}{
			{"at-most-once", history.Keyed, tt.most},
			{"at-least-once", history.Unsafe, tt.least},
			{"settle", history.Keyed, tt.keyed},
			{"settle", history.Unsafe, tt.unsafe},
		} {
			t.Run(fmt.Sprintf("%s/%s/%s", tt.name, by.policy, by.class), func(t *testing.T) {
				server := serve(t, tt.answer)
				c, _ := dialStateless(t, server.url(), quick(t, by.policy))
				got := c.CallTool(t.Context(), "s02", by.class, respond)
				calls := strings.Count(server.requests(), "tools/call")
				if got.Told != by.want.told || calls != by.want.calls {
					t.Errorf("told %s after %d calls (%v); want %s after %d\nserver saw: %s",
						got.Told, calls, got.Cause, by.want.told, by.want.calls, server.requests())
				}
				if by.policy == "at-most-once" && got.Told != history.ToldOK && got.Knowable != tt.knowable {
					t.Errorf("knowable is %t, want %t: %v", got.Knowable, tt.knowable, got.Cause)
				}
				ids := map[string]bool{}
				for _, a := range server.all() {
					if ids[a.id] {
						t.Errorf("the id %s was used twice", a.id)
					}
					ids[a.id] = true
				}
			})
		}
	}
}

// TestADeadlineHangsUp: in this era closing the stream is the cancel, and nothing
// else is sent.
func TestADeadlineHangsUp(t *testing.T) {
	server := serve(t, modern(1, "", hang))
	p := quick(t, "resume")
	p.Attempts, p.Deadline = 1, 50*time.Millisecond
	c, _ := dialStateless(t, server.url(), p)
	got := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
	if got.Told != history.ToldUnknown || got.Cause.Class != "deadline" || server.requests() != "tools/call" {
		t.Errorf("told %s (%v); server saw %s", got.Told, got.Cause, server.requests())
	}
}

// TestDiscoverIsRetried as the setting up of a session is, and refuses a server that
// does not speak the era.
func TestDiscover(t *testing.T) {
	tests := []struct {
		name, policy, raw string
		end               ending
		n                 int
		told              history.Told
		saw               int
	}{
		{"lost once", "settle", "", rst, 1, history.ToldOK, 2},
		{"lost once, and nobody retries", "verifiers-0.2.0", "", rst, 1, history.ToldNotExecuted, 1},
		{"lost for good", "settle", "", rst, 99, history.ToldNotExecuted, 6},
		{"another era only", "verifiers-0.2.0", jsonAnswer(200, result("#", `{"supportedVersions":["2025-11-25"]}`)), keep, 99, history.ToldNotExecuted, 1},
		{"a server that knows no discovering", "settle", rpcError(404, -32601), keep, 99, history.ToldNotExecuted, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, func(n int, a asked) (string, ending) {
				if a.rpc == "server/discover" && n <= tt.n {
					return strings.ReplaceAll(tt.raw, "#", a.id), tt.end
				}
				return modern(0, "", keep)(n, a)
			})
			c, _ := dialStateless(t, server.url(), quick(t, tt.policy))
			got := c.Connect(t.Context(), "s01")
			if saw := strings.Count(server.requests(), "server/discover"); got.Told != tt.told || saw != tt.saw {
				t.Errorf("told %s after %d (%v), want %s after %d", got.Told, saw, got.Cause, tt.told, tt.saw)
			}
		})
	}
}

// TestReissue: a call whose answer broke goes out once more as a new request, in
// this era and under this setting alone, whatever a repeat does.
func TestReissue(t *testing.T) {
	tests := []struct {
		name, policy, raw string
		end               ending
		era               string
		reissue           bool
		told              history.Told
		calls             int
	}{
		{"broken before its head", "verifiers-0.2.0", "", rst, wire.EraStateless, true, history.ToldOK, 2},
		{"broken in its body", "at-most-once", cutBody, fin, wire.EraStateless, true, history.ToldOK, 2},
		{"before anything is settled", "settle", cutBody, fin, wire.EraStateless, true, history.ToldOK, 2},
		{"not asked for", "at-most-once", cutBody, fin, wire.EraStateless, false, history.ToldUnknown, 1},
		{"an answer that came is none that broke", "at-most-once", plain(503, ""), keep, wire.EraStateless, true, history.ToldUnknown, 1},
		{"another era", "at-most-once", cutBody, fin, wire.EraSessions, true, history.ToldUnknown, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer := modern(1, tt.raw, tt.end)
			if tt.era == wire.EraSessions {
				answer = faulty("tools/call", 1, tt.raw, tt.end)
			}
			server := serve(t, answer)
			p := quick(t, tt.policy)
			if tt.reissue {
				p = p.WithReissue()
			}
			p.BackoffBase, p.BackoffMax = time.Millisecond, time.Millisecond
			dialing := dialStateless
			if tt.era == wire.EraSessions {
				dialing = func(t *testing.T, url string, p client.Policy) (*client.Client, *recorder) {
					return dial(t, url, p, nil)
				}
			}
			c, _ := dialing(t, server.url(), p)
			got := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
			if calls := strings.Count(server.requests(), "tools/call"); got.Told != tt.told || calls != tt.calls {
				t.Errorf("told %s after %d calls (%v), want %s after %d", got.Told, calls, got.Cause, tt.told, tt.calls)
			}
		})
	}
	if p := quick(t, "go-sdk").WithReissue(); p.Reissue || p.Attempts != 1 {
		t.Errorf("the SDK's own policy became %+v", p)
	}
}

func TestUnknownEra(t *testing.T) {
	_, err := client.New(client.Options{Server: "sim", URL: "http://127.0.0.1:1/mcp", Era: "2024-11-05"})
	if err == nil || !strings.Contains(err.Error(), `"2024-11-05"`) {
		t.Errorf("an era that is none: %v", err)
	}
}
