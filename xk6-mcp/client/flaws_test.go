package client_test

import (
	"testing"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// forgets is polite, and resets what first arrives on a connection that has stood idle
// after a call, as something on the way does that has forgotten it.
func forgets() func(int, asked) (string, ending) {
	idle := false // a client has one request under way at a time
	return func(_ int, a asked) (string, ending) {
		if idle && !a.fresh {
			idle = false
			return "", rst
		}
		idle = a.rpc == "tools/call"
		return polite(a)
	}
}

// TestFM13OneConnectionIsHeld: a client that holds its connection for the whole rollout
// ends with it; one that opens another goes on, also within a session that it holds.
func TestFM13OneConnectionIsHeld(t *testing.T) {
	for _, tt := range []struct {
		policy   string
		told     history.Told
		attempts int
	}{
		{"verifiers-0.2.0", history.ToldUnknown, 1},
		{"settle", history.ToldOK, 2},
		{"resume", history.ToldOK, 2},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			server := serve(t, forgets())
			c, rec := dial(t, server.url(), quick(t, tt.policy), nil)
			connected, first := c.Connect(t.Context(), "s01"), c.CallTool(t.Context(), "s02", history.Keyed, respond)
			if connected.Told != history.ToldOK || first.Told != history.ToldOK {
				t.Fatalf("told %s and %s before anything broke", connected.Told, first.Told)
			}
			got := c.CallTool(t.Context(), "s03", history.Keyed, respond)
			if got.Told != tt.told || got.Attempts != tt.attempts {
				t.Errorf("told %s after %d (%v), want %s after %d; server saw %s", got.Told, got.Attempts, got.Cause, tt.told, tt.attempts, server.requests())
			}
			opened := 0
			for _, a := range rec.attempts {
				if a.Op == "t000001/s03" && a.ConnNew {
					opened++
				}
			}
			if opened != tt.attempts-1 {
				t.Errorf("%d connections were opened after the break, want one for each further attempt", opened)
			}
		})
	}
}

// TestFM14OnlyABrokenConnectionIsTriedAgain: a front end that is busy while a session is
// opened ends what a connection that breaks there does not.
func TestFM14OnlyABrokenConnectionIsTriedAgain(t *testing.T) {
	const narrow = "verifiers-10c58131c"
	for _, tt := range []struct {
		name, policy string
		raw          string
		end          ending
		told         history.Told
		attempts     int
	}{
		{"busy", narrow, plain(503, ""), keep, history.ToldNotExecuted, 1},
		{"broken", narrow, "", rst, history.ToldOK, 3},
		{"busy, with a twin", "settle", plain(503, ""), keep, history.ToldOK, 3},
		{"broken, with a twin", "settle", "", rst, history.ToldOK, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, faulty("initialize", 2, tt.raw, tt.end))
			c, _ := dial(t, server.url(), quick(t, tt.policy), nil)
			got := c.CallTool(t.Context(), "s02", history.Unsafe, respond)
			if got.Told != tt.told || got.Attempts != tt.attempts || !got.Knowable && got.Told != history.ToldOK {
				t.Errorf("told %s after %d, knowable %t (%v); server saw %s", got.Told, got.Attempts, got.Knowable, got.Cause, server.requests())
			}
		})
	}
	// A list is not tried again at all.
	server := serve(t, faulty("tools/list", 1, "", rst))
	c, _ := dial(t, server.url(), quick(t, narrow), nil)
	if got := c.Request(t.Context(), "s02", client.Request{Method: "tools/list"}); got.Told == history.ToldOK || got.Attempts != 1 {
		t.Errorf("a list was told %s after %d", got.Told, got.Attempts)
	}
}
