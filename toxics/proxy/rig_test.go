package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/toxics/plan"
	"mcpstorm/toxics/proxy"
)

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// upstream is a plain MCP server over net/http. It counts executions by the op
// argument of the call; the tool's name says how it answers.
type upstream struct {
	*httptest.Server
	mu       sync.Mutex
	executed map[string]int
	left     int           // requests whose client left while they waited at the gate
	gate     chan struct{} // the tools "slow" and "half" wait here
}

func newUpstream(t testing.TB) *upstream {
	u := &upstream{executed: make(map[string]int), gate: make(chan struct{})}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) addr() string { return u.Listener.Addr().String() }

func (u *upstream) count(op string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.executed[op]
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // not a whole request: nothing is executed
	}
	m, err := wire.ParseMessage(body)
	if err != nil {
		http.Error(w, "not JSON-RPC", http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var call struct {
		Name      string
		Arguments struct{ Op string }
	}
	_ = json.Unmarshal(m.Params, &call)
	u.mu.Lock()
	u.executed[call.Arguments.Op]++
	u.mu.Unlock()
	if call.Name == "half" {
		begin(w)
	}
	if call.Name == "slow" || call.Name == "half" {
		u.wait(r)
	}
	u.answer(w, call.Name, m.ID)
}

// wait waits at the gate, and takes note of a client that leaves.
func (u *upstream) wait(r *http.Request) {
	select {
	case <-u.gate:
	case <-r.Context().Done():
		u.mu.Lock()
		u.left++
		u.mu.Unlock()
		<-u.gate
	}
}

func (u *upstream) clientsLeft() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.left
}

// large is the size of a large answer.
const large = 400 << 10

func (u *upstream) answer(w http.ResponseWriter, tool string, id json.RawMessage) {
	text := "done"
	switch tool {
	case "large":
		text = strings.Repeat("x", large)
	case "error":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, id)
		return
	}
	result := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}],"isError":%t}}`, id, text, tool == "fail")
	switch tool {
	case "sse":
		begin(w)
	case "half": // has begun
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result)
		return
	}
	fmt.Fprintf(w, "event: message\ndata: %s\n\n", result)
	w.(http.Flusher).Flush()
}

// begin begins a stream of events.
func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
	w.(http.Flusher).Flush()
}

// records keeps what a proxy reports.
type records struct {
	mu     sync.Mutex
	turn   *sync.Cond
	faults []history.Fault
	wires  []history.Wire
}

func newRecords() *records {
	r := &records{}
	r.turn = sync.NewCond(&r.mu)
	return r
}

func (r *records) Receipt(f history.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, f)
	r.turn.Broadcast()
}

func (r *records) Exchange(w history.Wire) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wires = append(r.wires, w)
	r.turn.Broadcast()
}

// await waits until the records satisfy a condition.
func (r *records) await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.turn.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ok() {
		if late {
			t.Fatalf("waited %v for %s; %d faults %d wires: %+v", patience, what, len(r.faults), len(r.wires), r.faults)
		}
		r.turn.Wait()
	}
}

// fault finds the one fault of an operation.
func (r *records) fault(t testing.TB, op string) history.Fault {
	t.Helper()
	var found []history.Fault
	for _, f := range r.faults {
		if f.Op == op {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d fault records, want exactly 1: %+v", op, len(found), found)
	}
	return found[0]
}

// wiresOf are the exchanges of one attempt.
func (r *records) wiresOf(hint string) []history.Wire {
	var found []history.Wire
	for _, w := range r.wires {
		if w.Hint == hint {
			found = append(found, w)
		}
	}
	return found
}

// rig is a proxy before an upstream, with its records.
type rig struct {
	*proxy.Proxy
	*records
	up   *upstream
	plan *plan.Plan
}

func newRig(t testing.TB, opts proxy.Options, rules ...plan.Rule) *rig {
	t.Helper()
	r := &rig{records: newRecords(), up: newUpstream(t)}
	opts.Name, opts.Arm, opts.Upstream = "sim", "main", r.up.addr()
	opts.Receipts, opts.Tap = r.records, r.records
	opts.KeyRule = wire.KeyRule{OpArgument: "op"}
	opts.Toxics = rules
	p, err := plan.New(rules, 1, map[int]string{0: "default"})
	if err != nil {
		t.Fatal(err)
	}
	opts.Decider, r.plan = p, p
	r.Proxy, err = proxy.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.end(t) })
	return r
}

// end closes the proxy and insists that nothing is left.
func (r *rig) end(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
}

// newClient is one client with connections of its own, which never replays.
func newClient(t testing.TB, keepAlive bool) *http.Client {
	tr := &http.Transport{DisableKeepAlives: !keepAlive, MaxIdleConnsPerHost: 4}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// ref names an attempt at the second call of a task.
func ref(task int64, attempt int) wire.OpRef {
	return wire.OpRef{Task: wire.TaskID(0, task), Restart: 1, Step: "s02", Attempt: attempt}
}

// body is the tools/call of an operation.
func body(op wire.OpRef, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":{"op":%q}}}`, tool, op.Op())
}

// call sends one request and returns the answer's body.
func call(c *http.Client, addr string, op wire.OpRef, tool string) (string, error) {
	return post(c, addr, op, strings.NewReader(body(op, tool)))
}

func post(c *http.Client, addr string, op wire.OpRef, content io.Reader) (string, error) {
	req, err := http.NewRequest("POST", "http://"+addr+wire.RolloutPath(op.Rollout()), content)
	if err != nil {
		return "", err
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer secret")
	req.Header.Set(wire.OpHeader, op.String())
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
