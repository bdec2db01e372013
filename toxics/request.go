package toxics

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// request is what one HTTP request says about itself.
type request struct {
	hint string // the Mcpstorm-Op header, as sent
	ref  wire.OpRef
	rpc  string // JSON-RPC method
	id   json.RawMessage
	role history.ExchangeRole
	tool string
	args json.RawMessage
}

// readRequest reads a request's head and body. What cannot be read is empty.
func readRequest(head *wire.Head, body []byte) request {
	r := request{hint: head.Get(wire.OpHeader)}
	r.ref, _ = wire.ParseOpRef(r.hint)
	if m, err := wire.ParseMessage(body); err == nil {
		r.rpc, r.id = m.Method, m.ID
		if m.Method == "tools/call" {
			call, _ := wire.ParseToolCall(m.Params) // what is no call names no tool
			r.tool, r.args = call.Name, call.Arguments
		}
	}
	r.role = exchangeRole(head.Method, r.rpc, r.ref.Step)
	return r
}

// messageIn is the id and the method of the JSON-RPC message in a whole body.
func messageIn(body []byte) (id json.RawMessage, method string) {
	m, err := wire.ParseMessage(body)
	if err != nil {
		return nil, ""
	}
	return m.ID, m.Method
}

// methodIn is the method of a JSON-RPC message of which only the beginning is
// there. It is empty when that does not tell.
func methodIn(beginning []byte) (method string) {
	d := json.NewDecoder(bytes.NewReader(beginning))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		if key == "method" {
			_ = d.Decode(&method) // what is no text is no method
			return method
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return ""
		}
	}
	return ""
}

// exchangeRole is the role of an exchange. A tool call that a client adds to
// settle or look up an operation says so in its step.
func exchangeRole(method, rpc, step string) history.ExchangeRole {
	role := history.ExchangeRole(wire.MethodRole(method, rpc))
	if role != history.RoleCall {
		return role
	}
	switch {
	case strings.HasSuffix(step, ".settle"):
		return history.RoleSettle
	case strings.HasSuffix(step, ".lookup"):
		return history.RoleLookup
	}
	return role
}
