package toxics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	tox "github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/toxics"
	"mcpstorm/toxics/plan"
)

// slowCord is a cord on which time passes, until its sockets are closed.
type slowCord struct {
	cord
	open      context.Context
	lingering atomic.Int64 // calls of Linger that have not returned
}

func (c *slowCord) Linger(ctx context.Context, d time.Duration) {
	c.lingering.Add(1)
	defer c.lingering.Add(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.open, cancel)()
	_ = clock.System{}.Sleep(ctx, d)
}

func (c *slowCord) Closed() <-chan struct{} { return c.open.Done() }

// piece is some bytes, and when they are sent.
type piece struct {
	at    time.Duration
	text  string
	bytes int
}

// passage sends pieces through a toxic with a window from 5s to 25s, and tells when each
// had arrived whole, when the stream ended, and how the connection was cut.
type passage struct {
	toxic, attributes string
	sent              []piece
	end               time.Duration
}

func (p passage) run(t *testing.T) (events []string, receipts []history.Fault) {
	records := &log{}
	rule := plan.Rule{ID: "r01", On: "sim", Toxic: p.toxic, During: plan.Window{From: 5 * time.Second, To: 25 * time.Second}}
	start := clock.System{}.Now()
	hub := toxics.NewHub(toxics.HubOptions{
		Server: "sim", Receipts: records, Base: clock.NewBase(clock.System{}),
		Toxics: []plan.Rule{rule, {ID: "r02", On: "sim", Toxic: "latency"}, {ID: "r03", On: "tools", Toxic: "latency", During: rule.During}},
	})
	defer hub.Close()
	open, closes := context.WithCancel(t.Context())
	defer closes()
	sockets := &slowCord{open: open}
	hub.Begin()
	var running sync.WaitGroup
	defer running.Wait()
	for _, gate := range hub.Gates() {
		running.Go(func() { gate.Run(t.Context(), clock.System{}) })
	}

	wrapper := &tox.ToxicWrapper{Type: toxics.Windowed(p.toxic), Toxicity: 1}
	toxic := tox.New(wrapper)
	text := fmt.Sprintf(`{"hub":%q,"rule":"r01","toxic":%s}`, hub.ID(), strings.Replace(p.attributes, "HUB", hub.ID(), 1))
	if err := json.Unmarshal([]byte(text), toxic); err != nil {
		t.Fatal(err)
	}
	in, out := make(chan *stream.StreamChunk, wrapper.BufferSize), make(chan *stream.StreamChunk)
	stub := tox.NewToxicStub(in, out)
	hub.Start(hub.NewConn(1, sockets), func() { stub.State = toxic.(tox.StatefulToxic).NewState() })
	go stub.Run(wrapper)
	running.Go(func() {
		for _, s := range p.sent {
			sockets.Linger(t.Context(), s.at-time.Since(start))
			in <- &stream.StreamChunk{Data: []byte(strings.Repeat(s.text, s.bytes)), Timestamp: time.Now()}
		}
		sockets.Linger(t.Context(), p.end-time.Since(start))
		close(in)
	})
	arrived := map[string]int{}
	for chunk := range out {
		arrived[string(chunk.Data[:min(1, len(chunk.Data))])] += len(chunk.Data)
		for _, s := range p.sent {
			if arrived[s.text] == s.bytes {
				events = append(events, fmt.Sprintf("%s %v", s.text, time.Since(start)))
				arrived[s.text] = -1
			}
		}
	}
	events = append(events, fmt.Sprint("end ", time.Since(start)))
	return append(events, sockets.cuts...), records.faults
}

