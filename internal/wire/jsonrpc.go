package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The reasons why bytes cannot be read.
var (
	ErrMessage    = errors.New("wire: not a JSON-RPC 2.0 message")
	ErrToolCall   = errors.New("wire: not a tool call")
	ErrToolResult = errors.New("wire: not a tool result")
)

// Message is one JSON-RPC 2.0 message of any kind.
type Message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *RPCError       `json:"error,omitempty"`
}

// RPCError is a JSON-RPC error object.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// ParseMessage reads one message, as encoding/json would, except that the names
// of members must match in letter case too, as JSON-RPC 2.0 section 2 wants. Its
// error is ErrMessage. The message's params and result are parts of data, which
// must not change while they are in use; the id, which is what gets kept, is a
// copy.
func ParseMessage(data []byte) (*Message, error) {
	var m Message
	if !members(data, m.take) || m.JSONRPC != "2.0" {
		return nil, ErrMessage
	}
	return &m, nil
}

// take keeps one member; a later one of the same name replaces it.
func (m *Message) take(name, value []byte) bool {
	switch string(name) {
	case "jsonrpc":
		return takeText(&m.JSONRPC, value)
	case "id":
		m.ID = bytes.Clone(value)
	case "method":
		return takeText(&m.Method, value)
	case "params":
		m.Params = value
	case "result":
		m.Result = value
	case "error": // rare, so there is no need for haste
		return json.Unmarshal(value, &m.Error) == nil
	}
	return true
}

// IsResponse reports whether the message answers a request.
func (m *Message) IsResponse() bool {
	return m.Method == "" && (m.Result != nil || m.Error != nil)
}

// Answers reports whether the message is the answer to the request with this id.
func (m *Message) Answers(id json.RawMessage) bool {
	return m.IsResponse() && bytes.Equal(bytes.TrimSpace(m.ID), bytes.TrimSpace(id))
}

// ToolCall is the part of a tools/call request's params that matters here.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// ParseToolCall reads the params of a tools/call request, by the same rules as
// ParseMessage; the arguments are a part of params. Its error is ErrToolCall.
func ParseToolCall(params []byte) (ToolCall, error) {
	var c ToolCall
	if !members(params, c.take) {
		return ToolCall{}, ErrToolCall
	}
	return c, nil
}

func (c *ToolCall) take(name, value []byte) bool {
	switch string(name) {
	case "name":
		return takeText(&c.Name, value)
	case "arguments":
		c.Arguments = value
	}
	return true
}

// Params is the call as a tools/call request carries it. The arguments go out as
// they are written, and none at all as null. Its error wraps ErrToolCall: they
// are no JSON.
func (c ToolCall) Params() (json.RawMessage, error) {
	arguments := c.Arguments
	if arguments == nil {
		arguments = json.RawMessage("null")
	}
	if !isJSON(arguments) {
		return nil, fmt.Errorf("%w: the arguments of %q are no JSON", ErrToolCall, c.Name)
	}
	name, _ := json.Marshal(c.Name) // a string always encodes
	return slices.Concat([]byte(`{"name":`), name, []byte(`,"arguments":`), arguments, []byte(`}`)), nil
}

// ToolResult is the part of a tools/call result that matters here.
type ToolResult struct {
	Content           []Content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	// ResultType is how far the result goes, from the 2026-07-28 era on: complete,
	// or input_required where the server asks for more first.
	ResultType string `json:"resultType,omitempty"`
}

// Content is one content block of a tool result.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
}

// ParseToolResult reads the result of a tools/call request, by the same rules as
// ParseMessage; the structured content is a part of result. Its error is
// ErrToolResult.
func ParseToolResult(result []byte) (*ToolResult, error) {
	var r ToolResult
	if !members(result, r.take) {
		return nil, ErrToolResult
	}
	return &r, nil
}

func (r *ToolResult) take(name, value []byte) bool {
	switch string(name) {
	case "content":
		r.Content = nil
		return elements(value, r.takeContent)
	case "structuredContent":
		r.StructuredContent = value
	case "isError":
		return takeBool(&r.IsError, value)
	case "resultType":
		return takeText(&r.ResultType, value)
	}
	return true
}

func (r *ToolResult) takeContent(value []byte) bool {
	var c Content
	ok := members(value, c.take)
	r.Content = append(r.Content, c)
	return ok
}

func (c *Content) take(name, value []byte) bool {
	switch string(name) {
	case "type":
		return takeText(&c.Type, value)
	case "text":
		return takeText(&c.Text, value)
	}
	return true
}

// IsToolError reports whether the result of a tools/call request says that the
// tool failed; ok is false for what is no object. It copies nothing.
func IsToolError(result []byte) (isError, ok bool) {
	ok = !isNull(result) && members(result, func(name, value []byte) bool {
		return string(name) != "isError" || takeBool(&isError, value)
	})
	return isError, ok
}

// Text is every text block of the result, joined by line feeds.
func (r *ToolResult) Text() string {
	var b bytes.Buffer
	for i, c := range r.Content {
		if c.Type != "text" {
			continue
		}
		if i > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.Text)
	}
	return b.String()
}
