package xk6mcp

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/grafana/sobek"

	"mcpstorm/history"
	"mcpstorm/internal/near"
	"mcpstorm/xk6-mcp/client"
)

// connection is one connection of a rollout to one server, as the script holds it.
// It belongs to the virtual user's goroutine.
type connection struct {
	user    *virtualUser
	rollout *rollout
	options Dial // what the script said of the server and the client
	server  Server
	lanes   []*lane
	turns   turns
	last    *ended // the operation that ended last
	closed  bool
}

// connectOptions are the keys of connect's options.
var connectOptions = []string{"policy", "headers", "bearer", "deadline", "timeout", "tags"}

// connect is rollout.connect(server, {policy, headers, bearer, deadline, tags}).
func (u *virtualUser) connect(r *rollout, call sobek.FunctionCall) sobek.Value {
	u.current(r)
	name, ok := call.Argument(0).Export().(string)
	if !ok {
		u.mistake("connect needs the name of a server of storm.servers")
	}
	given := u.optionsOf("connect", call.Argument(1), connectOptions...)
	c := &connection{user: u, rollout: r, options: Dial{
		Server: name, Policy: given.text("policy"), Header: given.headers(), Deadline: given.deadline(),
	}}
	o := &operation{kind: history.KindConnect, tags: given.tags(), method: "initialize"}
	o.run = func(ctx context.Context, client client.Caller) client.Result { return client.Connect(ctx, o.step) }
	o.step = r.step()
	l, server, err := c.dial(o.step)
	if err != nil {
		u.refuseDial(c.options, err)
	}
	c.server, c.lanes = server, []*lane{l}
	r.conns = append(r.conns, c)
	u.throwUnlessAnswered(c.await(c.enter(o, false)).record)
	return c.object()
}

// refuseDial throws what a script's mistake in connect is.
func (u *virtualUser) refuseDial(d Dial, err error) {
	var unknown *UnknownServerError
	switch {
	case errors.As(err, &unknown):
		u.mistake("%v", err)
	case errors.Is(err, client.ErrUnknownPolicy):
		u.mistake("connect: %v", err)
	}
	u.vu.Throw(err, "", nil)
}

// usable throws unless the script may call the connection now.
func (c *connection) usable() {
	c.user.current(c.rollout)
	if c.closed {
		c.user.mistake("this connection to %s is closed: connect again", c.server.Name)
	}
}

// methods are what a script can call on a connection.
var methods = map[string]func(*connection, sobek.FunctionCall) sobek.Value{
	"respond":               (*connection).respond,
	"callTool":              (*connection).callTool,
	"callToolAsync":         (*connection).callToolAsync,
	"listTools":             (*connection).listTools,
	"listResources":         (*connection).listResources,
	"listResourceTemplates": (*connection).listResourceTemplates,
	"readResource":          (*connection).readResource,
	"listPrompts":           (*connection).listPrompts,
	"getPrompt":             (*connection).getPrompt,
	"ping":                  (*connection).ping,
	"close":                 (*connection).close,
}

// object is the connection as the script sees it. Its functions are made when
// they are first used: there are many, and a script uses few.
func (c *connection) object() *sobek.Object {
	return c.user.vu.Runtime().NewDynamicObject(&connectionObject{c, map[string]sobek.Value{}})
}

// connectionObject lets the JavaScript engine see a connection as an object.
type connectionObject struct {
	*connection
	made map[string]sobek.Value // the functions that were used
}

var _ sobek.DynamicObject = (*connectionObject)(nil)

// Get implements sobek.DynamicObject. A name that is nearly one of its own is a
// mistake; any other is undefined, as engines and scripts ask for names such as
// then and toJSON.
func (o *connectionObject) Get(key string) sobek.Value {
	if v, ok := o.made[key]; ok {
		return v
	}
	if method, ok := methods[key]; ok {
		o.made[key] = o.user.vu.Value(key, func(call sobek.FunctionCall) sobek.Value { return method(o.connection, call) })
		return o.made[key]
	}
	switch {
	case key == "server":
		return o.user.vu.Value(key, o.options.Server)
	case key == "last" && o.last != nil:
		return o.user.vu.Value(key, o.last.outcome())
	}
	if near := near.Suggestion(key, o.Keys()); near != "" {
		o.user.mistake("a connection has no %s%s", key, near)
	}
	return nil
}

// Has implements sobek.DynamicObject.
func (o *connectionObject) Has(key string) bool { return slices.Contains(o.Keys(), key) }

// Keys implements sobek.DynamicObject.
func (o *connectionObject) Keys() []string {
	return append(slices.Sorted(maps.Keys(methods)), "last", "server")
}

// Set implements sobek.DynamicObject: a connection cannot be changed.
func (*connectionObject) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject: a connection cannot be changed.
func (*connectionObject) Delete(string) bool { return false }

// close is connection.close().
func (c *connection) close(sobek.FunctionCall) sobek.Value {
	c.usable()
	if n := c.busy(); n > 0 {
		c.user.mistake("close: %s on this connection to %s still under way: await them first", calls(n), c.server.Name)
	}
	c.closed = true
	o := &operation{kind: history.KindClose, method: "DELETE"}
	o.run = func(ctx context.Context, first client.Caller) client.Result {
		result := first.Close(ctx, o.step)
		for _, l := range c.lanes[1:] {
			l.release(ctx)
		}
		return result
	}
	c.user.throwUnlessAnswered(c.operate(o).record)
	return sobek.Undefined()
}

func calls(n int) string {
	if n == 1 {
		return "one call is"
	}
	return "some calls are"
}

// release gives a connection up at the end of its rollout.
func (c *connection) release(ctx context.Context) {
	for _, l := range c.lanes {
		l.release(ctx)
	}
}
