package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// The 2026-07-28 era: no session, no handshake. Every request stands alone and
// says in its _meta and in its header which version it speaks and who sends it
// (2026-07-28, basic/transports/streamable-http).

// statelessMeta is what the _meta of every request holds.
const statelessMeta = `"io.modelcontextprotocol/protocolVersion":"` + wire.EraStateless + `",` +
	`"io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"mcpstorm","version":"1"}`

// stateless reports whether the client speaks the era without sessions.
func (c *Client) stateless() bool { return c.options.Era == wire.EraStateless }

// withMeta puts the era's _meta into a request's params. What another _meta says
// stays in it. Params that are no object stay as they are, for the server to
// refuse.
func withMeta(params json.RawMessage) json.RawMessage {
	if !bytes.Contains(params, []byte(`"_meta"`)) {
		return withMember(params, `"_meta":{`+statelessMeta+`}`)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return params
	}
	meta, ok := fields["_meta"]
	if !ok { // it stands deeper down
		meta = json.RawMessage(`{}`)
	}
	fields["_meta"] = withMember(meta, statelessMeta)
	merged, err := json.Marshal(fields)
	if err != nil {
		return params
	}
	return merged
}

// withMember writes members at the end of a JSON object. What is none stays as it
// is.
func withMember(object json.RawMessage, members string) json.RawMessage {
	object = bytes.TrimSpace(object)
	if len(object) < 2 || object[0] != '{' {
		return object
	}
	inside := bytes.TrimSpace(object[:len(object)-1])
	if len(inside) > 1 {
		members = "," + members
	}
	return slices.Concat(inside, []byte(members), []byte("}"))
}

// nameOf is what the header repeats of a request's params: the name of a tool or a
// prompt, or the URI of a resource. Other methods have none.
func nameOf(q ask) string {
	var about struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	switch q.method {
	case "tools/call", "prompts/get", "resources/read":
		_ = json.Unmarshal(q.params, &about) // what cannot be read has no name
	}
	if q.method == "resources/read" {
		return about.URI
	}
	return about.Name
}

// Header fields of the era, in canonical form.
const (
	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"
)

// standAlone adds to a request's header what its body says: a server refuses a
// request whose two parts differ (-32020).
func standAlone(h http.Header, q request) {
	if q.rpc != "" {
		h[methodHeader] = []string{q.rpc}
	}
	if q.name != "" {
		h[nameHeader] = []string{q.name}
	}
}

// discover asks the server which versions it speaks: all that connecting comes to
// in this era, whose clients may do without.
func (c *Client) discover(ctx context.Context, a *attempt) attemptResult {
	r, v := c.exchange(ctx, a, c.post(&c.session, ask{history.RoleDiscover, "server/discover", json.RawMessage(`{}`)}))
	if v.told == history.ToldOK {
		v = speaks(r)
	}
	return attemptResult{verdict: neverSent(v)}
}

// speaks judges the answer to server/discover.
func speaks(r reply) verdict {
	var supported struct {
		Versions []string `json:"supportedVersions"`
	}
	if err := json.Unmarshal(r.message.Result, &supported); err != nil || !slices.Contains(supported.Versions, wire.EraStateless) {
		return verdict{told: history.ToldUnknown, cause: badAnswer(r.status, "the server speaks %q, and not %s", supported.Versions, wire.EraStateless)}
	}
	return verdict{told: history.ToldOK}
}
