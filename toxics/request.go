package toxics

import (
	"encoding/json"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/wire"
)

// request is what one HTTP request says about itself.
type request struct {
	rpc  string // JSON-RPC method
	id   json.RawMessage
	role history.ExchangeRole
	tool string
	key  string // of a tool call
}

// readRequest reads a request's head and body, or the beginning of a body that
// was too large to keep. What cannot be read is empty.
func readRequest(head *wire.Head, body gather, rule wire.KeyRule) request {
	var r request
	if body.over {
		r.glimpse(body.bytes, rule)
	} else {
		r.read(body.bytes, rule)
	}
	ref, _ := wire.ParseOpRef(head.Get(wire.OpHeader)) // what is none names no step
	r.role = exchangeRole(head.Method, r.rpc, ref.Step)
	return r
}

// read reads a whole body.
func (r *request) read(body []byte, rule wire.KeyRule) {
	m, err := wire.ParseMessage(body)
	if err != nil {
		return
	}
	r.rpc, r.id = m.Method, m.ID
	if m.Method != toolsCall {
		return
	}
	call, _ := wire.ParseToolCall(m.Params) // what is no call names no tool
	if r.tool = call.Name; r.tool != "" {
		r.key = rule.Key(r.tool, call.Arguments)
	}
}

// glimpse reads the beginning of a body.
func (r *request) glimpse(text []byte, rule wire.KeyRule) {
	b := readBeginning(text)
	r.rpc, r.id = b.method, b.id
	if b.method != toolsCall {
		return
	}
	if r.tool = b.tool; r.tool != "" {
		r.key = b.key(rule)
	}
}

const toolsCall = "tools/call" // the method of the calls that have a key

// messageIn is the id and the method of the JSON-RPC message in a whole body, and
// the tool that it calls.
func messageIn(body []byte) (id json.RawMessage, method, tool string) {
	m, err := wire.ParseMessage(body)
	if err != nil {
		return nil, "", ""
	}
	if call, err := wire.ParseToolCall(m.Params); err == nil && m.Method == "tools/call" {
		tool = call.Name
	}
	return m.ID, m.Method, tool
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
