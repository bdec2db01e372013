package refserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/near"
	"mcpstorm/internal/wire"
)

// The errors of this package. Each is wrapped with the name and the value that
// it is about.
var (
	ErrUnknownServer = errors.New("refserver: unknown reference server")
	ErrUnknownBug    = errors.New("refserver: unknown bug")
	ErrUnknownEra    = errors.New("refserver: unknown era")
	ErrConfig        = errors.New("refserver: bad configuration")
	ErrNotLoopback   = errors.New("refserver: not a loopback address")
	ErrTooMany       = errors.New("refserver: too many rollouts")
	ErrClosed        = errors.New("refserver: closed")
	ErrCancelled     = errors.New("refserver: cancelled by the client")
	ErrEffect        = errors.New("refserver: effect not recorded")
)

// Server is an opened reference server: an HTTP handler with an end.
type Server interface {
	http.Handler
	// Close refuses new requests, aborts the operations under way, ends every
	// session, and waits until nothing runs any more or ctx ends. Its error
	// names the first effect that could not be recorded, if there was one: the
	// effects of this server are then incomplete. It may be called again.
	Close(ctx context.Context) error
}

// Kind describes one reference server. It is a value and must not be changed.
type Kind struct {
	Name string // what a script calls it: usersim, ledger
	Doc  string // one line
	// Bugs are the bugs that can be planted in it, by id, with one line each.
	Bugs map[string]string
	// Eras are the MCP versions that it speaks; the first is the default.
	Eras []string
	// Classes is the replay class of each of its tools: its contract when it is right.
	Classes map[string]history.ReplayClass
	// BugClasses is what the contract says instead in a server with a bug planted:
	// by bug, then by tool. ClassesWith reads it.
	BugClasses map[string]map[string]history.ReplayClass
	// Keys says which argument of its tools names an operation.
	Keys wire.KeyRule
	// NonceArgument is the argument whose value every result carries back as
	// "nonce", and empty if the tools have none.
	NonceArgument string
	// Settle is the tool that decides the fate of the operation named by its
	// Keys.OpArgument, and Lookup the one that only tells whether it has been
	// executed yet. Both give {"op", "results"}; Settle has "state", done or
	// voided, and Lookup "found". Empty: there is no such tool.
	Settle, Lookup string
	// Settings are those of a script that not every kind reads, by the names that a
	// script gives them: turns, toolLatency.
	Settings []string
	// Durable says that the state of a server can outlive its process: see
	// Config.Durable. A kind that is not has no state that could be lost.
	Durable bool
	// New opens a server with a configuration that Open has completed and
	// found in order. Callers use Open.
	New func(Config) (Server, error)
}

// Open opens a server of this kind. Names in the configuration that the kind
// does not know give ErrUnknownBug or ErrUnknownEra, which list the known ones;
// a value out of range gives ErrConfig.
func (k Kind) Open(cfg Config) (Server, error) {
	cfg, err := k.complete(cfg)
	if err != nil {
		return nil, err
	}
	server, err := k.New(cfg)
	if err == nil && cfg.Admit > 0 {
		server = admitting(server, cfg.Admit)
	}
	return server, err
}

// BugIDs are the ids of the kind's bugs, sorted.
func (k Kind) BugIDs() []string { return slices.Sorted(maps.Keys(k.Bugs)) }

// ClassesWith is the replay class of each tool as a server with these bugs
// declares it: a bug may be that the contract itself is wrong. The map belongs
// to the caller.
func (k Kind) ClassesWith(bugs []string) map[string]history.ReplayClass {
	classes := maps.Clone(k.Classes)
	for _, bug := range bugs {
		maps.Copy(classes, k.BugClasses[bug])
	}
	return classes
}

func (k Kind) complete(cfg Config) (Config, error) {
	for _, id := range cfg.Bugs {
		if _, ok := k.Bugs[id]; !ok {
			return cfg, unknown(ErrUnknownBug, id, k.Name+" has", k.BugIDs())
		}
	}
	if cfg.Durable && !k.Durable {
		return cfg, fmt.Errorf("%w: durable: %s has no state that could be lost", ErrConfig, k.Name)
	}
	if cfg.Era == "" {
		cfg.Era = k.Eras[0]
	}
	if !slices.Contains(k.Eras, cfg.Era) {
		return cfg, unknown(ErrUnknownEra, cfg.Era, k.Name+" speaks", k.Eras)
	}
	if cfg.Name == "" {
		cfg.Name = k.Name
	}
	return cfg.withDefaults()
}

// Catalog is a list of kinds.
type Catalog []Kind

// Lookup finds a kind by its name. An unknown name gives ErrUnknownServer,
// which lists the known ones.
func (c Catalog) Lookup(name string) (Kind, error) {
	for _, k := range c {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, unknown(ErrUnknownServer, name, "known are", c.Names())
}

// Names are the names of all kinds, sorted.
func (c Catalog) Names() []string {
	var names []string
	for _, k := range c {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// unknown is the error for a name that is on no list.
func unknown(err error, name, lead string, known []string) error {
	list := "none"
	if len(known) > 0 {
		list = strings.Join(known, ", ")
	}
	return fmt.Errorf("%w %q (%s %s)%s", err, name, lead, list, near.SuggestionAfter("FM-", name, known))
}
