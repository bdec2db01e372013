package refserver

import (
	"net/http"
	"sync/atomic"
)

// retryAfter is how many seconds a refused caller is asked to wait.
const retryAfter = "1"

// admission is a server that takes so many requests at once and refuses the others,
// as an overloaded one does: at its front, before anything of MCP is read.
type admission struct {
	Server
	most  int64
	under atomic.Int64 // requests under way
}

// admitting gives a server a bound of requests that it takes at once.
func admitting(s Server, most int) Server { return &admission{Server: s, most: int64(most)} }

// ServeHTTP implements http.Handler. One POST too many is refused by a 503 with
// Retry-After. Streams that are opened by GET, and sessions that are closed, take no
// place.
func (a *admission) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		a.Server.ServeHTTP(w, r)
		return
	}
	defer a.under.Add(-1)
	if a.under.Add(1) > a.most {
		w.Header().Set("Retry-After", retryAfter)
		http.Error(w, "overloaded", http.StatusServiceUnavailable)
		return
	}
	a.Server.ServeHTTP(w, r)
}

// Counts is what the server behind counts of itself, if it does.
func (a *admission) Counts() map[string]int64 {
	if own, ok := a.Server.(interface{ Counts() map[string]int64 }); ok {
		return own.Counts()
	}
	return nil
}
