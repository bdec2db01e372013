package usersim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// state is what a simulator shares with the program that runs the rollout, under
// the names of alphabet-sort, one of the environments of verifiers 0.2.1. The payload
// of a turn does not say that the conversation is over: the state does.
type state struct {
	UserFinished bool `json:"user_finished"`
	// UserTurns is how many turns have been taken: where the simulator goes on.
	UserTurns int64 `json:"user_turns"`
}

// errChannel is a write to the state channel that fails.
var errChannel = errors.New("state channel: HTTP 503")

// push is the way of a new state through the channel: it takes its time, and a
// share of the writes fails. Which do is drawn from the seed.
func (c *conversation) push(ctx context.Context) error {
	cfg := c.core.Config
	if cfg.StateLatency > 0 {
		if err := c.core.Pause(ctx, cfg.StateLatency); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.pushed++
	n := strconv.FormatInt(c.pushed, 10)
	c.mu.Unlock()
	if cfg.StateFailures > 0 && cfg.Seed.Unit(slices.Concat([]string{"usersim", "state"}, c.script.names, []string{n})...) < cfg.StateFailures {
		return errChannel
	}
	return nil
}

// maxState bounds the body of a PUT.
const maxState = 1 << 20

// channel serves the state and the task of a rollout, as the interception server of
// verifiers 0.2.1 does: GET and PUT /r/<rollout>/state, GET /r/<rollout>/task. It
// asks for no secret, for each rollout has a path of its own.
func (s *server) channel(w http.ResponseWriter, r *http.Request, rollout, what string) {
	c, err := s.find(rollout)
	switch {
	case err != nil:
		reply(w, http.StatusServiceUnavailable, map[string]string{"error": err.Error()})
	case r.Method == http.MethodGet && what == "state":
		reply(w, http.StatusOK, c.shared())
	case r.Method == http.MethodPut && what == "state":
		c.replace(w, r)
	case r.Method == http.MethodGet:
		reply(w, http.StatusOK, c.task())
	default:
		reply(w, http.StatusMethodNotAllowed, map[string]string{"error": r.Method + " is not allowed"})
	}
}

// channelPath splits the path of the channel; ok is false for any other.
func channelPath(path string) (rollout, what string, ok bool) {
	for _, what := range []string{"state", "task"} {
		if base, is := strings.CutSuffix(path, "/"+what); is {
			rollout, ok = wire.RolloutFromPath(base + "/mcp")
			return rollout, what, ok
		}
	}
	return "", "", false
}

// shared is the state as it stands.
func (c *conversation) shared() state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// replace takes a whole new state; the last write wins.
func (c *conversation) replace(w http.ResponseWriter, r *http.Request) {
	var given state
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxState))
	if err == nil {
		err = json.Unmarshal(body, &given)
	}
	if err == nil && given.UserTurns < 0 {
		err = fmt.Errorf("user_turns is %d", given.UserTurns)
	}
	if err != nil {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid state PUT for usersim: " + err.Error()})
		return
	}
	c.mu.Lock()
	c.state = given
	c.mu.Unlock()
	reply(w, http.StatusOK, map[string]bool{"ok": true})
}

// task is what the rollout is about: every turn that the user has to say.
func (c *conversation) task() map[string]string {
	turns := make([]string, c.core.Config.Turns)
	for i := range turns {
		turns[i] = c.script.text(int64(i) + 1)
	}
	task, _ := json.Marshal(map[string]any{"prompt": nil, "user_turns": turns, "num_turns": len(turns)}) // texts always encode
	return map[string]string{"cls": "usersim:Task", "task": string(task)}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

// find gives the conversation of a rollout, also before its first call, as long as
// the server has room for one more.
func (s *server) find(rollout string) (*conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.conversations[rollout]; ok {
		return c, nil
	}
	if limit := s.Config.MaxRollouts; len(s.conversations) >= limit {
		return nil, fmt.Errorf("%w: %q would be number %d of at most %d", refserver.ErrTooMany, rollout, len(s.conversations)+1, limit)
	}
	return s.begin(rollout), nil
}

// open gives the conversation of a rollout whose first call has come.
func (s *server) open(rollout string) *conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.conversations[rollout]; ok {
		return c
	}
	return s.begin(rollout)
}

// begin makes a conversation. It is called with the lock held.
func (s *server) begin(rollout string) *conversation {
	c := newConversation(s.Core, rollout)
	s.conversations[rollout] = c
	return c
}
