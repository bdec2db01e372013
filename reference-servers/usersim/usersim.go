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
	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// The bugs that can be planted.
const (
	noReplayLog = "FM-01"
	noTurnLock  = "FM-04"
	depthOneLog = "FM-26b"
	oneRepeat   = "TWO-CUTS" // synthetic: seen in no real system
)

// keys says how a call of respond is named.
var keys = wire.KeyRule{SeqArgument: "seq"}

// Kind describes the user simulator.
func Kind() refserver.Kind {
	return refserver.Kind{
		Name: "usersim",
		Doc:  "a user simulator: respond(message, seq) gives the next user turn, once per seq",
		Bugs: map[string]string{
			noReplayLog: "no replay log: a repeated call takes another turn",
			noTurnLock:  "no lock from check to publish: two repeats in flight both take a turn",
			depthOneLog: "the replay log holds one turn: a late repeat of an older one takes another turn",
			oneRepeat:   "synthetic: the log serves a turn once, so that a cut of the answer to a repeat takes another turn",
		},
		Eras:    wire.Eras(),
		Classes: map[string]history.ReplayClass{toolName: history.Keyed},
		Keys:    keys,
		New:     newServer,
	}
}

func newServer(cfg refserver.Config) (refserver.Server, error) {
	return refserver.NewCore(cfg, func(core *refserver.Core, rollout string) []refserver.Tool {
		return []refserver.Tool{respondTool(newConversation(core, rollout))}
	}), nil
}
