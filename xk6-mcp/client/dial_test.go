package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// gatekeeper refuses dials, and remembers what it was asked.
type gatekeeper struct {
	refuse func(ctx context.Context, ref wire.OpRef, role history.ExchangeRole) error
	mu     sync.Mutex
	asked  []string
}

func (g *gatekeeper) Refuse(ctx context.Context, ref wire.OpRef, role history.ExchangeRole, tool string) error {
	g.mu.Lock()
	g.asked = append(g.asked, ref.String()+" "+string(role)+" "+tool)
	g.mu.Unlock()
	return g.refuse(ctx, ref, role)
}

// TestRefusedDial refuses the connection of the first attempt.
func TestRefusedDial(t *testing.T) {
	first := func(_ context.Context, ref wire.OpRef, _ history.ExchangeRole) error {
		if ref.Attempt == 1 {
			return syscall.ECONNREFUSED
		}
		return nil
	}
	silent := func(ctx context.Context, ref wire.OpRef, _ history.ExchangeRole) error {
		if ref.Attempt == 1 {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return nil
	}
	for name, refuse := range map[string]func(context.Context, wire.OpRef, history.ExchangeRole) error{"refused": first, "silent": silent} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body) // what is cut short is no message
				m, err := wire.ParseMessage(body)
				if err != nil {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
			}))
			defer server.Close()
			g, rec := &gatekeeper{refuse: refuse}, &recorder{}
			policy := quick(t, "settle")
			policy.Deadline = 300 * time.Millisecond // of the attempt that gets no answer
			if name == "refused" {
				policy.Deadline = 10 * time.Second
			}
			c, err := client.New(client.Options{
				Server: "sim", URL: server.URL, Task: "t000001", Restart: 1, Policy: policy, Era: wire.EraStateless, Recorder: rec,
				Clock: clock.System{}, Base: clock.NewBase(clock.System{}), Random: seed.Root(1).Stream("backoff"), Refuse: g.Refuse,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Abandon)
			result := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
			if len(rec.attempts) == 0 {
				t.Fatal("nothing is on record")
			}
			a := rec.attempts[0]
			if a.Told != history.ToldNotExecuted || a.Written != 0 || name == "refused" && a.Trace != "dial_failed" {
				t.Errorf("the first attempt: %+v", a)
			}
			// A dial that got no answer ends with its attempt: the next one dials anew.
			if result.Told != history.ToldOK || name == "refused" && result.Attempts != 2 {
				t.Errorf("the operation: %+v", result)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if want := "t000001.1/s02/a1 call respond"; g.asked[0] != want {
				t.Errorf("asked %q, want %q first", g.asked, want)
			}
		})
	}
}
