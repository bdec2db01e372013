package refserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/ledger"
)

// leaky is a server that holds one more thing after each request.
type leaky struct{ held atomic.Int64 }

func (l *leaky) ServeHTTP(http.ResponseWriter, *http.Request) { l.held.Add(1) }

func (l *leaky) Close(context.Context) error { return nil }

func (l *leaky) Counts() map[string]int64 { return map[string]int64{"things": l.held.Load()} }

// resources keeps what a sampler records.
type resources struct {
	mu   sync.Mutex
	list []history.Resource
	fail error
}

func (r *resources) Resource(one history.Resource) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.At = 0
	r.list = append(r.list, one)
	return r.fail
}

func (r *resources) brief() (lines []string) {
	for _, one := range r.list {
		lines = append(lines, fmt.Sprintf("%s %d: %d", one.Phase, one.Cycle, one.Counts["things"]))
	}
	return lines
}

func visit(s http.Handler, rollout string) {
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/r/"+rollout+"/mcp", nil))
}

// A cycle is so many rollouts, however many requests each of them makes, and its end
// is the beginning of the next.
func TestSampler(t *testing.T) {
	kept := &resources{}
	s := refserver.Sampled(&leaky{}, refserver.SamplerOptions{Name: "sim", Arm: "main", Sink: kept, Cycle: 2})
	s.Begin()
	for i := range 7 {
		visit(s, fmt.Sprintf("t%06d.1", i))
		visit(s, fmt.Sprintf("t%06d.1", i))
		visit(s, "not-a-rollout/..")
	}
	if err := s.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"base 0: 0", "cycle 1: 6", "cycle 2: 12", "cycle 3: 18", "end 0: 21"}
	if diff := cmp.Diff(want, kept.brief()); diff != "" {
		t.Error(diff)
	}
	if one := kept.list[1]; one.Server != "sim" || one.Arm != "main" || one.Cycle != 1 {
		t.Errorf("%+v", one)
	}
}

// What cannot be recorded is told in the end.
func TestSamplerCannotRecord(t *testing.T) {
	full := errors.New("disk full")
	s := refserver.Sampled(&leaky{}, refserver.SamplerOptions{Sink: &resources{fail: full}, Cycle: 1})
	s.Begin()
	if err := s.End(t.Context()); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// A server that holds nothing countable records nothing, one with sessions counts
// them, and a gauge of its own is counted beside.
func TestCoreCounts(t *testing.T) {
	for _, stateful := range []bool{false, true} {
		server, err := ledger.Kind().Open(refserver.Config{Stateful: stateful})
		if err != nil {
			t.Fatal(err)
		}
		kept := &resources{}
		s := refserver.Sampled(server, refserver.SamplerOptions{Sink: kept, Cycle: 1})
		s.Begin()
		if recorded := len(kept.list) == 1; recorded != stateful {
			t.Errorf("stateful %t: %+v", stateful, kept.list)
		}
		if err := server.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	core := refserver.NewCore(refserver.Config{Stateful: true}, nil)
	core.Gauge("slots", func() int64 { return 4 })
	if diff := cmp.Diff(map[string]int64{"sessions": 0, "slots": 4}, core.Counts()); diff != "" {
		t.Error(diff)
	}
}

// A process of its own is counted as a whole.
func TestSamplerOfAProcess(t *testing.T) {
	kept := &resources{}
	refserver.Sampled(&leaky{}, refserver.SamplerOptions{Sink: kept, Process: true}).Begin()
	if counts := kept.list[0].Counts; counts["goroutines"] < 1 || counts["things"] != 0 {
		t.Errorf("%v", counts)
	}
}
