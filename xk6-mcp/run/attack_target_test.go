package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	"mcpstorm/internal/wire"
)

// caching answers every call with the result of the first one.
func caching(next http.Handler) http.Handler {
	var mu sync.Mutex
	var first json.RawMessage
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked wire.Message
		if json.Unmarshal(body, &asked) != nil || asked.Method != "tools/call" {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			var said struct {
				Result json.RawMessage `json:"result"`
			}
			_ = json.Unmarshal(answer.Body.Bytes(), &said) // an answer without a result is cached as none
			first = said.Result
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, first)
	})
}
