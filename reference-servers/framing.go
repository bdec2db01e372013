package refserver

import (
	"io"
	"net/http"

	"mcpstorm/internal/wire"
)

// framed writes the event streams of a handler in another framing.
func framed(next http.Handler, framing wire.SSEFraming) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&framedWriter{ResponseWriter: w, framer: wire.NewSSEFramer(w, framing)}, r)
	})
}

// framedWriter frames what is written, if it is an event stream.
type framedWriter struct {
	http.ResponseWriter
	framer *wire.SSEFramer
}

// Write implements io.Writer.
func (w *framedWriter) Write(p []byte) (int, error) {
	var to io.Writer = w.ResponseWriter
	if w.Header().Get("Content-Type") == "text/event-stream" {
		to = w.framer
	}
	return to.Write(p)
}

// Unwrap lets an http.ResponseController flush.
func (w *framedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
