package usersim_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpstorm/history"
	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

const rollout = "t000001.1"

// channel makes a request to the state channel of the rollout.
func (s *sim) channel(t *testing.T, method, what, body string) (int, string) {
	t.Helper()
	url := strings.TrimSuffix(s.URL(rollout), "mcp") + what
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(data))
}

func TestStateChannel(t *testing.T) {
	s := start(t, refserver.Config{Turns: 1})
	for _, tt := range []struct {
		name, method, what, body string
		status                   int
		want                     string
	}{
		{"before the first call", "GET", "state", "", 200, `{"user_finished":false,"user_turns":0}`},
		{"a whole new state", "PUT", "state", `{"user_turns":0}`, 200, `{"ok":true}`},
		{"no state", "PUT", "state", `[]`, 400, ""},
		{"a negative one", "PUT", "state", `{"user_turns":-1}`, 400, `{"error":"invalid state PUT for usersim: user_turns is -1"}`},
		{"another method", "POST", "state", `{}`, 405, `{"error":"POST is not allowed"}`},
		{"the task is only read", "PUT", "task", `{}`, 405, `{"error":"PUT is not allowed"}`},
	} {
		status, got := s.channel(t, tt.method, tt.what, tt.body)
		if status != tt.status || tt.want != "" && got != tt.want {
			t.Errorf("%s: HTTP %d %s, want %d %s", tt.name, status, got, tt.status, tt.want)
		}
	}
	first := s.turn(t, rollout, `{"message":"","seq":0}`)
	if _, got := s.channel(t, "GET", "state", ""); got != `{"user_finished":false,"user_turns":1}` {
		t.Errorf("after a turn the state is %s", got)
	}
	if last := s.turn(t, rollout, `{"message":"a","seq":2}`); len(last.Messages) != 0 {
		t.Errorf("there is a second turn: %+v", last)
	}
	if _, got := s.channel(t, "GET", "state", ""); got != `{"user_finished":true,"user_turns":2}` {
		t.Errorf("at the end the state is %s", got)
	}
	var task struct{ Task string }
	_, got := s.channel(t, "GET", "task", "")
	if err := json.Unmarshal([]byte(got), &task); err != nil || !strings.Contains(task.Task, first.Messages[0].Content) {
		t.Errorf("the task %s does not hold the turn %q (%v)", got, first.Messages[0].Content, err)
	}
}

func TestStateChannelHasRoomForItsRollouts(t *testing.T) {
	s := start(t, refserver.Config{MaxRollouts: 1})
	s.turn(t, "t000009.1", `{"message":""}`)
	if status, body := s.channel(t, "GET", "state", ""); status != http.StatusServiceUnavailable {
		t.Errorf("one rollout too many: HTTP %d %s", status, body)
	}
}

// pushing holds every write to the state channel, and nothing else.
type pushing struct {
	clock.System
	latency time.Duration
	began   chan struct{}
	open    chan struct{}
}

func newPushing() *pushing {
	return &pushing{latency: time.Hour, began: make(chan struct{}, 16), open: make(chan struct{})}
}

