// Package ledger is the mutating tool server among the reference servers: a
// book of entries and values for each rollout, where every execution shows.
//
// Appending is unsafe on purpose: each execution of append adds an entry, a
// repeat of the same operation too. What a client may do about an unknown
// outcome is there as well: lookup tells whether an operation has been executed
// yet, and settle decides it for good, so that an original that is still under
// way, or on its way, can no longer be executed.
package ledger

import (
	"sync/atomic"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

// The bugs that can be planted.
const (
	falseHint = "FM-24"
	bleeding  = "FM-33"
	noFence   = "FM-59"
	noCancel  = refserver.NoCancel
)

// The names of the tools.
const (
	appendName = "append"
	putName    = "put"
	getName    = "get"
	lookupName = "lookup"
	settleName = "settle"
)

// keys says how a call is named.
var keys = wire.KeyRule{OpArgument: "op", About: []string{lookupName, settleName}}

// Kind describes the ledger.
func Kind() refserver.Kind {
	return refserver.Kind{
		Name: "ledger",
		Doc:  "a ledger: append(op, text) adds an entry each time; settle(op) decides the fate of an operation for good",
		Bugs: map[string]string{
			falseHint: "append is annotated as idempotent, and is not",
			bleeding:  "session bleed: a call is executed for the rollout that called last",
			noFence:   "settle voids nothing: the operation is told to be voided, and is executed later all the same",
			noCancel:  "in the 2026-07-28 era a disconnect cancels nothing: the call goes on, and its answer is sent to nobody",
		},
		Eras: wire.Eras(),
		Classes: map[string]history.ReplayClass{
			appendName: history.Unsafe,
			putName:    history.Idempotent,
			getName:    history.ReadOnly,
			lookupName: history.ReadOnly,
			settleName: history.Idempotent,
		},
		BugClasses:    map[string]map[string]history.ReplayClass{falseHint: {appendName: history.Idempotent}},
		Keys:          keys,
		NonceArgument: "nonce",
		Settle:        settleName,
		Lookup:        lookupName,
		Settings:      []string{"toolLatency"},
		Durable:       true,
		New:           newServer,
	}
}

// server holds the books.
type server struct {
	*refserver.Core
	fenced bool // settle decides; without it (FM-59) settle only tells
	// past are the books of an earlier process, by rollout. They do not change.
	past map[string]*book

	// last is the call that was made last, in whatever rollout. Only a server
	// with FM-33 keeps it.
	last atomic.Pointer[caller]
}

func newServer(cfg refserver.Config) (refserver.Server, error) {
	s := &server{fenced: !cfg.HasBug(noFence), past: map[string]*book{}}
	offered := tools(cfg)
	s.Core = refserver.NewCore(cfg, func(_ *refserver.Core, rollout string) []refserver.Tool {
		b := s.book(rollout)
		var list []refserver.Tool
		for _, t := range offered {
			list = append(list, b.serve(t))
		}
		return list
	})
	return s, s.recall(cfg.Past, offered)
}
