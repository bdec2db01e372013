package xk6mcp

import (
	"context"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/client"
)

// maxLanes bounds how many operations of one connection can be under way at once.
const maxLanes = 256

// lane is one client of a connection. A client runs one operation at a time, so a
// connection has as many lanes as it ever had operations under way together: one,
// unless the script calls callToolAsync again before an earlier call has ended.
// Each has a connection of its own and, under a persistent policy, a session of
// its own, as a pool of clients has.
type lane struct {
	user   *virtualUser
	client client.Caller
	step   string // the step that it was made for
	op     *operation
	beside bool              // the operation runs beside the script
	waits  []history.Attempt // exchanges to be recorded when it has ended
	seen   seen
}

// seen is what the exchanges of the operation under way have shown.
type seen struct {
	status int    // the last HTTP status that came
	cut    string // how far the last exchange got whose connection ended early
}

// cutClasses are the causes of an exchange whose connection ended early.
var cutClasses = map[string]bool{"dial": true, "no_byte_written": true, "reset": true, "eof": true, "truncated": true}

// Attempt implements client.Recorder. Beside the script it is called on another
// goroutine than the virtual user's, which alone may add samples.
func (l *lane) Attempt(a history.Attempt) {
	if a.Role != history.RoleDelete {
		if a.Status != 0 {
			l.seen.status = a.Status
		}
		if a.Cause != nil && cutClasses[a.Cause.Class] {
			l.seen.cut = a.Trace
		}
	}
	if l.beside {
		l.waits = append(l.waits, a)
		return
	}
	l.record(a)
}

// record writes one exchange down and counts it.
func (l *lane) record(a history.Attempt) {
	l.user.metrics.request(l.user.vu, a, l.op)
	l.user.target.Record().Attempt(a)
}

// begin gives the lane to an operation.
func (l *lane) begin(o *operation, beside bool) {
	l.op, l.beside, l.seen, l.waits = o, beside, seen{}, l.waits[:0]
}

// end takes the lane back, on the virtual user's goroutine.
func (l *lane) end() {
	for _, a := range l.waits {
		l.record(a)
	}
	l.op, l.beside = nil, false
}

// release gives the client up. A session that was left open is closed within the
// policy's grace, as real clients do; that is no operation of the script and takes
// no number.
func (l *lane) release(ctx context.Context) { l.client.Close(ctx, l.step+".close") }

// lane finds a lane that is free, or makes one for this step.
func (c *connection) lane(step string) *lane {
	for _, l := range c.lanes {
		if l.op == nil {
			return l
		}
	}
	if len(c.lanes) == maxLanes {
		c.user.mistake("%d calls are under way on one connection to %s, and no more can be: await some of them", maxLanes, c.server.Name)
	}
	l, server, err := c.dial(step)
	if err != nil {
		c.user.vu.Throw(err, "", nil)
	}
	c.server, c.lanes = server, append(c.lanes, l)
	return l
}

// dial makes a client for the connection. It opens nothing yet.
func (c *connection) dial(step string) (*lane, Server, error) {
	l := &lane{user: c.user, step: step}
	d := c.options
	d.Task, d.Restart, d.Step, d.Recorder, d.Secrets = c.rollout.task, c.rollout.restart, step, l, c.user.secrets
	var server Server
	var err error
	l.client, server, err = c.user.target.Dial(d)
	return l, server, err
}

// busy is how many operations are under way.
func (c *connection) busy() (n int) {
	for _, l := range c.lanes {
		if l.op != nil {
			n++
		}
	}
	return n
}
