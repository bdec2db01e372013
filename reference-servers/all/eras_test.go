package all_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	"mcpstorm/reference-servers/internal/servertest"
)

const (
	rollout = "t000001.1"
	meta    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}`
)

// calls is a call of each server that takes its time, and its tool.
var calls = map[string]struct{ tool, arguments string }{
	"usersim": {"respond", `{"message":"","seq":0}`},
	"ledger":  {"append", `{"op":"o1","text":"x"}`},
	"wiki":    {"search_pages", `{"query":"a"}`},
}

// send makes one HTTP request with these header fields, given as "Name: value".
func send(ctx context.Context, s *servertest.Server, method, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.URL(rollout), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, field := range header {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Set(name, value)
	}
	return s.Client.Do(r)
}

// modern calls a tool in the stateless era, whatever the answer.
func modern(ctx context.Context, s *servertest.Server, tool, arguments string) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, tool, arguments, meta)
	response, err := send(ctx, s, http.MethodPost, body, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: "+tool)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// TestStatelessStatuses holds every server to the statuses and codes of the
// 2026-07-28 era (streamable HTTP; basic, Error Codes).
func TestStatelessStatuses(t *testing.T) {
	const version, method, name = "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: TOOL"
	whole := `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"TOOL","arguments":ARGS,` + meta + `}}`
	tests := []struct {
		name, http, body string
		header           []string
		status, code     int // code 0: no JSON-RPC error
	}{
		{"a whole call", "POST", whole, []string{version, method, name}, 200, 0},
		{"a session id is ignored", "POST", whole, []string{version, method, name, "Mcp-Session-Id: abc"}, 200, 0},
		{"no _meta", "POST", strings.Replace(whole, ","+meta, "", 1), []string{version, method, name}, 400, -32602},
		{"no version in the header", "POST", whole, []string{method, name}, 400, -32020},
		{"no method in the header", "POST", whole, []string{version, name}, 400, -32020},
		{"another method in the header", "POST", whole, []string{version, "Mcp-Method: tools/list", name}, 400, -32020},
		{"another name in the header", "POST", whole, []string{version, method, "Mcp-Name: nope"}, 400, -32020},
		{"an older version in the header", "POST", whole, []string{"Mcp-Protocol-Version: 2025-11-25", method, name}, 400, -32022},
		{"a version to come", "POST", strings.ReplaceAll(whole, "2026-07-28", "2027-01-01"), []string{"Mcp-Protocol-Version: 2027-01-01", method, name}, 400, -32022},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":"q","method":"tools/fly","params":{` + meta + `}}`, []string{version, "Mcp-Method: tools/fly"}, 404, -32601},
		{"a method that is gone", "POST", `{"jsonrpc":"2.0","id":"q","method":"ping","params":{` + meta + `}}`, []string{version, "Mcp-Method: ping"}, 404, -32601},
		{"initialize", "POST", `{"jsonrpc":"2.0","id":"q","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, nil, 400, -32020},
		{"GET", "GET", "", []string{version}, 405, 0},
		{"DELETE", "DELETE", "", []string{version, "Mcp-Session-Id: abc"}, 405, 0},
	}
	for _, kind := range all.Servers() {
		t.Run(kind.Name, func(t *testing.T) {
			s := servertest.Start(t, kind, refserver.Config{Era: wire.EraStateless})
			about := strings.NewReplacer("TOOL", calls[kind.Name].tool, "ARGS", calls[kind.Name].arguments)
			for _, tt := range tests {
				var header []string
				for _, field := range tt.header {
					header = append(header, about.Replace(field))
				}
				response, err := send(t.Context(), s, tt.http, about.Replace(tt.body), header...)
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				code, text := codeOf(t, response)
				if response.StatusCode != tt.status || code != tt.code {
					t.Errorf("%s: HTTP %d, code %d, want %d and %d: %s", tt.name, response.StatusCode, code, tt.status, tt.code, text)
				}
			}
		})
	}
}

// codeOf is the code of the JSON-RPC error that an answer is; zero when it is none.
// An error must carry the id of the request.
func codeOf(t *testing.T, response *http.Response) (code int, text string) {
	t.Helper()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.ParseMessage(body)
	if err != nil || m.Error == nil {
		return 0, string(body)
	}
	if string(m.ID) != `"q"` {
		t.Errorf("the error is not of request q: %s", body)
	}
	return m.Error.Code, string(body)
}

// TestSessionStatuses holds them to those of the 2025-11-25 era (basic/transports).
func TestSessionStatuses(t *testing.T) {
	const version = "Mcp-Protocol-Version: 2025-11-25"
	list := `{"jsonrpc":"2.0","id":"q","method":"tools/list","params":{}}`
	for _, kind := range all.Servers() {
		t.Run(kind.Name, func(t *testing.T) {
			s := servertest.Start(t, kind, refserver.Config{Stateful: true})
			response, err := send(t.Context(), s, "POST", `{"jsonrpc":"2.0","id":"q","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			if err != nil {
				t.Fatal(err)
			}
			codeOf(t, response)
			id := "Mcp-Session-Id: " + response.Header.Get("Mcp-Session-Id")
			for _, tt := range []struct {
				name, http, body string
				header           []string
				status           int
			}{
				{"initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{version, id}, 202},
				{"in the session", "POST", list, []string{version, id}, 200},
				{"of another session", "POST", list, []string{version, "Mcp-Session-Id: other"}, 404},
				{"of the next era", "POST", strings.Replace(list, "{}", "{"+meta+"}", 1), []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}, 400},
				{"ended", "DELETE", "", []string{version, id}, 204},
				{"after its end", "POST", list, []string{version, id}, 404},
			} {
				response, err := send(t.Context(), s, tt.http, tt.body, tt.header...)
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				if _, text := codeOf(t, response); response.StatusCode != tt.status {
					t.Errorf("%s: HTTP %d, want %d: %s", tt.name, response.StatusCode, tt.status, text)
				}
			}
		})
	}
}

