package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/xk6-mcp/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var wall = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const ms = history.Instant(time.Millisecond)

func open(t testing.TB, endpoint string) *telemetry.Exporter {
	t.Helper()
	e, err := telemetry.Open(context.Background(), telemetry.Options{Endpoint: endpoint, Run: "run-1", Version: "v1", Wall: wall})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// exchange is one of op's exchanges, a millisecond long.
func exchange(op string, attempt, n int, role history.ExchangeRole, cause *history.Cause) history.Attempt {
	a := history.Attempt{
		Arm: "main", Op: op, Rollout: "t000001.1", Attempt: attempt, Exchange: n, Role: role, Server: "tools",
		Era: "2025-11-25", Told: history.ToldOK, Trace: "answered", Status: 200, Cause: cause,
		Start: history.Instant(attempt*100+n*10) * ms, End: history.Instant(attempt*100+n*10+1) * ms,
	}
	if cause != nil {
		a.Told, a.Status, a.Trace = history.ToldUnknown, cause.Status, "wrote"
	}
	if role == history.RoleCall {
		a.Tool = "append"
	}
	return a
}

// record gives an exporter one call that was retried and then failed as its tool
// says, and the session around it.
func record(e *telemetry.Exporter) {
	e.Serve("main", map[string]string{"tools": "127.0.0.1:9090"})
	reset := &history.Cause{Class: "reset", Text: "connection reset by peer"}
	first := exchange("t000001/s02", 1, 3, history.RoleCall, reset)
	first.Mark = &history.Mark{Rule: "r01", Cut: "C4", Manner: "rst"}
	for _, a := range []history.Attempt{
		exchange("t000001/s02", 1, 1, history.RoleInitialize, nil),
		exchange("t000001/s02", 1, 2, history.RoleInitialized, nil),
		first,
		exchange("t000001/s02", 1, 4, history.RoleDelete, nil),
		exchange("t000001/s02.settle", 1, 5, history.RoleSettle, &history.Cause{Class: "rpc_error", Code: -32602, Text: "no"}),
		exchange("t000001/s02", 2, 1, history.RoleCall, nil),
	} {
		e.Attempt(a)
	}
	e.Op(history.Op{
		Arm: "main", Op: "t000001/s02", Rollout: "t000001.1", Server: "tools", Kind: history.KindTool, Tool: "append",
		Policy: "settle", Told: history.ToldToolError, Attempts: 2, Cause: &history.Cause{Class: "tool_error", Text: "full"},
		Start: 100 * ms, End: 300 * ms,
	})
	e.Attempt(exchange("t000001/s03", 1, 1, history.RoleList, nil))
	e.Op(history.Op{
		Arm: "main", Op: "t000001/s03", Rollout: "t000001.1", Server: "tools", Kind: history.KindListTools,
		Policy: "settle", Told: history.ToldOK, Attempts: 1, Start: 300 * ms, End: 310 * ms,
	})
	e.Op(history.Op{
		Arm: "main", Op: "t000001/s04", Rollout: "t000001.1", Server: "tools", Kind: history.KindClose,
		Policy: "settle", Told: history.ToldOK, Start: 310 * ms, End: 311 * ms,
	})
}

func TestSpans(t *testing.T) {
	c := newCollector(t)
	e := open(t, c.URL)
	record(e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"service.name": "mcpstorm", "service.version": "v1", "service.instance.id": "run-1"}; !cmp.Equal(c.resource, want) {
		t.Errorf("resource: %v", c.resource)
	}
	parents := map[string]string{}
	var root *trace.Span
	for _, s := range c.spans {
		parents[string(s.SpanId)] = s.Name
		if s.Name == "tools/call append" && len(s.ParentSpanId) == 0 {
			root = s
		}
	}
	var got []string
	for _, s := range c.spans {
		a := attributes(s.Attributes)
		got = append(got, fmt.Sprintf("%s < %s, %s, attempt %s, error %q, code %q, fault %q, %s", s.Name, parents[string(s.ParentSpanId)],
			s.Kind, a["mcpstorm.attempt"], a["error.type"], a["rpc.response.status_code"], a["mcpstorm.fault"], s.Status.GetCode()))
	}
	const client, bad, fine = "SPAN_KIND_CLIENT", "STATUS_CODE_ERROR", "STATUS_CODE_UNSET"
	call := "tools/call append < tools/call append, " + client
	want := []string{
		"initialize < tools/call append, " + client + `, attempt 1, error "", code "", fault "", ` + fine,
		"notifications/initialized < tools/call append, " + client + `, attempt 1, error "", code "", fault "", ` + fine,
		call + `, attempt 1, error "reset", code "", fault "C4 rst", ` + bad,
		"DELETE < tools/call append, " + client + `, attempt 1, error "", code "", fault "", ` + fine,
		"tools/call < tools/call append, " + client + `, attempt 1, error "-32602", code "-32602", fault "", ` + bad,
		call + `, attempt 2, error "tool_error", code "", fault "", ` + bad,
		"tools/call append < , " + client + `, attempt , error "tool_error", code "", fault "", ` + bad,
		"tools/list < tools/list, " + client + `, attempt 1, error "", code "", fault "", ` + fine,
		"tools/list < , " + client + `, attempt , error "", code "", fault "", ` + fine,
		"close < , " + client + `, attempt , error "", code "", fault "", ` + fine,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got)\n%s", diff)
	}
	if root.StartTimeUnixNano != uint64(wall.Add(100*time.Millisecond).UnixNano()) || root.EndTimeUnixNano != uint64(wall.Add(300*time.Millisecond).UnixNano()) {
		t.Errorf("the operation lasts from %d to %d", root.StartTimeUnixNano, root.EndTimeUnixNano)
	}
	wantRoot := map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "append", "gen_ai.operation.name": "execute_tool", "error.type": "tool_error",
		"mcp.protocol.version": "2025-11-25", "network.transport": "tcp", "network.protocol.name": "http", "server.address": "127.0.0.1", "server.port": "9090",
		"mcpstorm.arm": "main", "mcpstorm.server": "tools", "mcpstorm.policy": "settle", "mcpstorm.kind": "tool", "mcpstorm.told": "tool_error",
		"mcpstorm.attempts": "2", "mcpstorm.op": "t000001/s02", "mcpstorm.rollout": "t000001.1",
	}
	if diff := cmp.Diff(wantRoot, attributes(root.Attributes)); diff != "" {
		t.Errorf("the operation's attributes (-want +got)\n%s", diff)
	}
}

