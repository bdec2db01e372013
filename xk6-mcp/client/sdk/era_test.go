package sdk_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/client/sdk"
)

// TestPinnedToItsEra: the SDK's own client tries the newest version and silently
// falls back from it on any failure; this one speaks the era that it is given, or
// nothing.
func TestPinnedToItsEra(t *testing.T) {
	const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
	const initialized = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	tests := []struct {
		name, era string
		answers   map[string]string // results by method; what has none gets HTTP 503
		told      history.Told
		saw       []string
	}{
		{
			"without sessions", wire.EraStateless,
			map[string]string{"server/discover": discovered},
			history.ToldOK,
			[]string{"server/discover 2026-07-28", "tools/call 2026-07-28"},
		},
		{
			"with sessions", wire.EraSessions,
			map[string]string{"initialize": initialized},
			history.ToldOK,
			[]string{"initialize 2025-11-25", "notifications/initialized 2025-11-25", "tools/call 2025-11-25"},
		},
		{
			"no falling back", wire.EraStateless,
			map[string]string{"initialize": initialized},
			history.ToldNotExecuted,
			[]string{"server/discover 2026-07-28"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url, saw := answer(t, tt.answers)
			policy, err := client.Preset("go-sdk")
			if err != nil {
				t.Fatal(err)
			}
			rec := &recorder{}
			c, err := sdk.New(client.Options{
				Server: "sim", Era: tt.era, URL: url, Task: "t000001", Restart: 1, Policy: policy, Recorder: rec,
				Clock: clock.System{}, Base: clock.NewBase(clock.System{}), Random: seed.Root(1).Stream("x"),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(t.Context(), "s03")
			got := c.Connect(t.Context(), "s01")
			if got.Told == history.ToldOK {
				got = c.CallTool(t.Context(), "s02", history.Keyed, wire.ToolCall{Name: "respond", Arguments: json.RawMessage(`{"seq":0}`)})
			}
			if got.Told != tt.told {
				t.Errorf("told %s (%v), want %s", got.Told, got.Cause, tt.told)
			}
			if diff := cmp.Diff(tt.saw, saw()); diff != "" {
				t.Errorf("the server saw -want +got\n%s", diff)
			}
			for _, a := range rec.attempts {
				if a.Era != tt.era {
					t.Errorf("recorded %+v", a)
				}
			}
		})
	}
}

// answer serves results by method, and tells which methods it was asked for, each
// with the version that the header named. A first request may name none.
func answer(t *testing.T, results map[string]string) (url string, saw func() []string) {
	t.Helper()
	var mu sync.Mutex
	var methods []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m wire.Message
		_ = json.Unmarshal(body, &m)
		version := r.Header.Get("Mcp-Protocol-Version")
		if version == "" {
			version = wire.EraSessions
		}
		mu.Lock()
		methods = append(methods, strings.TrimSpace(m.Method+" "+version))
		mu.Unlock()
		result, known := results[m.Method]
		switch {
		case len(m.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
			return
		case m.Method == "tools/call":
			result = `{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`
		case !known:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/r/t000001.1/mcp", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return methods
	}
}