// Sleep implements clock.Clock.
func (p *pushing) Sleep(ctx context.Context, d time.Duration) error {
	if d != p.latency {
		return p.System.Sleep(ctx, d)
	}
	p.began <- struct{}{}
	select {
	case <-p.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TestFM05VisibleBeforeCommitted holds the write of the state and repeats the call
// meanwhile: the repeat gets the turn at once, before it is committed. The fixed twin
// lets it wait.
func TestFM05VisibleBeforeCommitted(t *testing.T) {
	for _, tt := range []struct {
		name string
		bugs []string
		want []string
	}{
		{"with the bug", []string{"FM-05"}, []string{"begin seq:0", "answer seq:0 replayed", "commit seq:0 #1", "answer seq:0"}},
		{"its twin", nil, []string{"begin seq:0", "commit seq:0 #1", "answer seq:0", "answer seq:0 replayed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			held := newPushing()
			s := start(t, refserver.Config{Bugs: tt.bugs, Clock: held, StateLatency: held.latency})
			results := make(chan wire.ToolResult, 2)
			call := func() {
				result, err := s.call(t.Context(), rollout, `{"message":"","seq":0}`)
				if err != nil {
					t.Error(err)
				}
				results <- result
			}
			go call()
			<-held.began
			go call()
			if len(tt.bugs) > 0 { // answered while the state is still the old one
				first := <-results
				if _, state := s.channel(t, "GET", "state", ""); state != `{"user_finished":false,"user_turns":0}` || read(t, first).Nonce == "" {
					t.Errorf("the repeat got %+v, and the state was %s", first, state)
				}
				results <- first
			}
			close(held.open)
			if first, second := <-results, <-results; first.Text() != second.Text() {
				t.Errorf("two turns under one seq: %s, %s", first.Text(), second.Text())
			}
			if diff := cmp.Diff(tt.want, s.Brief()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestFM05ToldAndThenAborted: in the era in which a disconnect is a cancel, the
// commit of a turn that was told already may never come.
func TestFM05ToldAndThenAborted(t *testing.T) {
	held := newPushing()
	s := start(t, refserver.Config{Era: wire.EraStateless, Bugs: []string{"FM-05"}, Clock: held, StateLatency: held.latency})
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	gone := make(chan error, 1)
	go func() {
		_, err := s.modern(ctx, `{"message":"","seq":0}`)
		gone <- err
	}()
	<-held.began
	body, err := s.modern(t.Context(), `{"message":"","seq":0}`)
	if err != nil || !strings.Contains(body, "nonce") {
		t.Fatalf("the repeat got %s (%v)", body, err)
	}
	hangUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.Await(t, history.EffectAbort, 1)
	if diff := cmp.Diff([]string{"begin seq:0", "answer seq:0 replayed", "abort seq:0"}, s.Brief()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// modern calls respond in the stateless era.
func (s *sim) modern(ctx context.Context, arguments string) (string, error) {
	body := `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"respond","arguments":` + arguments +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL(rollout), strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "respond",
	} {
		r.Header.Set(name, value)
	}
	response, err := s.Client.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return string(data), err
}

// TestFM07SeqIsNotRead: the tool does not offer seq, and a repeat takes another turn.
// The twin's are in turns_test.go.
func TestFM07SeqIsNotRead(t *testing.T) {
	s := start(t, planted("FM-07"))
	tools, err := s.RPC(t.Context(), rollout, "tools/list", `{}`)
	if err != nil || strings.Contains(string(tools), `"seq"`) {
		t.Errorf("the tools are %s (%v)", tools, err)
	}
	first, again := s.turn(t, rollout, `{"message":"a","seq":0}`), s.turn(t, rollout, `{"message":"a","seq":0}`)
	if first.Nonce == again.Nonce {
		t.Errorf("a repeat was told from a new turn: %+v", again)
	}
	want := []string{"begin seq:0", "commit seq:0 #1", "answer seq:0", "begin seq:0", "commit seq:0 #2", "answer seq:0"}
	if diff := cmp.Diff(want, s.Brief()); diff != "" {
		t.Error(diff)
	}
}

// failsFirst is a root under which the first write of the rollout fails and the
// second does not.
func failsFirst(t *testing.T, share float64) seed.Root {
	t.Helper()
	for root := seed.Root(1); root < 1000; root++ {
		first := root.Unit("usersim", "state", "t000001", "1") < share
		if first && root.Unit("usersim", "state", "t000001", "2") >= share {
			return root
		}
	}
	t.Fatal("no seed has it")
	return 0
}

// TestFM26aForgottenAdvance: the write of the state fails once. With the bug the
// simulator has advanced all the same, and the repeat gets the turn after; the twin
// gives the one that was not committed.
func TestFM26aForgottenAdvance(t *testing.T) {
	const share = 0.5
	cfg := refserver.Config{Seed: failsFirst(t, share), StateFailures: share}
	right := start(t, refserver.Config{Seed: cfg.Seed}).turn(t, rollout, `{"message":"","seq":0}`)
	for _, tt := range []struct {
		name string
		bugs []string
		same bool
		want []string
	}{
		{"with the bug", []string{"FM-26a"}, false, []string{"begin seq:0", "commit seq:0 #1", "abort seq:0", "begin seq:0", "commit seq:0 #2", "answer seq:0"}},
		{"its twin", nil, true, []string{"begin seq:0", "abort seq:0", "begin seq:0", "commit seq:0 #1", "answer seq:0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := cfg
			cfg.Bugs = tt.bugs
			s := start(t, cfg)
			failed := s.respond(t, rollout, `{"message":"","seq":0}`)
			if !failed.IsError || failed.Text() != "Error executing tool respond: state channel: HTTP 503" {
				t.Errorf("the first attempt got %+v", failed)
			}
			if got := s.turn(t, rollout, `{"message":"","seq":0}`); (got.Nonce == right.Nonce) != tt.same {
				t.Errorf("the repeat got %+v; the first turn is %+v", got, right)
			}
			if diff := cmp.Diff(tt.want, s.Brief()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