func TestMetrics(t *testing.T) {
	c := newCollector(t)
	e := open(t, c.URL+"/")
	record(e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	requests := c.metrics["mcp.client.operation.duration"]
	if requests.GetUnit() != "s" {
		t.Errorf("the unit is %q, want s", requests.GetUnit())
	}
	counts := map[string]uint64{}
	for _, p := range requests.GetHistogram().GetDataPoints() {
		if diff := cmp.Diff([]float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}, p.ExplicitBounds); diff != "" {
			t.Error(diff)
		}
		a := attributes(p.Attributes)
		counts[a["mcp.method.name"]+" "+a["gen_ai.tool.name"]+" "+a["error.type"]+" "+a["mcpstorm.attempt"]] += p.Count
		if a["mcpstorm.rollout"] != "" || a["mcpstorm.op"] != "" {
			t.Error("a metric has a series for every rollout")
		}
		if a["server.port"] != "9090" || a["mcpstorm.policy"] != "settle" || a["network.transport"] != "tcp" || a["mcp.protocol.version"] != "2025-11-25" {
			t.Errorf("attributes: %v", a)
		}
	}
	want := map[string]uint64{
		"initialize   1": 1, "notifications/initialized   1": 1, "tools/call append reset 1": 1,
		"tools/call  -32602 1": 1, "tools/call append tool_error 2": 1, "tools/list   1": 1,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("requests (-want +got)\n%s", diff)
	}
	sessions := c.metrics["mcp.client.session.duration"].GetHistogram().GetDataPoints()
	if len(sessions) != 1 || sessions[0].Count != 1 || sessions[0].GetSum() < .0309 || sessions[0].GetSum() > .0311 {
		t.Errorf("sessions: %v, want one of 31 ms", sessions)
	}
	var all uint64
	for _, p := range c.metrics["mcpstorm.operation.duration"].GetHistogram().GetDataPoints() {
		all += p.Count
	}
	if all != 3 {
		t.Errorf("%d operations, want 3", all)
	}
}

