package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type recorder struct{ attempts []history.Attempt }

func (r *recorder) Attempt(a history.Attempt) { r.attempts = append(r.attempts, a) }

// quick is a preset whose pauses and deadlines suit a test.
func quick(t *testing.T, name string) client.Policy {
	t.Helper()
	p, err := client.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	p.BackoffBase, p.BackoffMax = time.Millisecond, 2*time.Millisecond
	return p
}

func dial(t *testing.T, url string, p client.Policy, header http.Header) (*client.Client, *recorder) {
	t.Helper()
	rec := &recorder{}
	c, err := client.New(client.Options{
		Server: "sim", URL: url, Task: "t000001", Restart: 1, Policy: p, Header: header, Recorder: rec,
		Clock: clock.System{}, Base: clock.NewBase(clock.System{}), Random: seed.Root(1).Stream("backoff"),
		Fates: client.Fates{OpArgument: "op", Settle: "settle", LookUp: "lookup"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Abandon)
	return c, rec
}

var respond = wire.ToolCall{Name: "respond", Arguments: json.RawMessage(`{"message":"","seq":0}`)}

const (
	cutHeaders = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
	cutBody    = cutHeaders + `{"jsonrpc":"2.0","id":1,"result":{`
)

// notUTF8 is an answer whose text has a byte that no UTF-8 has.
const notUTF8 = `{"jsonrpc":"2.0","id":#,"result":{"content":[{"type":"text","text":"` + "\xff" + `"}]}}`

// coded is a whole answer that says that it is in a content coding, and is in none.
func coded(coding string) string {
	return strings.Replace(jsonAnswer(200, toolResult("#", "x")), "\r\n", "\r\nContent-Encoding: "+coding+"\r\n", 1)
}

const call, initialize = "tools/call", "initialize"

// told is what a call tells its caller.
type told struct {
	told  history.Told
	calls int // tools/call requests that the server received
}

// failing is one way of failing, and what a call tells under each policy and replay
// class.
type failing struct {
	name   string
	answer func(int, asked) (string, ending)
	// By policy and class: at-most-once, at-least-once, settle on a keyed tool,
	// settle on an unsafe tool.
	most, least, keyed, unsafe told
}

// waysOfFailing are those of an era with sessions.
func waysOfFailing() []failing {
	unknown1, ok1, ok3 := told{history.ToldUnknown, 1}, told{history.ToldOK, 1}, told{history.ToldOK, 3}
	return []failing{
		{"nothing goes wrong", faulty("", 0, "", keep), ok1, ok1, ok1, ok1},
		{"FIN before a byte of the answer", faulty(call, 2, "", fin), unknown1, ok3, ok3, unknown1},
		{"RST before a byte of the answer", faulty(call, 2, "", rst), unknown1, ok3, ok3, unknown1},
		{"FIN after the headers", faulty(call, 2, cutHeaders, fin), unknown1, ok3, ok3, unknown1},
		{"RST in the body", faulty(call, 2, cutBody, rst), unknown1, ok3, ok3, unknown1},
		{"503 on the call", faulty(call, 2, plain(503, ""), keep), unknown1, ok3, ok3, unknown1},
		{"429 on the call", faulty(call, 2, plain(429, ""), keep), unknown1, ok3, ok3, unknown1},
		{
			"400 on the call", faulty(call, 2, plain(400, ""), keep),
			told{history.ToldNotExecuted, 1},
			ok3, unknown1, unknown1,
		},
		{
			"404 without a session", faulty(call, 2, plain(404, ""), keep),
			unknown1, ok3, ok3, unknown1,
		},
		{
			"an answered JSON-RPC error", faulty(call, 2, jsonAnswer(200, `{"jsonrpc":"2.0","id":#,"error":{"code":-32603,"message":"no"}}`), keep),
			unknown1, ok3, unknown1, unknown1,
		},
		{
			"method not found", faulty(call, 2, jsonAnswer(200, `{"jsonrpc":"2.0","id":#,"error":{"code":-32601,"message":"no"}}`), keep),
			told{history.ToldNotExecuted, 1},
			ok3, unknown1, unknown1,
		},
		{"a whole answer that is no JSON", faulty(call, 2, jsonAnswer(200, `{"jsonrpc`), keep), unknown1, ok3, ok3, unknown1},
		{"a whole answer that is not UTF-8", faulty(call, 2, jsonAnswer(200, notUTF8), keep), unknown1, ok3, ok3, unknown1},
		{"a whole answer in a coding that was not asked for", faulty(call, 2, coded("gzip"), keep), unknown1, ok3, ok3, unknown1},
		{"a whole answer in no coding", faulty(call, 2, coded("identity"), keep), ok1, ok1, ok1, ok1},
		{"an event stream that is not UTF-8", faulty(call, 1, stream("data: "+notUTF8+"\n\n"), fin), ok1, ok1, ok1, ok1},
		{"the answer to another request", faulty(call, 2, jsonAnswer(200, toolResult("77", "x")), keep), unknown1, ok3, ok3, unknown1},
		{"202 to a call", faulty(call, 2, plain(202, ""), keep), unknown1, ok3, ok3, unknown1},
		{
			"a redirect is not followed", faulty(call, 2, plain(307, "Location: /elsewhere\r\n"), keep),
			unknown1, ok3, unknown1, unknown1,
		},
		{
			"isError", faulty(call, 2, jsonAnswer(200, `{"jsonrpc":"2.0","id":#,"result":{"content":[{"type":"text","text":"bad"}],"isError":true}}`), keep),
			told{history.ToldToolError, 1},
			told{history.ToldToolError, 1},
			told{history.ToldToolError, 1},
			told{history.ToldToolError, 1},
		},
		{"an event stream", faulty(call, 1, stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"+"data: "+toolResult("#", "x")+"\n\n"), fin), ok1, ok1, ok1, ok1},
		{"an event stream cut before its answer", faulty(call, 2, stream("id: 1\ndata:\n\n"), fin), unknown1, ok3, ok3, unknown1},
		{"RST on initialize", faulty(initialize, 2, "", rst), ok1, ok1, ok1, ok1},
		{"503 on initialize", faulty(initialize, 2, plain(503, ""), keep), ok1, ok1, ok1, ok1},
		{"RST on initialized", faulty("notifications/initialized", 2, "", rst), ok1, ok1, ok1, ok1},
		{
			"RST on every initialize", faulty(initialize, 99, "", rst),
			told{history.ToldNotExecuted, 0},
			told{history.ToldNotExecuted, 0},
			told{history.ToldNotExecuted, 0},
			told{history.ToldNotExecuted, 0},
		},
	}
}

// TestTold is the heart of the client: what each way of failing tells the
// caller, and how often the call is sent, under each policy and replay class.
func TestTold(t *testing.T) {
	for _, tt := range waysOfFailing() {
		for _, by := range []struct {
			policy string
			class  history.ReplayClass
			want   told
		}{
			{"at-most-once", history.Keyed, tt.most},
			{"at-least-once", history.Unsafe, tt.least},
			{"settle", history.Keyed, tt.keyed},
			{"settle", history.Unsafe, tt.unsafe},
		} {
			t.Run(fmt.Sprintf("%s/%s/%s", tt.name, by.policy, by.class), func(t *testing.T) {
				server := serve(t, tt.answer)
				c, _ := dial(t, server.url(), quick(t, by.policy), nil)
				got := c.CallTool(t.Context(), "s02", by.class, respond)
				calls := strings.Count(server.requests(), call)
				if got.Told != by.want.told || calls != by.want.calls {
					t.Errorf("told %s after %d calls (%v); want %s after %d\nserver saw: %s",
						got.Told, calls, got.Cause, by.want.told, by.want.calls, server.requests())
				}
			})
		}
	}
}

func TestRefusedDialIsNotExecuted(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String() + "/mcp"
	listener.Close()
	c, rec := dial(t, url, quick(t, "settle"), nil)
	got := c.CallTool(t.Context(), "s01", history.Unsafe, respond)
	if got.Told != history.ToldNotExecuted || !got.Knowable || got.Attempts != 6 || len(rec.attempts) != 6 {
		t.Errorf("got %+v after %d exchanges; want not_executed, knowable, after 6", got, len(rec.attempts))
	}
	if a := rec.attempts[0]; a.Trace != "dial_failed" || a.Cause.Class != "dial" || a.Written != 0 {
		t.Errorf("recorded %+v, cause %+v; want a failed dial", a, a.Cause)
	}
}

// TestIdempotencyKeyIsNotReplayed guards against net/http, which sends a POST
// with such a header again by itself on a reused connection.
func TestIdempotencyKeyIsNotReplayed(t *testing.T) {
	server := serve(t, faulty("tools/call", 1, "", fin))
	c, _ := dial(t, server.url(), quick(t, "at-most-once"), http.Header{"Idempotency-Key": {"k"}})
	got := c.CallTool(t.Context(), "s02", history.Keyed, respond)
	if calls := strings.Count(server.requests(), "tools/call"); got.Told != history.ToldUnknown || calls != 1 {
		t.Errorf("told %s after %d calls, want unknown after 1", got.Told, calls)
	}
}

func TestStatefulSession(t *testing.T) {
	issue := func(a asked) (string, ending) {
		if a.rpc == "initialize" {
			body := result(a.id, `{}`)
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), keep
		}
		return polite(a)
	}
	t.Run("per call: opened, used and closed for each attempt", func(t *testing.T) {
		server := serve(t, func(_ int, a asked) (string, ending) { return issue(a) })
		c, _ := dial(t, server.url(), quick(t, "settle"), nil)
		if got := c.CallTool(t.Context(), "s02", history.Keyed, respond); got.Told != history.ToldOK {
			t.Fatalf("told %s: %v", got.Told, got.Cause)
		}
		if got, want := server.requests(), "initialize initialized tools/call DELETE"; got != want {
			t.Errorf("server saw %s, want %s", got, want)
		}
		for _, a := range server.all()[1:] {
			if a.session != "abc" || a.hint != "t000001.1/s02/a1" {
				t.Errorf("%s %s carried session %q and hint %q", a.method, a.rpc, a.session, a.hint)
			}
		}
	})
	t.Run("a DELETE that is never answered costs the grace and nothing else", func(t *testing.T) {
		server := serve(t, func(_ int, a asked) (string, ending) {
			if a.method == http.MethodDelete {
				return "", hang
			}
			return issue(a)
		})
		p := quick(t, "settle")
		p.Grace = 50 * time.Millisecond
		c, _ := dial(t, server.url(), p, nil)
		if got := c.CallTool(t.Context(), "s02", history.Keyed, respond); got.Told != history.ToldOK || got.Attempts != 1 {
			t.Errorf("got %+v, want ok after one attempt", got)
		}
	})
	t.Run("persistent: one session, a lost one is opened again", func(t *testing.T) {
		server := serve(t, func(n int, a asked) (string, ending) {
			if a.rpc == "tools/call" && n == 2 {
				return plain(404, ""), keep
			}
			return issue(a)
		})
		p := quick(t, "settle")
		p.Session, p.Refusals = client.Persistent, client.RefusalsListed
		c, _ := dial(t, server.url(), p, nil)
		c.Connect(t.Context(), "s01")
		for _, step := range []string{"s02", "s03"} {
			if got := c.CallTool(t.Context(), step, history.Unsafe, respond); got.Told != history.ToldOK {
				t.Fatalf("%s was told %s: %v", step, got.Told, got.Cause)
			}
		}
		c.Close(t.Context(), "s04")
		want := "initialize initialized tools/call tools/call initialize initialized tools/call DELETE"
		if got := server.requests(); got != want {
			t.Errorf("server saw %s\nwant %s", got, want)
		}
	})
}

// TestASessionThatCannotBeEnded: a server may not let clients end a session, or
// may have forgotten it.
func TestASessionThatCannotBeEnded(t *testing.T) {
	for _, status := range []int{404, 405} {
		server := serve(t, func(_ int, a asked) (string, ending) {
			switch {
			case a.method == http.MethodDelete:
				return plain(status, ""), keep
			case a.rpc == "initialize":
				body := result(a.id, `{}`)
				return fmt.Sprintf("HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), keep
			}
			return polite(a)
		})
		c, _ := dial(t, server.url(), quick(t, "verifiers-0.2.0"), nil)
		c.Connect(t.Context(), "s01")
		if got := c.Close(t.Context(), "s02"); got.Told != history.ToldOK || !strings.HasSuffix(server.requests(), "DELETE") {
			t.Errorf("HTTP %d to DELETE was told %s (%v), server saw %s", status, got.Told, got.Cause, server.requests())
		}
	}
}

// TestAHalfOpenedSessionIsClosed: the server has issued an id, whatever became of
// the initialized notification.
func TestAHalfOpenedSessionIsClosed(t *testing.T) {
	server := serve(t, func(n int, a asked) (string, ending) {
		switch {
		case a.rpc == "notifications/initialized":
			return "", rst
		case a.rpc == "initialize":
			body := result(a.id, `{}`)
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), keep
		}
		return polite(a)
	})
	c, _ := dial(t, server.url(), quick(t, "verifiers-0.2.0"), nil)
	c.Connect(t.Context(), "s01")
	c.Close(t.Context(), "s02")
	if got, want := server.requests(), "initialize initialized DELETE"; got != want {
		t.Errorf("server saw %s, want %s", got, want)
	}
}

func TestDeadlineIsUnknown(t *testing.T) {
	server := serve(t, faulty("tools/call", 1, "", hang))
	p := quick(t, "at-most-once")
	p.Deadline = 50 * time.Millisecond
	c, rec := dial(t, server.url(), p, nil)
	got := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
	if got.Told != history.ToldUnknown || got.Cause.Class != "deadline" || got.Knowable {
		t.Errorf("got %+v, cause %+v; want unknown by the deadline", got, got.Cause)
	}
	if last := rec.attempts[len(rec.attempts)-1]; last.Trace != "wrote" || last.Written == 0 {
		t.Errorf("recorded %+v, want a written request", last)
	}
}

func TestInterruptedIsTold(t *testing.T) {
	asked1 := make(chan struct{})
	server := serve(t, func(_ int, a asked) (string, ending) {
		if a.rpc == "tools/call" {
			close(asked1)
			return "", hang
		}
		return polite(a)
	})
	c, _ := dial(t, server.url(), quick(t, "settle"), nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked1; cancel() }()
	if got := c.CallTool(ctx, "s02", history.Keyed, respond); got.Told != history.ToldNone || !got.Interrupted {
		t.Errorf("got %+v, want none and interrupted", got)
	}
}

// TestAnUnknownIsNotForgotten: a first attempt that may have run is not undone
// by a second that certainly did not.
func TestAnUnknownIsNotForgotten(t *testing.T) {
	server := serve(t, func(n int, a asked) (string, ending) {
		if a.rpc == "tools/call" {
			return "", fin
		}
		if a.rpc == "initialize" && n > 1 {
			return "", rst
		}
		return polite(a)
	})
	c, _ := dial(t, server.url(), quick(t, "at-least-once"), nil)
	got := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
	if got.Told != history.ToldUnknown || got.Knowable || got.Attempts != 6 {
		t.Errorf("got %+v, want unknown after 6 attempts", got)
	}
}

func TestRecordsCarryNoSecret(t *testing.T) {
	const secret = "s3cr3t-t0ken"
	for name, echo := range map[string]string{
		"in a JSON-RPC error": `{"jsonrpc":"2.0","id":#,"error":{"code":-32603,"message":"bad token ` + secret + `"}}`,
		"in a tool's error":   `{"jsonrpc":"2.0","id":#,"result":{"isError":true,"content":[{"type":"text","text":"bad token ` + secret + `"}]}}`,
	} {
		t.Run(name, func(t *testing.T) { holdsNoSecret(t, secret, jsonAnswer(200, echo)) })
	}
}

func holdsNoSecret(t *testing.T, secret, echo string) {
	server := serve(t, faulty("tools/call", 1, echo, keep))
	c, rec := dial(t, server.url(), quick(t, "settle"), http.Header{"Authorization": {"Bearer " + secret}})
	got := c.CallTool(t.Context(), "s02", history.Keyed, respond)
	if server.all()[0].header.Get("Authorization") != "Bearer "+secret {
		t.Fatal("the server never got the token")
	}
	records, err := json.Marshal([]any{rec.attempts, got.Cause}) // the tool's result is the caller's, and not recorded
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(records), secret) || !strings.Contains(string(records), client.Redacted(secret)) {
		t.Errorf("the records hold the token, or no digest of it:\n%s", records)
	}
}

func TestExchangesAreRecorded(t *testing.T) {
	server := serve(t, faulty("tools/call", 1, "", rst))
	c, rec := dial(t, server.url(), quick(t, "settle"), nil)
	c.CallTool(t.Context(), "s02", history.Keyed, respond)
	var got []string
	for _, a := range rec.attempts {
		got = append(got, fmt.Sprintf("a%d.%d %s %s new=%t", a.Attempt, a.Exchange, a.Role, a.Told, a.ConnNew))
		if a.Op != "t000001/s02" || a.Rollout != "t000001.1" || a.Written == 0 || a.End < a.Start {
			t.Errorf("recorded %+v", a)
		}
	}
	want := []string{
		"a1.1 initialize ok new=true", "a1.2 initialized ok new=false", "a1.3 call unknown new=false",
		"a2.1 initialize ok new=true", "a2.2 initialized ok new=false", "a2.3 call ok new=false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMistakes(t *testing.T) {
	server := serve(t, faulty("", 0, "", keep))
	c, rec := dial(t, server.url(), quick(t, "always-unknown"), nil)
	if got := c.CallTool(t.Context(), "s02", history.Keyed, respond); got.Told != history.ToldUnknown || rec.attempts[2].Told != history.ToldOK {
		t.Errorf("always-unknown told %s; its call was %s", got.Told, rec.attempts[2].Told)
	}
	stateful := serve(t, func(_ int, a asked) (string, ending) {
		switch {
		case a.method == http.MethodDelete:
			return "", rst
		case a.rpc == "initialize":
			body := result(a.id, `{}`)
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), keep
		}
		return polite(a)
	})
	c, _ = dial(t, stateful.url(), quick(t, "teardown-masks"), nil)
	if got := c.CallTool(t.Context(), "s02", history.Keyed, respond); got.Told != history.ToldUnknown {
		t.Errorf("teardown-masks told %s", got.Told)
	}
}

func TestPresets(t *testing.T) {
	for _, name := range client.Presets() {
		p, err := client.Preset(name)
		if err != nil || p.Name != name || p.Deadline <= 0 || p.Attempts < 1 {
			t.Errorf("Preset(%s) = %+v, %v", name, p, err)
		}
	}
	if _, err := client.Preset("setle"); !errors.Is(err, client.ErrUnknownPolicy) || !strings.Contains(err.Error(), `"setle"; known: always-unknown, at-least-once`) {
		t.Errorf("a misspelt preset: %v", err)
	}
}

func TestBackoffStaysInItsBounds(t *testing.T) {
	p, err := client.Preset("settle")
	if err != nil {
		t.Fatal(err)
	}
	r := seed.Root(7).Stream("x")
	for n, nominal := range []time.Duration{200, 400, 800, 1600, 2000, 2000} {
		nominal *= time.Millisecond
		for range 100 {
			if d := p.Backoff(n+1, r); d < nominal/2 || d > nominal*3/2 {
				t.Fatalf("pause %d lasts %v, want %v give or take a half", n+1, d, nominal)
			}
		}
	}
}

func TestBadURL(t *testing.T) {
	for _, url := range []string{"", "ftp://127.0.0.1/", "http://", "://"} {
		if _, err := client.New(client.Options{Server: "sim", URL: url}); !errors.Is(err, client.ErrOptions) {
			t.Errorf("New with URL %q: %v, want ErrOptions", url, err)
		}
	}
}
