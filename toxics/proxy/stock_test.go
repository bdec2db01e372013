package proxy_test

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

func toxic(name, stream string, attributes map[string]any) plan.Rule {
	return plan.Rule{ID: "r01", On: "sim", Toxic: name, Stream: stream, Toxicity: 1, Attributes: attributes}
}

// TestStockToxics installs every toxic that a rule can name, and looks at what it
// does to a call. An answer of more than one read must leave nothing behind.
func TestStockToxics(t *testing.T) {
	for _, stream := range []string{"upstream", "downstream"} {
		tests := []struct {
			toxic      string
			attributes map[string]any
			err        error // nil when the call must succeed
		}{
			{"latency", map[string]any{"latency": 1}, nil},
			{"bandwidth", map[string]any{"rate": 100000}, nil},
			{"bandwidth", map[string]any{"rate": 0}, nil},
			{"slow_close", map[string]any{"delay": 1}, nil},
			{"slicer", map[string]any{"average_size": 700, "size_variation": 30, "delay": 1}, nil},
			{"limit_data", map[string]any{"bytes": 10000000}, nil},
			{"limit_data", map[string]any{"bytes": 100}, io.EOF},
			{"timeout", map[string]any{"timeout": 20}, io.EOF},
			{"reset_peer", map[string]any{"timeout": 0}, syscall.ECONNRESET},
			{"reset_peer", map[string]any{"timeout": 20}, syscall.ECONNRESET},
			{"mcp_split", map[string]any{"size": 1500, "utf8": 1, "crlf": 1}, nil},
		}
		for _, tt := range tests {
			t.Run(stream+"/"+tt.toxic, func(t *testing.T) {
				r := newRig(t, proxy.Options{}, toxic(tt.toxic, stream, tt.attributes))
				text, err := call(newClient(t, false), r.Addr(), ref(1, 1), "large")
				switch {
				case tt.err == nil && (err != nil || len(text) < large):
					t.Errorf("%d bytes, %v", len(text), err)
				case errors.Is(err, tt.err), tt.err == io.EOF && errors.Is(err, io.ErrUnexpectedEOF):
				case tt.err == io.EOF && stream == "upstream" && strings.Contains(text, "Bad Request"): // to half of a request
				default:
					t.Errorf("%q, error %v, want %v", clip(text), err, tt.err)
				}
				r.end(t)
				if len(r.faults) != 1 || r.faults[0].State != history.FaultInstalled || r.faults[0].Toxic != tt.toxic {
					t.Errorf("receipts: %+v", r.faults)
				}
			})
		}
	}
}

func clip(text string) string { return text[:min(len(text), 100)] }

// TestSlowToxicsEndWithTheProxy closes the proxy while toxics sleep for long.
func TestSlowToxicsEndWithTheProxy(t *testing.T) {
	tests := map[string]map[string]any{
		"bandwidth":  {"rate": 1},
		"slow_close": {"delay": 3600000},
		"slicer":     {"average_size": 100, "delay": 3600000000},
	}
	for name, attributes := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, proxy.Options{}, toxic(name, "downstream", attributes))
			conn := r.send(t, ref(1, 1), "large")
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			r.end(t) // within its patience
		})
	}
}

// TestLatencyEndsWithTheProxy closes the proxy while a whole answer waits in it.
func TestLatencyEndsWithTheProxy(t *testing.T) {
	r := newRig(t, proxy.Options{}, toxic("latency", "downstream", map[string]any{"latency": 3600000}))
	r.send(t, ref(1, 1), "json")
	r.await(t, "the answer", func() bool { return len(r.wires) == 1 })
	r.end(t) // within its patience
}

// TestSlowClose passes the end of a connection on when its time has come.
func TestSlowClose(t *testing.T) {
	h := newHand()
	r := newRig(t, h.options(), toxic("slow_close", "downstream", map[string]any{"delay": 60000}))
	if text, err := call(newClient(t, false), r.Addr(), ref(1, 1), "json"); err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	h.awaitPause(t, 1)
	if n := r.Stats().Open; n != 1 {
		t.Errorf("%d open before the delay is over", n)
	}
	h.pass(time.Minute)
	waitUntil(t, "it is closed", func() bool { return r.Stats().Open == 0 })
}

// TestSplitBreaksNothing writes every byte alone, on both ways, under cuts that must
// hit as ever.
func TestSplitBreaksNothing(t *testing.T) {
	up := toxic("mcp_split", "upstream", map[string]any{"size": 1})
	down := toxic("mcp_split", "downstream", map[string]any{"size": 1})
	up.ID, down.ID = "r02", "r03"
	r := newRig(t, proxy.Options{}, cutting(plan.C4, plan.RST), up, down)
	c := newClient(t, true)
	for _, tool := range []string{"json", "sse", "error", "fail"} {
		if text, err := call(c, r.Addr(), ref(1, 2), tool); err != nil || !strings.Contains(text, "jsonrpc") {
			t.Errorf("%s: %q, %v", tool, text, err)
		}
	}
	if _, err := call(c, r.Addr(), ref(1, 1), "sse"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the marked call: %v", err)
	}
	r.end(t)
	for _, w := range r.wires {
		if !w.Handed || w.Result == history.ResultNone {
			t.Errorf("witness: %+v", w)
		}
	}
}