// TestADisconnect is a cancel in the one era, which aborts what was begun and never
// leaves it half done, and none in the other.
func TestADisconnect(t *testing.T) {
	for _, kind := range all.Servers() {
		for _, tt := range []struct {
			era  string
			want []history.EffectKind
		}{
			{wire.EraStateless, []history.EffectKind{history.EffectBegin, history.EffectAbort}},
			{wire.EraSessions, []history.EffectKind{history.EffectBegin, history.EffectCommit, history.EffectAnswer}},
		} {
			t.Run(kind.Name+"/"+tt.era, func(t *testing.T) {
				held := servertest.NewHeldClock()
				s := servertest.Start(t, kind, refserver.Config{Era: tt.era, Clock: held, TurnLatency: time.Hour, ToolLatency: time.Hour})
				ctx, hangUp := context.WithCancel(t.Context())
				defer hangUp()
				call := calls[kind.Name]
				done := make(chan error, 1)
				go func() {
					if tt.era == wire.EraSessions {
						_, err := s.Call(ctx, rollout, call.tool, call.arguments)
						done <- err
						return
					}
					done <- modern(ctx, s, call.tool, call.arguments)
				}()
				held.Wait(t)
				hangUp()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Fatalf("the call ended in %v", err)
				}
				if tt.era == wire.EraSessions {
					held.Release()
				}
				s.Await(t, tt.want[len(tt.want)-1], 1)
				var got []history.EffectKind
				for _, e := range s.List() {
					got = append(got, e.Kind)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("effects -want +got\n%s", diff)
				}
			})
		}
	}
}

// TestResumable: the stream of a call names its events, and after a disconnect the
// rest of it is sent to whoever asks from the last one on. It is executed once.
func TestResumable(t *testing.T) {
	for _, kind := range all.Servers() {
		t.Run(kind.Name, func(t *testing.T) {
			held := servertest.NewHeldClock()
			s := servertest.Start(t, kind, refserver.Config{Resumable: true, Clock: held, TurnLatency: time.Hour, ToolLatency: time.Hour})
			session := s.Connect(t, rollout)
			call := calls[kind.Name]
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			header := []string{"Mcp-Protocol-Version: 2025-11-25", "Mcp-Session-Id: " + session.ID()}
			first, err := send(ctx, s, http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":%q,"arguments":%s}}`, call.tool, call.arguments), header...)
			if err != nil {
				t.Fatal(err)
			}
			id, ok := eventID(first.Body)
			held.Wait(t)
			hangUp()
			first.Body.Close()
			if !ok {
				t.Fatal("the stream named no event before the answer")
			}
			held.Release()
			s.Await(t, history.EffectAnswer, 1)
			rest, err := send(t.Context(), s, http.MethodGet, "", append(header, "Last-Event-Id: "+id, "Accept: text/event-stream")...)
			if err != nil {
				t.Fatal(err)
			}
			defer rest.Body.Close()
			event, err := wire.NewSSEReader(rest.Body, 0).Next()
			m, bad := wire.ParseMessage(event.Data)
			if err != nil || bad != nil || !m.Answers(json.RawMessage(`"q"`)) {
				t.Errorf("the rest is %q (%v, %v)", event.Data, err, bad)
			}
			if n := s.Count(history.EffectCommit); n != 1 {
				t.Errorf("%d commits, want 1", n)
			}
		})
	}
}

// eventID reads a stream up to its first event's id.
func eventID(stream io.Reader) (id string, ok bool) {
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		if id, ok = strings.CutPrefix(lines.Text(), "id: "); ok {
			return id, true
		}
	}
	return "", false
}

// TestNoSessionsToKeep: the settings of one era have no meaning in the other.
func TestNoSessionsToKeep(t *testing.T) {
	for _, cfg := range []refserver.Config{{Stateful: true}, {Resumable: true}} {
		cfg.Era = wire.EraStateless
		if _, err := all.Servers()[0].Open(cfg); !errors.Is(err, refserver.ErrConfig) {
			t.Errorf("%+v opened: %v", cfg, err)
		}
	}
}
