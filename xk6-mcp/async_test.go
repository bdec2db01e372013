package xk6mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/run"
)

// own is a server of the user's own, stateless, whose tool is answered by call.
func own(t *testing.T, call func(w http.ResponseWriter, r *http.Request, id string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m wire.Message
		_ = json.Unmarshal(body, &m)
		switch m.Method {
		case "initialize":
			answer(w, string(m.ID), `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"own","version":"1"}}`)
		case "tools/call":
			call(w, r, string(m.ID))
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/r/{rollout}/mcp"
}

func answer(w http.ResponseWriter, id, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// together answers no call before n of them are there.
type together struct {
	mu    sync.Mutex
	n     int
	calls int
	all   chan struct{}
}

func (b *together) arrive() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls == 0 {
		b.all = make(chan struct{})
	}
	all := b.all
	if b.calls++; b.calls == b.n {
		b.calls = 0
		close(all)
	}
	return all
}

// TestAsyncCallsOverlap calls a tool four times at once: the server answers none
// before it has all of them. The persistent policy opens a session for each.
func TestAsyncCallsOverlap(t *testing.T) {
	for _, policy := range []string{"settle", "verifiers-0.2.0", "go-sdk"} {
		t.Run(policy, func(t *testing.T) {
			barrier := &together{n: 4}
			url := own(t, func(w http.ResponseWriter, r *http.Request, id string) {
				select {
				case <-barrier.arrive():
					answer(w, id, `{"content":[{"type":"text","text":"here"}]}`)
				case <-r.Context().Done():
				}
			})
			outcome, _ := drive(t, once(`{ own: { url: '`+url+`', policy: '`+policy+`' } }`, ``, `
  const own = rollout.connect('own');
  const calls = [1, 2, 3, 4].map((n) => own.callToolAsync({ name: 'wait', arguments: { n } }));
  same((await Promise.all(calls)).map((r) => r.text), ['here', 'here', 'here', 'here']);
  own.close();`))
			unharmed(t, outcome.History)
			steps := map[string]bool{}
			for _, o := range outcome.History.Ops {
				if o.Arm == "main" && o.Kind == history.KindTool {
					steps[o.Op] = o.Told == history.ToldOK
				}
			}
			for n := 2; n <= 5; n++ {
				if op := fmt.Sprintf("t000000/s%02d", n); !steps[op] {
					t.Errorf("%s is not among %v: a call takes its number when it is made", op, steps)
				}
			}
		})
	}
}

// TestAsyncCallsAreCut loses the answers of two of five overlapping mutations: each
// is settled by its own client, and done once.
func TestAsyncCallsAreCut(t *testing.T) {
	faults := `
    { on: 'tools', op: 't000000/s03', attempt: 1, cut: 'C4', manner: 'rst' },
    { on: 'tools', op: 't000000/s05', attempt: 1, cut: 'C1', manner: 'fin' },`
	outcome, _ := drive(t, once(`{ tools: { server: 'ledger', toolLatency: '20ms' } }`, faults, `
  const tools = rollout.connect('tools');
  const append = (text) => tools.callToolAsync({ name: 'append', arguments: { text } }, { tags: { text } });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(append));
  same((await append('f')).isError, false);
  same([tools.last.op.slice(-3), tools.last.told], ['s07', 'ok']);`))
	unharmed(t, outcome.History)
	if outcome.Verdict.Status == history.Fail {
		t.Errorf("%s: %s", outcome.Verdict.Status, outcome.Verdict.Reason)
	}
	settled, commits := 0, 0
	for _, o := range outcome.History.Ops {
		if o.Settled != "" {
			settled++
		}
	}
	for _, e := range outcome.History.Effects {
		if e.Arm == "main" && e.Tool == "append" && e.Kind == history.EffectCommit {
			commits++
		}
	}
	if settled != 2 || commits != 6 {
		t.Errorf("%d operations settled and %d commits, want 2 and 6", settled, commits)
	}
}

// TestAnAsyncCallThatIsNotAwaited is still followed to its end, and one that was
// not answered fails the rollout that did not look.
func TestAnAsyncCallThatIsNotAwaited(t *testing.T) {
	outcome, _ := drive(t, once(`{ tools: 'ledger' }`, `{ on: 'tools', op: 't000000/s03', attempt: 1, cut: 'C4', manner: 'rst' }`, `
  const tools = rollout.connect('tools', { policy: 'at-most-once' });
  for (const text of ['a', 'b']) tools.callToolAsync({ name: 'append', arguments: { text } });`))
	for _, r := range outcome.History.Rollouts {
		want := history.Completed
		if r.Arm == "main" {
			want = history.Failed
		}
		if r.Outcome != want || r.Ops != 3 {
			t.Errorf("%s %s after %d operations, want %s after 3: %+v", r.Rollout, r.Outcome, r.Ops, want, r.Cause)
		}
	}
	if n := len(outcome.History.Ops); n != 6 {
		t.Errorf("%d operations were recorded, want 6", n)
	}
}

// TestTooManyAtOnce bounds the clients of one connection.
func TestTooManyAtOnce(t *testing.T) {
	outcome, _ := drive(t, once(`{ tools: 'ledger' }`, ``, `
  const tools = rollout.connect('tools');
  try {
    for (let n = 0; n < 257; n++) tools.callToolAsync({ name: 'append', arguments: { text: 'x' } });
    throw new Error('no bound');
  } catch (e) {
    same([e instanceof TypeError, /256 calls are under way/.test(e.message)], [true, true]);
  }`))
	unharmed(t, outcome.History)
	if got := len(outcome.History.Ops); got != 2*257 {
		t.Errorf("%d operations, want %d", got, 2*257)
	}
}

// TestSecretsAreSentAndNeverKept sends headers and a bearer token to a server that
// says them back in its refusal.
func TestSecretsAreSentAndNeverKept(t *testing.T) {
	const secret = "s3cr3t-t0k3n"
	var mu sync.Mutex
	seen := map[string]int{}
	url := own(t, func(w http.ResponseWriter, r *http.Request, id string) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Header.Get("Authorization")+" "+r.Header.Get("X-Team")+" "+r.Header.Get("X-Own")]++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"I do not know %s"}}`, id, r.Header.Get("Authorization"))
	})
	outcome, printed := drive(t, once(`{ own: { url: '`+url+`', headers: { 'X-Own': 'yes', 'X-Team': 'storm' } } }`, ``, `
  const own = rollout.connect('own', { bearer: '`+secret+`', headers: { 'x-team': 'script' } });
  try { own.callTool({ name: 'x' }) } catch (e) { console.log(e.message, JSON.stringify(own), JSON.stringify(e)); return }
  throw new Error('answered');`))
	unharmed(t, outcome.History)
	if n := seen["Bearer "+secret+" script yes"]; n != 2 || len(seen) != 1 {
		t.Errorf("the server saw %v", seen)
	}
	if strings.Contains(printed, secret) || !strings.Contains(printed, "redacted:") {
		t.Errorf("printed %s", printed)
	}
	noneOf(t, outcome.Dir, secret)
}

// TestACallHasADeadlineOfItsOwn: each attempt of a call that is never answered ends
// with the call's deadline, and the record says so.
func TestACallHasADeadlineOfItsOwn(t *testing.T) {
	url := own(t, func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
	outcome, _ := drive(t, once(`{ own: { url: '`+url+`', policy: 'never-retries' } }`, ``, `
  const own = rollout.connect('own', { deadline: '20s' });
  for (const options of [{ deadline: '50ms' }, { timeout: 60 }]) {
    try { own.callTool({ name: 'x' }, options); throw new Error('answered') } catch (e) { same([e.told, e.cause.class], ['unknown', 'deadline']) }
  }`))
	unharmed(t, outcome.History)
	var got []string
	for _, o := range outcome.History.Ops {
		if o.Arm == "main" {
			got = append(got, fmt.Sprint(o.Deadline/1e6))
		}
	}
	if strings.Join(got, " ") != "21000 1050 1060" { // each with a second of grace
		t.Errorf("deadlines %v ms", got)
	}
}

// TestAStopEndsAsyncCalls stops the run while two calls wait: both are recorded as
// told nothing, because the run was stopped.
func TestAStopEndsAsyncCalls(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	barrier := &together{n: 2}
	url := own(t, func(_ http.ResponseWriter, r *http.Request, _ string) {
		select {
		case <-barrier.arrive():
			stop()
			<-r.Context().Done()
		case <-r.Context().Done():
		}
	})
	dir := t.TempDir()
	o := run.Options{Script: filepath.Join(dir, "script.js"), Dir: filepath.Join(dir, "run"), NoHostProbe: true, NoCharts: true}
	script := once(`{ own: { url: '`+url+`' } }`, ``, `
  const own = rollout.connect('own');
  await Promise.all([own.callToolAsync({ name: 'a' }), own.callToolAsync({ name: 'b' })]);
  throw new Error('went on');`)
	if err := os.WriteFile(o.Script, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	outcome, err := run.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	interrupted := 0
	for _, op := range outcome.History.Ops {
		if op.Told == history.ToldNone && op.Interrupted {
			interrupted++
		}
	}
	if interrupted != 2 || outcome.Exit != run.ExitStopped {
		t.Errorf("%d interrupted operations and exit %d, want 2 and %d", interrupted, outcome.Exit, run.ExitStopped)
	}
	for _, r := range outcome.History.Rollouts {
		if r.Outcome != history.Interrupted {
			t.Errorf("%s %s: %+v", r.Rollout, r.Outcome, r.Cause)
		}
	}
}
