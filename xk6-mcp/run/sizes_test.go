package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
	"mcpstorm/xk6-mcp/client"
)

// sizedServer answers every call with a body of the size of its request's.
type sizedServer struct {
	sse bool

	mu   sync.Mutex
	size int    // of the latest call's body, and of its answer's
	text string // that the answer held
}

// sized is a text of so many bytes, with a character of three in every 101.
func sized(n int) string {
	some := strings.Repeat("x", 98) + "€"
	text := strings.Repeat(some, n/len(some))
	return text + strings.Repeat("y", n-len(text))
}

func (s *sizedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	m, parsing := wire.ParseMessage(body)
	if err != nil || parsing != nil || r.Method != http.MethodPost {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	switch m.Method {
	case "initialize":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sized","version":"1"}}}`, m.ID)
	case "tools/call":
		head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"isError":false,"content":[{"type":"text","text":"`, m.ID)
		tail, kind := `"}]}}`, "application/json"
		if s.sse {
			head, tail, kind = "event: message\ndata: "+head, tail+"\n\n", "text/event-stream"
		}
		s.mu.Lock()
		s.size, s.text = len(body), sized(len(body)-len(head)-len(tail))
		s.mu.Unlock()
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, head+s.text+tail) // a client that is gone is told by its own side
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// keeper keeps what the witness saw of calls.
type keeper struct {
	mu    sync.Mutex
	calls []history.Wire
}

func (k *keeper) Exchange(w history.Wire) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w.Role == history.RoleCall {
		k.calls = append(k.calls, w)
	}
}

func (k *keeper) Attempt(history.Attempt) {}

// TestSizes: calls and answers whose bodies are as large as some common limit, or a byte
// off, pass whole through the fault layer, the witness and the client, in whatever
// pieces they are written.
func TestSizes(t *testing.T) {
	sizes := []int{4096, 65535, 65536, 1<<20 - 1, 1<<20 + 1}
	pieces := map[string]map[string]any{
		"as they are": nil,
		"split":       {"size": float64(1000), "crlf": float64(1)}, // some of which end within a character,
	}
	for kind, sse := range map[string]bool{"JSON": false, "SSE": true} {
		for how, attributes := range pieces {
			t.Run(kind+" "+how, func(t *testing.T) {
				server, seen := &sizedServer{sse: sse}, &keeper{}
				caller, ends := sizedCaller(t, server, seen, attributes)
				var envelope int
				for i, size := range append([]int{0}, sizes...) {
					arguments, err := json.Marshal(map[string]string{"pad": sized(max(size-envelope, 200))})
					if err != nil {
						t.Fatal(err)
					}
					result := caller.CallTool(t.Context(), fmt.Sprintf("s%02d", i+1), history.Unsafe, wire.ToolCall{Name: "echo", Arguments: arguments})
					if result.Told != history.ToldOK {
						t.Fatalf("%d bytes: told %s, %+v", size, result.Told, result.Cause)
					}
					if i == 0 {
						envelope = server.size - 200
						continue
					}
					if got := result.Tool.Content[0].Text; server.size != size || got != server.text {
						t.Errorf("%d bytes: the server got %d, and the client %d of its text's %d", size, server.size, len(got), len(server.text))
					}
				}
				ends()
				if len(seen.calls) != len(sizes)+1 {
					t.Fatalf("the witness saw %d calls", len(seen.calls))
				}
				for i, w := range seen.calls[1:] {
					if !w.Handed || w.Result != history.ResultOK || w.Up < int64(sizes[i]) || w.Down < int64(sizes[i]) {
						t.Errorf("%d bytes: the witness: %+v", sizes[i], w)
					}
				}
			})
		}
	}
}

// sizedCaller is a client whose way to a server is a fault layer that marks something
// else, and that writes in pieces both ways where it is told their attributes.
func sizedCaller(t *testing.T, server *sizedServer, seen *keeper, attributes map[string]any) (caller *client.Client, ends func()) {
	target := httptest.NewServer(server)
	t.Cleanup(target.Close)
	rules := []plan.Rule{{ID: "r01", On: "sim", Cut: plan.C4, Manner: plan.RST, At: history.RoleCall, Op: "t000009/s01", Attempt: 1}}
	if attributes != nil {
		for i, stream := range []string{"upstream", "downstream"} {
			rules = append(rules, plan.Rule{ID: fmt.Sprintf("r%02d", i+2), On: "sim", Toxic: "mcp_split", Stream: stream, Toxicity: 1, Attributes: attributes})
		}
	}
	planned, err := plan.New(rules, 1, map[int]string{0: "default"})
	if err != nil {
		t.Fatal(err)
	}
	base := clock.NewBase(clock.System{})
	p, err := proxy.Start(proxy.Options{
		Name: "sim", Upstream: target.Listener.Addr().String(), Decider: planned, Toxics: rules, Tap: seen, Base: base,
	})
	if err != nil {
		t.Fatal(err)
	}
	ends = sync.OnceFunc(func() {
		caller.Abandon()
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(ends)
	policy, err := client.Preset("verifiers-0.2.0")
	if err != nil {
		t.Fatal(err)
	}
	policy.Deadline = time.Minute
	caller, err = client.New(client.Options{
		Server: "sim", URL: "http://" + p.Addr() + wire.RolloutPath("t000001.1"), Task: "t000001", Restart: 1,
		Policy: policy, Recorder: seen, Clock: clock.System{}, Base: base, Random: rand.New(rand.NewPCG(1, 1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return caller, ends
}
