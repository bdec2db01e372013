package community

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"mcpstorm/xk6-mcp/engine"
)

// user is one virtual user's side of the classes. It belongs to the virtual
// user's goroutine, as do its clients.
type user struct {
	vu      *engine.VU
	clients *Clients
	metrics *metrics
	open    []*client // those with a session
}

// client is what a script holds.
type client struct {
	user     *user
	settings *settings
	session  *session  // nil until it is used
	used     iteration // when it was used last
}

// iteration tells the iterations of a virtual user apart; it is zero in setup and
// teardown.
type iteration struct {
	scenario string
	inVU     int64
}

func (u *user) now() iteration {
	i := u.vu.Iteration()
	return iteration{i.Scenario, i.InVU}
}

// class makes the constructor of one kind of client.
func (u *user) class(k kind) func(sobek.ConstructorCall) *sobek.Object {
	return func(call sobek.ConstructorCall) *sobek.Object {
		s, err := parseSettings(k, call.Argument(0))
		if err != nil {
			u.vu.Throw(err, "TypeError", nil)
		}
		u.supersede(s)
		c := &client{user: u, settings: s}
		for _, m := range methods {
			// Every client has functions of its own, so that they work without it, as
			// callbacks do.
			if err := call.This.Set(m.name, u.vu.Value(m.name, c.function(m))); err != nil {
				u.vu.Throw(err, "", nil)
			}
		}
		return nil
	}
}

// supersede closes the sessions of clients with the same settings that belong to
// an earlier iteration: a script that makes a client in every iteration holds one
// session, and not one more each time.
func (u *user) supersede(s *settings) {
	now := u.now()
	for _, c := range append([]*client(nil), u.open...) {
		if c.settings.key == s.key && c.used != now {
			_ = u.vu.Block(func(ctx context.Context) error { // never in init code: nothing is open there
				c.disconnect(ctx)
				return nil
			})
		}
	}
}

// function is one method as the script calls it.
func (c *client) function(m method) func(sobek.FunctionCall) sobek.Value {
	return func(call sobek.FunctionCall) sobek.Value {
		vu := c.user.vu
		p, err := m.parse(call.Argument(0))
		if err != nil {
			vu.Throw(c.named(m, err), "TypeError", nil)
		}
		result, err := c.call(m, p)
		if m.answer != nil {
			return m.answer(vu, err)
		}
		if err != nil {
			vu.Throw(err, "", nil)
		}
		return result
	}
}

// call runs one method and adds its samples. The call of an iteration that is cut
// short has none, as the iteration itself.
func (c *client) call(m method, p params) (result sobek.Value, err error) {
	vu := c.user.vu
	var answer any
	var took time.Duration
	var sent bool
	blocked := vu.Block(func(ctx context.Context) error {
		if err = c.connect(ctx); err == nil {
			sent = true
			start := c.user.clients.clock.Now()
			answer, err = c.request(ctx, m, p)
			took = c.user.clients.clock.Since(start)
			err = c.settle(ctx, err)
		}
		return ctx.Err()
	})
	switch {
	case errors.Is(blocked, engine.ErrInit):
		return nil, c.named(m, errInit)
	case blocked != nil:
		return nil, c.named(m, blocked)
	}
	if err == nil {
		result, err = show(vu.Runtime(), answer, m.defaults)
	}
	c.user.metrics.call(vu, m.goName, took, sent, err)
	return result, c.named(m, err)
}

// request makes one request within the settings' timeout.
func (c *client) request(ctx context.Context, m method, p params) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, c.settings.timeout)
	defer cancel()
	answer, err := m.request(ctx, c.session.mcp, p)
	if err != nil && ctx.Err() != nil {
		err = late(ctx, c.settings)
	}
	return answer, err
}

// settle gives up a session that an error has broken. One whose call was
// interrupted or came too late is whole: the server is told so.
func (c *client) settle(ctx context.Context, err error) error {
	whole := answered(err) || errors.Is(err, errDeadline) || errors.Is(err, errPaging)
	if err == nil || whole || ctx.Err() != nil {
		return err
	}
	broken := c.session
	c.disconnect(ctx)
	return broken.because(err)
}

// connect opens a session unless there is one.
func (c *client) connect(ctx context.Context) (err error) {
	c.used = c.user.now()
	if c.session != nil {
		return nil
	}
	if c.session, err = openSession(ctx, c.settings, c.user.clients.console); err != nil {
		return err
	}
	c.user.clients.opened(c.session)
	c.user.open = append(c.user.open, c)
	return nil
}

// disconnect closes the session. The next call opens another one.
func (c *client) disconnect(ctx context.Context) {
	c.session.close(ctx)
	c.user.clients.closed(c.session)
	c.session = nil
	open := c.user.open[:0]
	for _, other := range c.user.open {
		if other != c {
			open = append(open, other)
		}
	}
	c.user.open = open
}

// named says in an error which client and which method it is about.
func (c *client) named(m method, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("mcp: %s %s: %s: %w", c.settings.kind, c.settings.where, m.name, err)
}