// TestWindowed sends something before the window, something within it and something
// after it through every toxic.
func TestWindowed(t *testing.T) {
	const s = time.Second
	three := []piece{{1 * s, "a", 10}, {10 * s, "b", 10}, {30 * s, "c", 10}}
	idle := []piece{{1 * s, "a", 10}, {30 * s, "c", 10}}
	many := []piece{{1 * s, "a", 10_000}, {20 * s, "b", 10_000}, {30 * s, "c", 10_000}}
	tests := []struct {
		name string
		passage
		want []string
	}{
		{"latency", passage{"latency", `{"latency":3000}`, three, 31 * s}, []string{"a 1s", "b 13s", "c 30s", "end 31s"}},
		{"latency that outlasts it", passage{"latency", `{"latency":3600000}`, three, 31 * s}, []string{"a 1s", "b 25s", "c 30s", "end 31s"}},
		{"bandwidth", passage{"bandwidth", `{"rate":10,"hub":"HUB"}`, many, 31 * s}, []string{"a 1s", "b 21s", "c 30s", "end 31s"}},
		{"bandwidth that outlasts it", passage{"bandwidth", `{"rate":1,"hub":"HUB"}`, many, 31 * s}, []string{"a 1s", "b 25s", "c 30s", "end 31s"}},
		{"slow_close", passage{"slow_close", `{"delay":2000,"hub":"HUB"}`, three[:2], 20 * s}, []string{"a 1s", "b 10s", "end 22s"}},
		{"slow_close that outlasts it", passage{"slow_close", `{"delay":3600000,"hub":"HUB"}`, three[:2], 20 * s}, []string{"a 1s", "b 10s", "end 25s"}},
		{"slow_close afterwards", passage{"slow_close", `{"delay":2000,"hub":"HUB"}`, three, 31 * s}, []string{"a 1s", "b 10s", "c 30s", "end 31s"}},
		{"timeout", passage{"timeout", `{"timeout":3000,"hub":"HUB"}`, idle[:1], 20 * s}, []string{"a 1s", "end 8s"}},
		{"timeout that drops something", passage{"timeout", `{"timeout":0,"hub":"HUB"}`, three, 31 * s}, []string{"a 1s", "end 25s"}},
		{"timeout that drops nothing", passage{"timeout", `{"timeout":0,"hub":"HUB"}`, idle, 31 * s}, []string{"a 1s", "c 30s", "end 31s"}},
		{"reset_peer", passage{"reset_peer", `{"timeout":2000,"hub":"HUB"}`, three, 31 * s}, []string{"a 1s", "end 31s", "rst"}},
		{"reset_peer that outlasts it", passage{"reset_peer", `{"timeout":3600000,"hub":"HUB"}`, three, 31 * s}, []string{"a 1s", "b 25s", "c 30s", "end 31s"}},
		{"slicer", passage{"slicer", `{"average_size":5,"delay":2000000}`, three, 31 * s}, []string{"a 1s", "b 12s", "c 30s", "end 31s"}},
		{"slicer that outlasts it", passage{"slicer", `{"average_size":5,"delay":3600000000}`, three, 31 * s}, []string{"a 1s", "b 25s", "c 30s", "end 31s"}},
		{"limit_data", passage{"limit_data", `{"bytes":9}`, three, 31 * s}, []string{"a 1s", "end 10s"}},
		{"limit_data that is not met", passage{"limit_data", `{"bytes":11}`, three, 31 * s}, []string{"a 1s", "b 10s", "c 30s", "end 31s"}},
		{"mcp_split", passage{"mcp_split", `{"size":5,"pause":2000,"hub":"HUB"}`, three, 31 * s}, []string{"a 1s", "b 12s", "c 30s", "end 31s"}},
		{"mcp_split that outlasts it", passage{"mcp_split", `{"size":1,"pause":3600000,"hub":"HUB"}`, three, 31 * s}, []string{"a 1s", "b 25s", "c 30s", "end 31s"}},
		{"a connection that ends before it", passage{"latency", `{"latency":3000}`, three[:1], 2 * s}, []string{"a 1s", "end 2s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, receipts := tt.run(t)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				due := []history.Fault{{
					Server: "sim", Rule: "r01", Toxic: tt.toxic, State: history.FaultInstalled,
					Reason: "from 5s to 25s", Conn: 1, At: history.Instant(5 * s),
				}}
				if tt.end < 5*s {
					due = nil
				}
				if diff := cmp.Diff(due, slices.Clone(receipts)); diff != "" {
					t.Errorf("receipts (-want +got)\n%s", diff)
				}
			})
		})
	}
}
