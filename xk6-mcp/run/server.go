package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/reference-servers/all"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/client"
)

// probeTimeout bounds the question whether a server of the user's own is there.
const probeTimeout = 5 * time.Second

// kinds looks up every reference server of a storm, and where each bug belongs.
func (s *Storm) kinds(bugs []string) (map[string]refserver.Kind, error) {
	kinds := map[string]refserver.Kind{}
	for _, server := range s.Servers {
		if server.Reference == "" {
			continue
		}
		kind, err := all.Servers().Lookup(server.Reference)
		if err != nil {
			return nil, fmt.Errorf("%w.servers.%s: %w", ErrStorm, server.Name, err)
		}
		kinds[server.Name] = kind
	}
	for _, bug := range bugs {
		if !slices.ContainsFunc(s.Servers, func(server ServerSpec) bool { return hasBug(kinds[server.Name], bug) }) {
			return nil, fmt.Errorf("--bug %s: no server of this script has it; they have: %s", bug, strings.Join(bugsOf(kinds), ", "))
		}
	}
	return kinds, nil
}

func hasBug(kind refserver.Kind, bug string) bool {
	_, ok := kind.Bugs[bug]
	return ok
}

func bugsOf(kinds map[string]refserver.Kind) []string {
	var ids []string
	for _, kind := range kinds {
		ids = append(ids, kind.BugIDs()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// upstream is a server under test: one of the reference servers, listening in
// this process, or the user's own.
type upstream struct {
	addr    string
	server  xk6mcp.Server
	header  http.Header
	effects *history.EffectLog
	serving *refserver.Listening
}

// openUpstream starts a reference server, or asks whether the user's own is
// there. The caller closes it.
func (a *arm) openUpstream(ctx context.Context, spec ServerSpec) (*upstream, error) {
	policy, err := client.Preset(firstOf(spec.Policy, a.storm.Policy))
	if err != nil {
		return nil, err
	}
	u := &upstream{server: xk6mcp.Server{Name: spec.Name, Policy: policy}, header: http.Header{}}
	for name, value := range spec.Headers {
		u.header.Set(name, value)
	}
	if spec.Reference == "" {
		return u, u.probe(ctx, spec)
	}
	return u, a.serve(ctx, spec, u)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// probe finds the address of the user's own server and dials it once.
func (u *upstream) probe(ctx context.Context, spec ServerSpec) error {
	parsed, err := url.Parse(spec.URL)
	if err != nil {
		return fmt.Errorf("%w: storm.servers.%s.url: %w", ErrStorm, spec.Name, err)
	}
	u.addr = parsed.Host
	u.server.Classes = spec.Tools
	u.server.Keys = wire.KeyRule{SeqArgument: spec.SeqArgument, OpArgument: spec.OpArgument}
	dialer := net.Dialer{Timeout: probeTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", u.addr)
	if err != nil {
		return fmt.Errorf("%w: server %s at %s: %w", ErrUnreachable, spec.Name, u.addr, err)
	}
	return conn.Close()
}

// serve starts a reference server on a port of its own.
func (a *arm) serve(ctx context.Context, spec ServerSpec, u *upstream) error {
	kind := a.kinds[spec.Name]
	u.server.Classes, u.server.Keys = kind.Classes, kind.Keys
	effects, err := history.CreateEffects(a.writer.Dir(), spec.Name)
	if err != nil {
		return err
	}
	u.effects = effects
	server, err := kind.Open(refserver.Config{
		Name: spec.Name, Arm: a.name, Seed: a.options.Seed, Clock: a.options.Clock, Base: a.base, Effects: effects,
		Bugs:     slices.DeleteFunc(slices.Clone(a.options.Bugs), func(bug string) bool { return !hasBug(kind, bug) }),
		Stateful: spec.Stateful, Blocks: a.scenarios, Turns: spec.Turns, TurnLatency: spec.TurnLatency,
	})
	if err != nil {
		return fmt.Errorf("%w.servers.%s: %w", ErrStorm, spec.Name, err)
	}
	if u.serving, err = refserver.Serve(ctx, "127.0.0.1:0", server, refserver.ServeOptions{}); err != nil {
		return errors.Join(err, server.Close(ctx))
	}
	u.addr = u.serving.Addr()
	return nil
}

// close ends a reference server. Its error says that the record of its
// executions is not whole.
func (u *upstream) close(ctx context.Context) error {
	var err error
	if u.serving != nil {
		err = u.serving.Close(ctx)
	}
	if u.effects != nil {
		err = errors.Join(err, u.effects.Close())
	}
	return err
}
