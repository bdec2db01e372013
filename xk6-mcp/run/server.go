package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/toxics"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/client"
)

// probeTimeout bounds the question whether a server of the user's own is there.
const probeTimeout = 5 * time.Second

// upstream is a server under test: one of the reference servers, in this process
// or in one of its own, or the user's.
type upstream struct {
	addr    string
	server  xk6mcp.Server
	fates   client.Fates
	header  http.Header
	effects *history.EffectLog
	serving *refserver.Listening
	sampler *refserver.Sampler // with serving
	process *isolated          // with isolate
}

// openUpstream starts a reference server, or asks whether the user's own is
// there. The caller closes it.
func (a *arm) openUpstream(ctx context.Context, spec ServerSpec) (*upstream, error) {
	policy, err := a.storm.preset(firstOf(spec.Policy, a.storm.Policy))
	if err != nil {
		return nil, err
	}
	u := &upstream{server: xk6mcp.Server{Name: spec.Name, Policy: policy}, header: spec.Header}
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
		return stormError("servers.%s.url: %w", spec.Name, err)
	}
	u.addr = parsed.Host
	u.server.Classes, u.server.NonceArgument = spec.Tools, spec.NonceArgument
	u.server.Keys = wire.KeyRule{SeqArgument: spec.SeqArgument, OpArgument: spec.OpArgument, About: spec.about()}
	u.fates = client.Fates{OpArgument: spec.OpArgument, Settle: spec.Settle, LookUp: spec.LookUp}
	dialer := net.Dialer{Timeout: probeTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", u.addr)
	if err != nil {
		return fmt.Errorf("%w: server %s at %s: %w", ErrUnreachable, spec.Name, u.addr, err)
	}
	return conn.Close()
}

// serve starts a reference server on a port of its own: in this process, or in
// one of its own.
func (a *arm) serve(ctx context.Context, spec ServerSpec, u *upstream) error {
	kind := a.kinds[spec.Name]
	u.server.Classes, u.server.Keys, u.server.NonceArgument = kind.ClassesWith(a.storm.Bugs), kind.Keys, kind.NonceArgument
	u.fates = client.Fates{OpArgument: kind.Keys.OpArgument, Settle: kind.Settle, LookUp: kind.Lookup}
	bugs := slices.DeleteFunc(slices.Clone(a.storm.Bugs), func(bug string) bool { return !hasBug(kind, bug) })
	if spec.Isolate {
		var err error
		u.process, err = a.startIsolated(ctx, spec, bugs)
		if err == nil {
			u.addr = u.process.addr
		}
		return err
	}
	effects, err := history.CreateEffects(a.parent.writer.Dir(), spec.Name)
	if err != nil {
		return err
	}
	u.effects = effects
	options := a.parent.options
	server, err := kind.Open(refserver.Config{
		Name: spec.Name, Arm: a.spec.Name, Seed: options.Seed, Clock: options.Clock, Base: a.parent.base, Effects: effects,
		Bugs: bugs, Stateful: spec.Stateful, Era: spec.Era, SSE: spec.SSE, Resumable: spec.Resumable, Framing: spec.Framing, Blocks: a.scenarios,
		Turns: spec.Turns, TurnLatency: spec.TurnLatency, ToolLatency: spec.ToolLatency,
		StateLatency: spec.StateLatency, StateFailures: spec.StateFailures, Admit: spec.Admit,
	})
	if err != nil {
		return stormError("servers.%s: %w", spec.Name, err)
	}
	u.sampler = refserver.Sampled(server, refserver.SamplerOptions{
		Name: spec.Name, Arm: a.spec.Name, Sink: resourceSink{a.parent.writer}, Cycle: a.parent.cycle(), Clock: options.Clock, Base: a.parent.base,
	})
	if u.serving, err = refserver.Serve(ctx, "127.0.0.1:0", u.sampler, refserver.ServeOptions{}); err != nil {
		return errors.Join(err, server.Close(ctx))
	}
	u.sampler.Begin()
	u.addr = u.serving.Addr()
	return nil
}

// killer is the process of the server, if it has one of its own.
func (u *upstream) killer() toxics.Killer {
	if u.process == nil {
		return nil
	}
	return u.process
}

// about lists the tools whose operation argument names another operation.
func (s ServerSpec) about() (tools []string) {
	for _, tool := range []string{s.Settle, s.LookUp} {
		if tool != "" {
			tools = append(tools, tool)
		}
	}
	return tools
}

// close ends a reference server. Its error says that the record of its
// executions is not whole.
func (u *upstream) close(ctx context.Context) error {
	var err error
	if u.serving != nil {
		err = errors.Join(u.sampler.End(ctx), u.serving.Close(ctx))
	}
	if u.process != nil {
		err = errors.Join(err, u.process.stop(ctx))
	}
	if u.effects != nil {
		err = errors.Join(err, u.effects.Close())
	}
	return err
}
