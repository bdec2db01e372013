package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	fast "github.com/segmentio/encoding/json"
)

// ErrMessage says that bytes are not one JSON-RPC 2.0 message.
var ErrMessage = errors.New("wire: not a JSON-RPC message")

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

// UnmarshalJSON implements json.Unmarshaler. Errors are rare and their codes are
// of the peer's choice, so they are left to encoding/json: see Unmarshal.
func (e *RPCError) UnmarshalJSON(data []byte) error {
	type plain RPCError
	return json.Unmarshal(data, (*plain)(e))
}

// ParseMessage reads one message. Its error is ErrMessage. The message's params
// and result are parts of data, which must not change while they are in use; the
// id, which is what gets kept, is a copy.
func ParseMessage(data []byte) (*Message, error) {
	var m Message
	if unmarshal(data, &m, fast.DontCopyRawMessage) != nil || m.JSONRPC != "2.0" {
		return nil, ErrMessage
	}
	m.ID = bytes.Clone(m.ID)
	// Clipped, so that nothing can be appended to them into data.
	m.Params, m.Result = slices.Clip(m.Params), slices.Clip(m.Result)
	return &m, nil
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

// Params is the call as a tools/call request carries it. The arguments go out as
// they are written, and none at all as null. Its error says that they are no
// JSON.
func (c ToolCall) Params() (json.RawMessage, error) {
	arguments := json.RawMessage("null")
	if c.Arguments != nil {
		if err := unmarshal(c.Arguments, &arguments, fast.DontCopyRawMessage); err != nil {
			return nil, fmt.Errorf("wire: the arguments of %s: %w", c.Name, err)
		}
	}
	const names = `{"name":"","arguments":}`
	b := make([]byte, 0, len(names)+len(c.Name)+len(arguments))
	b = fast.AppendEscape(append(b, `{"name":`...), c.Name, 0)
	b = append(append(b, `,"arguments":`...), arguments...)
	return append(b, '}'), nil
}

// ToolResult is the part of a tools/call result that matters here.
type ToolResult struct {
	Content           []Content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
}

// Content is one content block of a tool result.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
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
