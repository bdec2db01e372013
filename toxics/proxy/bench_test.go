package proxy_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// discard takes records and drops them.
type discard struct{}

func (discard) Receipt(history.Fault) {}
func (discard) Exchange(history.Wire) {}

// BenchmarkCall compares a call that goes to the server with one through the
// proxy, without and with a plan (that marks nothing).
func BenchmarkCall(b *testing.B) {
	up := newUpstream(b)
	nothing, err := plan.New([]plan.Rule{{ID: "r01", On: "sim", Cut: plan.C4, Manner: plan.RST, At: history.RoleCall, Attempts: 2}}, 1, map[int]string{0: "default"})
	if err != nil {
		b.Fatal(err)
	}
	through := func(opts proxy.Options) func(*testing.B) {
		return func(b *testing.B) {
			opts.Name, opts.Upstream, opts.Tap, opts.Receipts = "sim", up.addr(), discard{}, discard{}
			p, err := proxy.Start(opts)
			if err != nil {
				b.Fatal(err)
			}
			benchCalls(b, p.Addr())
			b.StopTimer()
			if err := p.Close(context.Background()); err != nil {
				b.Error(err)
			}
		}
	}
	b.Run("direct", func(b *testing.B) { benchCalls(b, up.addr()) })
	b.Run("taps", through(proxy.Options{}))
	b.Run("taps and plan", through(proxy.Options{Decider: nothing}))
}

// benchCalls keeps 64 callers busy, each on a connection of its own.
func benchCalls(b *testing.B, addr string) {
	var task atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		c := &http.Client{Transport: &http.Transport{}}
		defer c.CloseIdleConnections()
		for pb.Next() {
			if _, err := call(c, addr, ref(task.Add(1)%900_000, 1), "json"); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
