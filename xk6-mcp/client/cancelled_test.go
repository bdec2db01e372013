package client_test

import (
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// TestCancelledByItsCaller: nothing is sent after a cancel, and what is told is what was
// known by then; a client that takes the cancel for a failure sends the call again.
func TestCancelledByItsCaller(t *testing.T) {
	for _, tt := range []struct {
		policy   string
		told     history.Told
		requests string
	}{
		{"settle", history.ToldUnknown, "initialize initialized tools/call"},
		{"at-least-once", history.ToldUnknown, "initialize initialized tools/call"},
		{"ignores-cancel", history.ToldOK, "initialize initialized tools/call initialize initialized tools/call"},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			server := serve(t, faulty("tools/call", 1, "", hang))
			c, _ := dial(t, server.url(), quick(t, tt.policy), nil)
			ctx, release := client.CancelAfter(t.Context(), 300*time.Millisecond)
			defer release()
			got := c.CallTool(ctx, "s02", history.Unsafe, respond)
			if got.Told != tt.told || got.Interrupted || server.requests() != tt.requests {
				t.Errorf("told %s, interrupted %t, after %s", got.Told, got.Interrupted, server.requests())
			}
			if tt.told == history.ToldUnknown && got.Cause.Class != "cancelled" {
				t.Errorf("cause %+v", got.Cause)
			}
			if !client.Cancelled(ctx) {
				t.Error("the context does not say that it was cancelled")
			}
		})
	}
	if ctx, release := client.CancelAfter(t.Context(), 0); client.Cancelled(ctx) || ctx != t.Context() {
		release()
		t.Error("never is at once")
	}
}

// TestAnAnswerIsParsedOnce: a turn that is no JSON is asked for once, and again only by a
// client that parses within its loop; of another class it is none of the client's.
func TestAnAnswerIsParsedOnce(t *testing.T) {
	for _, tt := range []struct {
		policy   string
		class    history.ReplayClass
		attempts int
		told     history.Told
	}{
		{"settle", history.Keyed, 1, history.ToldOK},
		{"verifiers-4ad49c3d3", history.Keyed, 1, history.ToldOK},
		{"verifiers-dc1a15bc6", history.Keyed, 6, history.ToldUnknown},
		{"verifiers-dc1a15bc6", history.Unsafe, 1, history.ToldOK},
	} {
		server := serve(t, func(_ int, a asked) (string, ending) { return polite(a) })
		c, _ := dial(t, server.url(), quick(t, tt.policy), nil)
		if got := c.CallTool(t.Context(), "s02", tt.class, respond); got.Told != tt.told || got.Attempts != tt.attempts {
			t.Errorf("%s, %s: told %s after %d attempts", tt.policy, tt.class, got.Told, got.Attempts)
		}
	}
}
