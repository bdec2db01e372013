package telemetry_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcpstorm/history"
)

// BenchmarkOperation is what an operation with three exchanges costs the process
// while a collector takes everything.
func BenchmarkOperation(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer server.Close()
	e := open(b, server.URL)
	e.Serve("main", map[string]string{"tools": "127.0.0.1:9090"})
	b.ReportAllocs()
	for b.Loop() {
		for n, role := range []history.ExchangeRole{history.RoleInitialize, history.RoleInitialized, history.RoleCall} {
			e.Attempt(exchange("t000001/s02", 1, n, role, nil))
		}
		e.Op(history.Op{
			Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "tools", Kind: history.KindTool, Tool: "append",
			Policy: "settle", Told: history.ToldOK, Attempts: 1,
		})
	}
	if err := e.Close(); err != nil {
		b.Log(err) // a loop without a pause fills every queue
	}
}
