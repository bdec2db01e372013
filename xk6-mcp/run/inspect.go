package run

import (
	"context"
	"encoding/json"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// Inspection is what a script and everything laid over it come to, before
// anything is started.
type Inspection struct {
	Script string `json:"script"`
	Seed   uint64 `json:"seed"`
	// Options are the script's after every default, source and shortcut.
	Options engine.Options `json:"options"`
	// Storm is the script's own, with credentials redacted, and Arms what becomes of
	// it: the servers, policies and bugs of each.
	Storm  json.RawMessage `json:"storm"`
	Arms   []history.Arm   `json:"arms"`
	Assert []string        `json:"assert"`
	Notes  []string        `json:"notes,omitempty"`
	// Warnings say what was put aside of the options.
	Warnings []string `json:"warnings,omitempty"`
}

// Inspect loads a script as Run does, and starts nothing. An error is an *Error,
// with the exit code that Run would have had.
func Inspect(ctx context.Context, o Options) (*Inspection, error) {
	r := newRun(o)
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	if r.storm == nil {
		return &Inspection{
			Script: o.Script, Seed: uint64(o.Seed), Options: r.program.Options(),
			Notes: []string{NoStorm}, Warnings: r.program.Warnings(),
		}, nil
	}
	m, err := r.manifest()
	if err != nil {
		return nil, &Error{ExitInconclusive, err}
	}
	return &Inspection{
		Script: m.Script.Path, Seed: m.Seed, Options: r.program.Options(), Storm: m.Storm,
		Arms: m.Arms, Assert: m.Assert, Notes: m.Notes, Warnings: r.program.Warnings(),
	}, nil
}
