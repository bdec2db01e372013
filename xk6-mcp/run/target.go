package run

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcpstorm/internal/clock"
	"mcpstorm/internal/seed"
	"mcpstorm/internal/wire"
	xk6mcp "mcpstorm/xk6-mcp"
	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/client/sdk"
)

// target is where the rollouts of one arm go. It does not change while the
// engine runs, and is safe for concurrent use.
type target struct {
	arm     string
	clock   clock.Clock
	base    *clock.Base
	seed    seed.Root
	blocks  map[string]int // scenario → block of task numbers
	servers map[string]*liveServer
	record  *record

	restarts xk6mcp.Restarts
	storm    *Storm
}

var _ xk6mcp.Target = (*target)(nil)

// Arm implements xk6mcp.Target.
func (t *target) Arm() string { return t.arm }

// Base implements xk6mcp.Target.
func (t *target) Base() *clock.Base { return t.base }

// Record implements xk6mcp.Target.
func (t *target) Record() xk6mcp.Record { return t.record }

// Restarts implements xk6mcp.Target.
func (t *target) Restarts() xk6mcp.Restarts { return t.restarts }

// Task implements xk6mcp.Target.
func (t *target) Task(scenario string, iteration int64) string {
	return wire.TaskID(t.blocks[scenario], iteration)
}

// Dial implements xk6mcp.Target.
func (t *target) Dial(d xk6mcp.Dial) (client.Caller, xk6mcp.Server, error) {
	live, ok := t.servers[d.Server]
	if !ok {
		return nil, xk6mcp.Server{}, &xk6mcp.UnknownServerError{Name: d.Server, Known: t.names()}
	}
	server := live.server
	if d.Policy != "" && !live.spec.Forced {
		policy, err := t.storm.preset(d.Policy)
		if err != nil {
			return nil, xk6mcp.Server{}, err
		}
		server.Policy = policy
	}
	if d.Deadline > 0 {
		server.Policy.Deadline = d.Deadline
	}
	header := http.Header{}
	maps.Copy(header, live.header)
	maps.Copy(header, d.Header)
	o := client.Options{
		Server: d.Server, Era: live.spec.Era, URL: live.endpoint(d.Task + "." + strconv.Itoa(d.Restart)),
		Task: d.Task, Restart: d.Restart, Policy: server.Policy, Header: header,
		Secrets: d.Secrets, Recorder: d.Recorder, Clock: t.clock, Base: t.base, Fates: live.fates, Refuse: live.refuse,
		Random: t.seed.Stream("backoff", d.Task, strconv.Itoa(d.Restart), d.Server, d.Step),
	}
	if server.Policy.SDK {
		c, err := sdk.New(o)
		return c, server, err
	}
	c, err := client.New(o)
	return c, server, err
}

func (t *target) names() []string {
	return slices.Sorted(maps.Keys(t.servers))
}

// liveServer is one server of an arm while the arm runs.
type liveServer struct {
	spec   ServerSpec
	server xk6mcp.Server
	fates  client.Fates
	header http.Header
	refuse client.Refuse // asked before a connection is opened; nil without a fault layer
	host   string        // HOST:PORT to talk to: the fault layer's, or the server's own
}

// endpoint is the URL of one rollout's endpoint.
func (l *liveServer) endpoint(rollout string) string {
	if l.spec.Reference != "" {
		return "http://" + l.host + wire.RolloutPath(rollout)
	}
	u, err := url.Parse(strings.ReplaceAll(l.spec.URL, "{rollout}", rollout))
	if err != nil {
		return l.spec.URL // client.New refuses it by name
	}
	u.Host = l.host
	return u.String()
}