// TestAmbiguousSessions opens two sessions at once: no record tells their ends apart.
func TestAmbiguousSessions(t *testing.T) {
	c := newCollector(t)
	e := open(t, c.URL)
	for n, role := range []history.ExchangeRole{history.RoleInitialize, history.RoleInitialize, history.RoleDelete, history.RoleDelete} {
		e.Attempt(exchange("t000001/s01", 1, n, role, nil))
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if points := c.metrics["mcp.client.session.duration"].GetHistogram().GetDataPoints(); len(points) != 0 {
		t.Errorf("sessions: %v, want none", points)
	}
	if len(c.spans) != 4 {
		t.Errorf("%d spans of exchanges without an operation, want 4", len(c.spans))
	}
}

// TestEveryRecordArrives records from many goroutines.
func TestEveryRecordArrives(t *testing.T) {
	c := newCollector(t)
	e := open(t, c.URL)
	const writers, each = 8, 200
	var writing sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for j := range each {
				op := fmt.Sprintf("t%06d/s%02d", i, j)
				e.Attempt(exchange(op, 1, 1, history.RoleCall, nil))
				e.Op(history.Op{Arm: "main", Op: op, Rollout: "t000001.1", Server: "tools", Kind: history.KindTurn, Told: history.ToldOK})
			}
		})
	}
	writing.Wait()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if len(c.spans) != 2*writers*each {
		t.Errorf("%d spans, want %d", len(c.spans), 2*writers*each)
	}
	e.Op(history.Op{}) // late: dropped
	if err := e.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// TestBadCollectors lets a collector fail in every way after it was there: clients
// never wait, and Close says what did not arrive, in time.
func TestBadCollectors(t *testing.T) {
	released := make(chan struct{})
	for name, one := range map[string]struct {
		handler http.HandlerFunc
		gone    bool
		want    string
	}{
		"hangs":   {handler: func(http.ResponseWriter, *http.Request) { <-released }, want: "spans did not arrive"},
		"refuses": {handler: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }, want: "400"},
		"gone":    {handler: func(http.ResponseWriter, *http.Request) {}, gone: true, want: "refused"},
		"moved": {handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
		}, want: "307"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(one.handler)
			e := open(t, server.URL)
			if one.gone {
				server.Close()
			}
			began := (clock.System{}).Now()
			for range 2000 {
				e.Attempt(exchange("t000001/s02", 1, 1, history.RoleCall, nil))
			}
			record(e)
			err := e.Close()
			if !errors.Is(err, telemetry.ErrExport) || !strings.Contains(err.Error(), one.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want ErrExport with %q in one line", err, one.want)
			}
			if took := (clock.System{}).Since(began); took > time.Minute {
				t.Errorf("took %s", took)
			}
			if name == "hangs" {
				close(released)
			}
			server.Close()
		})
	}
}

func TestEndpoints(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://127.0.0.1:4318":        "want a URL such as",
		"127.0.0.1:4318":                "want a URL such as",
		"http://127.0.0.1":              "want a URL such as",
		"http://user:pw@127.0.0.1:4318": "want a URL such as",
		"http://192.0.2.1:4318":         "only loopback",
		"http://collector:4318":         "only loopback",
		"http://0.0.0.0:4318":           "only loopback",
	} {
		_, err := telemetry.Open(context.Background(), telemetry.Options{Endpoint: endpoint})
		if !errors.Is(err, telemetry.ErrEndpoint) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", endpoint, err, want)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := telemetry.Open(context.Background(), telemetry.Options{Endpoint: endpoint}); !errors.Is(err, telemetry.ErrRefused) || !strings.Contains(err.Error(), endpoint) {
		t.Errorf("nobody there: %v, want ErrRefused that names %s", err, endpoint)
	}
}
