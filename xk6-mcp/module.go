package xk6mcp

import (
	"errors"
	"maps"
	"sync/atomic"

	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/client"
	"mcpstorm/xk6-mcp/community"
	"mcpstorm/xk6-mcp/engine"
)

// ModuleName is what a script imports.
const ModuleName = "k6/x/mcp"

// Module is the JavaScript module k6/x/mcp. It is made once for a program;
// before each engine run Use says where the rollouts of that run go.
type Module struct {
	// Community are the clients of the older module's classes, which the module
	// exports too. It is set before the script is loaded, if at all, and closed
	// after every engine run.
	Community *community.Clients

	target  atomic.Pointer[Target]
	secrets client.Secrets // of every engine run
}

// New makes the module, to be handed to engine.Load.
func New() *Module { return &Module{Community: community.New(community.Options{})} }

// Use sets where the rollouts of the next engine run go. It must not be called
// while one is under way.
func (m *Module) Use(t Target) { m.target.Store(&t) }

// Name implements engine.Module.
func (m *Module) Name() string { return ModuleName }

// Instantiate implements engine.Module.
func (m *Module) Instantiate(vu *engine.VU) (map[string]any, error) {
	metrics, err := registerMetrics(vu)
	if err != nil {
		return nil, err
	}
	exports, err := m.Community.Exports(vu)
	if err != nil {
		return nil, err
	}
	user := &virtualUser{vu: vu, metrics: metrics, secrets: &m.secrets}
	vu.Data = user
	exports["rollout"] = user.rolloutObject
	exports["default"] = maps.Clone(exports)
	return exports, nil
}

// Hooks are how the module follows the iterations of an engine run.
func (m *Module) Hooks() engine.Hooks {
	return engine.Hooks{Before: m.before, After: m.after}
}

// virtualUser is the module's side of one VU. It belongs to the VU's goroutine.
type virtualUser struct {
	vu      *engine.VU
	metrics *metrics
	secrets *client.Secrets
	target  Target
	rollout *rollout      // nil outside an iteration
	object  *sobek.Object // the rollout as the script holds it
}

// rolloutObject is mcp.rollout(): the one rollout of the running iteration.
func (u *virtualUser) rolloutObject(sobek.FunctionCall) sobek.Value {
	switch {
	case u.rollout != nil:
	case u.vu.Iteration().Scenario != "":
		u.vu.Throw(ErrNoStorm, "TypeError", nil)
	default:
		u.mistake(noIteration)
	}
	if r := u.rollout; u.object == nil {
		u.object = u.vu.Value("rollout", map[string]any{
			"id":      u.rollout.record.Rollout,
			"task":    u.rollout.task,
			"restart": u.rollout.restart,
			"connect": func(call sobek.FunctionCall) sobek.Value { return u.connect(r, call) },
			"fail":    u.fail,
		}).(*sobek.Object)
	}
	return u.object
}

// ErrNoStorm is mcp.rollout in a script without a storm export.
var ErrNoStorm = errors.New("mcp: a rollout needs servers, and the script exports no storm: it says which servers to drive and what to break")

// What a script is told that asks for a rollout, or uses one, where it has none.
const (
	noIteration  = "a rollout belongs in an iteration, not in the init code, setup or teardown"
	otherRollout = "this object belongs to another rollout: call mcp.rollout() and connect in every iteration (it was made in %s, and this is %s)"
)

// current throws unless the rollout is the running one. A script that keeps a
// rollout or a connection for its next iteration would mix two in every record.
func (u *virtualUser) current(r *rollout) {
	switch {
	case u.rollout == nil:
		u.mistake(noIteration)
	case u.rollout != r:
		u.mistake(otherRollout, r.record.Rollout, u.rollout.record.Rollout)
	}
}

// fail is rollout.fail(reason): it ends the rollout as failed.
func (u *virtualUser) fail(call sobek.FunctionCall) sobek.Value {
	reason := "rollout.fail was called"
	if given := call.Argument(0); !sobek.IsUndefined(given) {
		reason = given.String()
	}
	u.vu.Throw(&failError{reason}, "RolloutFailed", nil)
	return nil
}
