package community

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grafana/sobek"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/xk6-mcp/engine"
)

// params are what a script hands to a method.
type params struct {
	Cursor    string          `json:"cursor"`
	Name      string          `json:"name"`
	URI       string          `json:"uri"`
	Arguments json.RawMessage `json:"arguments"`
}

// method is one method of every client.
type method struct {
	name, goName string
	keys         []string // what its argument may hold; nil: it takes none
	check        func(params) error
	request      func(context.Context, *mcp.ClientSession, params) (any, error)
	// defaults are fields of the result that the wire may leave out and scripts read.
	defaults map[string]any
	// answer, where it is not nil, makes what the script gets of success and failure.
	answer func(*engine.VU, error) sobek.Value
}

var (
	listKeys = []string{"cursor"}
	callKeys = []string{"name", "arguments"}
	readKeys = []string{"uri"}
)

var methods = []method{
	{name: "ping", goName: "Ping", request: ping, answer: reached},
	{name: "listTools", goName: "ListTools", keys: listKeys, request: listTools},
	{name: "listAllTools", goName: "ListAllTools", keys: listKeys, request: listAllTools},
	{
		name: "callTool", goName: "CallTool", keys: callKeys, check: nameAndObject, request: callTool,
		defaults: map[string]any{"content": []any{}, "isError": false},
	},
	{name: "listResources", goName: "ListResources", keys: listKeys, request: listResources},
	{name: "listAllResources", goName: "ListAllResources", keys: listKeys, request: listAllResources},
	{
		name: "readResource", goName: "ReadResource", keys: readKeys, check: uri, request: readResource,
		defaults: map[string]any{"contents": []any{}},
	},
	{name: "listPrompts", goName: "ListPrompts", keys: listKeys, request: listPrompts},
	{name: "listAllPrompts", goName: "ListAllPrompts", keys: listKeys, request: listAllPrompts},
	{
		name: "getPrompt", goName: "GetPrompt", keys: callKeys, check: nameAndTexts, request: getPrompt,
		defaults: map[string]any{"messages": []any{}},
	},
}

// parse reads a method's argument.
func (m method) parse(argument sobek.Value) (p params, err error) {
	if m.keys == nil {
		return p, nil
	}
	if _, err := decodeObject(argument, m.keys, &p); err != nil {
		return p, err
	}
	if len(p.Arguments) == 0 || string(p.Arguments) == "null" {
		p.Arguments = json.RawMessage("{}") // never null on the wire: servers differ in what they make of it
	}
	if m.check != nil {
		err = m.check(p)
	}
	return p, err
}

func nameAndObject(p params) error {
	var object map[string]json.RawMessage
	return nameAnd(p, &object, "an object")
}

func nameAndTexts(p params) error {
	var texts map[string]string
	return nameAnd(p, &texts, "an object of texts")
}

func nameAnd(p params, into any, wanted string) error {
	if p.Name == "" {
		return fmt.Errorf("%w: needs {name}", errArgument)
	}
	if json.Unmarshal(p.Arguments, into) != nil {
		return fmt.Errorf("%w: arguments is %s, want %s", errArgument, p.Arguments, wanted)
	}
	return nil
}

func uri(p params) error {
	if p.URI == "" {
		return fmt.Errorf("%w: needs {uri}", errArgument)
	}
	return nil
}

func ping(ctx context.Context, s *mcp.ClientSession, _ params) (any, error) {
	return nil, s.Ping(ctx, nil)
}

// reached is what ping returns: whether the server answered. It throws only in
// init code, where it cannot ask.
func reached(vu *engine.VU, err error) sobek.Value {
	if errors.Is(err, errInit) {
		vu.Throw(err, "", nil)
	}
	return vu.Runtime().ToValue(err == nil)
}

func callTool(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return s.CallTool(ctx, &mcp.CallToolParams{Name: p.Name, Arguments: p.Arguments})
}

func readResource(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	return s.ReadResource(ctx, &mcp.ReadResourceParams{URI: p.URI})
}

func getPrompt(ctx context.Context, s *mcp.ClientSession, p params) (any, error) {
	var arguments map[string]string
	if err := json.Unmarshal(p.Arguments, &arguments); err != nil {
		return nil, err // unreachable: they were checked
	}
	return s.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name, Arguments: arguments})
}
