package refserver

import (
	"context"
	"net/http"

	"mcpstorm/internal/wire"
)

// NoCancel is the id of a bug that a kind can list: in the 2026-07-28 era a disconnect
// cancels nothing, so that the call goes on and its answer is sent to nobody. In the
// older era that is right, and the bug changes nothing.
const NoCancel = "NO-CANCEL"

// BugEra is the only MCP version in which a bug does anything, or empty where it does in
// every one.
func BugEra(bug string) string {
	if bug == NoCancel {
		return wire.EraStateless
	}
	return ""
}

// uncancelled hides from a handler that a client has left, where that is a bug.
func uncancelled(next http.Handler, cfg Config) http.Handler {
	if cfg.Era != BugEra(NoCancel) || !cfg.HasBug(NoCancel) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	})
}
