// Package usersim is the user simulator among the reference servers: one tool,
// respond, that gives the next user turn of a conversation.
//
// It is wire-compatible with the simulator of verifiers 0.2.1, and keeps the
// promise that one means to keep: with a sequence number, a turn is taken
// exactly once, however often the call is repeated and whatever happens to the
// answers. One process serves all rollouts, each at its own path and with a
// conversation of its own.
package usersim

import (
	"net/http"
	"sync"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// The bugs that can be planted.
const (
	noReplayLog      = "FM-01"
	noTurnLock       = "FM-04"
	earlyPublish     = "FM-05"
	noSeqRead        = "FM-07"
	forgottenAdvance = "FM-26a"
	depthOneLog      = "FM-26b"
	oneRepeat        = "TWO-CUTS" // synthetic: seen in no real system
)

// keys says how a call of respond is named.
var keys = wire.KeyRule{SeqArgument: "seq"}

// Kind describes the user simulator.
func Kind() refserver.Kind {
	return refserver.Kind{
		Name: "usersim",
		Doc:  "a user simulator: respond(message, seq) gives the next user turn, once per seq",
		Bugs: map[string]string{
			noReplayLog:      "no replay log: a repeated call takes another turn",
			noTurnLock:       "no lock from check to publish: two repeats in flight both take a turn",
			earlyPublish:     "a turn is visible before it is committed: a repeat gets it while its state is on its way, or is never written",
			noSeqRead:        "seq is not read, as before verifiers 0.2.1: a repeat cannot be told from a new turn",
			forgottenAdvance: "a failed commit forgets nothing: the simulator has advanced, and the next attempt advances it again",
			depthOneLog:      "the replay log holds one turn: a late repeat of an older one takes another turn",
			oneRepeat:        "synthetic: the log serves a turn once, so that a cut of the answer to a repeat takes another turn",
		},
		Eras:     wire.Eras(),
		Classes:  map[string]history.ReplayClass{toolName: history.Keyed},
		Keys:     keys,
		Settings: []string{"turns", "turnLatency", "stateLatency", "stateFailures"},
		Durable:  true,
		New:      newServer,
	}
}

// server holds the conversations.
type server struct {
	*refserver.Core

	mu            sync.Mutex
	conversations map[string]*conversation // by rollout
}

func newServer(cfg refserver.Config) (refserver.Server, error) {
	s := &server{conversations: make(map[string]*conversation)}
	s.Core = refserver.NewCore(cfg, func(_ *refserver.Core, rollout string) []refserver.Tool {
		return []refserver.Tool{respondTool(s.open(rollout))}
	})
	s.recall(cfg.Past)
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rollout, what, ok := channelPath(r.URL.Path); ok {
		s.channel(w, r, rollout, what)
		return
	}
	s.Core.ServeHTTP(w, r)
}
