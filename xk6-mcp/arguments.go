package xk6mcp

import (
	"encoding/json"
	"slices"

	"mcpstorm/internal/wire"
	"mcpstorm/xk6-mcp/client"
)

// complete fills in what the script left out of a call's arguments: the
// operation's id, where the server names operations by an argument, and a nonce,
// where its results echo one. Arguments that are no object stay as they are.
func (s Server) complete(call wire.ToolCall, op, rollout string) (arguments json.RawMessage, nonce string) {
	fields := map[string]json.RawMessage{}
	if len(call.Arguments) > 0 && (json.Unmarshal(call.Arguments, &fields) != nil || fields == nil) {
		return call.Arguments, ""
	}
	if name := s.Keys.OpArgument; name != "" && fields[name] == nil && !slices.Contains(s.Keys.About, call.Name) {
		fields[name] = quoted(op)
	}
	if name := s.NonceArgument; name != "" && fields[name] == nil {
		nonce = wire.Digest("nonce", rollout, op)
		fields[name] = quoted(nonce)
	}
	arguments, err := json.Marshal(fields)
	if err != nil {
		return call.Arguments, ""
	}
	return arguments, nonce
}

func quoted(text string) json.RawMessage {
	data, _ := json.Marshal(text) // a string always encodes
	return data
}

// echoOf is the nonce that an operation's result carried back.
func echoOf(o *operation, result client.Result) string {
	if o.nonce == "" || result.Tool == nil {
		return ""
	}
	var echo struct {
		Nonce string `json:"nonce"`
	}
	for _, source := range []json.RawMessage{result.Tool.StructuredContent, json.RawMessage(result.Tool.Text())} {
		if json.Unmarshal(source, &echo) == nil && echo.Nonce != "" {
			return echo.Nonce
		}
	}
	return ""
}
