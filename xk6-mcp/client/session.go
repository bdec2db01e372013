package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// session is one MCP session of the 2025-11-25 era. JSON-RPC ids count from
// zero in every session, as the SDKs do.
type session struct {
	open   bool
	id     string // empty on a stateless server
	nextID int
	// broken is why the initialized notification failed, where that is noticed late.
	broken *history.Cause
}

func (s *session) takeID() json.RawMessage {
	id := json.RawMessage(strconv.Itoa(s.nextID))
	s.nextID++
	return id
}

const initializeParams = `{"protocolVersion":"` + wire.EraSessions + `","capabilities":{},"clientInfo":{"name":"mcpstorm","version":"1"}}`

// setUp opens a session for one attempt: initialize, then the initialized
// notification. When either fails, the call was never sent.
func (c *Client) setUp(ctx context.Context, a *attempt, s *session) verdict {
	c.hush() // what is left of a session that the server has forgotten
	*s = session{}
	id := s.takeID()
	r, v := c.exchange(ctx, a, request{
		role: history.RoleInitialize, method: http.MethodPost, id: id,
		body: rpcRequest(id, "initialize", json.RawMessage(initializeParams)),
	})
	if v.told != history.ToldOK {
		return v
	}
	s.id = r.session
	_, v = c.exchange(ctx, a, request{
		role: history.RoleInitialized, method: http.MethodPost, session: s.id,
		body: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
	})
	if s.open = v.told == history.ToldOK; s.open {
		c.listen(a, s.id)
	}
	if !s.open && c.options.Policy.Flaws.LateInitialized {
		s.broken = v.cause
		return verdict{told: history.ToldOK}
	}
	return v
}

// stoppedGrace bounds the closing of a session once the run itself is stopping.
const stoppedGrace = 100 * time.Millisecond

// tearDown closes a session that the server knows by an id. It is bounded by
// the policy's grace, and nothing that happens here changes what the caller is
// told. It runs even when the attempt's own time is up. A server that has
// forgotten the session (404), or does not let clients end one (405), has none
// to close (2025-11-25, Session Management).
func (c *Client) tearDown(ctx context.Context, a *attempt, s *session) verdict {
	c.hush()
	id := s.id
	*s = session{}
	if id == "" {
		return verdict{told: history.ToldOK}
	}
	grace := c.options.Policy.Grace
	if c.options.Policy.Flaws.HangsOnClose {
		p := c.options.Policy
		p.Deadline = DeadlineOf(ctx, p.Deadline)
		grace = p.patience()
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		grace = min(grace, stoppedGrace)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	r, v := c.exchange(ctx, a, request{role: history.RoleDelete, method: http.MethodDelete, session: id})
	if r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed {
		return verdict{told: history.ToldOK}
	}
	if c.options.Policy.Flaws.HangsOnClose && ctx.Err() != nil {
		return verdict{told: history.ToldNone, cause: v.cause}
	}
	return v
}

// post is the HTTP request of a JSON-RPC request in the client's era, under the
// next id of a session.
func (c *Client) post(s *session, q ask) request {
	wanted := request{role: q.role, method: http.MethodPost, rpc: q.method, tool: toolOf(q.method, q.params), id: s.takeID(), session: s.id}
	if c.stateless() {
		wanted.name, q.params = nameOf(q), withMeta(q.params)
	}
	wanted.body = rpcRequest(wanted.id, q.method, q.params)
	return wanted
}

func rpcRequest(id json.RawMessage, method string, params json.RawMessage) []byte {
	const names = `{"jsonrpc":"2.0","id":,"method":"","params":}`
	b := make([]byte, 0, len(names)+len(id)+len(method)+len(params))
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = append(append(b, `,"method":"`...), method...)
	b = append(b, `","params":`...)
	b = append(b, params...)
	return append(b, '}')
}
