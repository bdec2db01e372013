package usersim

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpstorm/internal/wire"
	refserver "mcpstorm/reference-servers"
)

const toolName = "respond"

// noSeq is the sequence number of a call that names none.
const noSeq = -1

// respondSpec is what tools/list says: exactly what the simulator of verifiers
// 0.2.1 on the Python SDK 1.28.1 says.
var respondSpec = &mcp.Tool{
	Name: toolName,
	InputSchema: json.RawMessage(`{"properties":{"message":{"title":"Message","type":"string"},` +
		`"seq":{"default":-1,"title":"Seq","type":"integer"}},` +
		`"required":["message"],"title":"respondArguments","type":"object"}`),
	OutputSchema: json.RawMessage(`{"properties":{"result":{"title":"Result","type":"string"}},` +
		`"required":["result"],"title":"respondOutput","type":"object"}`),
}

// oldSpec is what the simulator of verifiers 0.2.0 says, which has no seq (FM-07).
var oldSpec = &mcp.Tool{
	Name: toolName,
	InputSchema: json.RawMessage(`{"properties":{"message":{"title":"Message","type":"string"}},` +
		`"required":["message"],"title":"respondArguments","type":"object"}`),
	OutputSchema: respondSpec.OutputSchema,
}

// respondTool is respond on one conversation.
func respondTool(c *conversation) refserver.Tool {
	spec, blind := respondSpec, c.core.Config.HasBug(noSeqRead)
	if blind {
		spec = oldSpec
	}
	return refserver.Tool{
		Tool: spec,
		Call: func(ctx context.Context, arguments json.RawMessage) (*mcp.CallToolResult, error) {
			call, err := parseCall(arguments)
			if err != nil {
				return nil, c.steps(call).Refuse(err)
			}
			if blind {
				call.seq = noSeq
			}
			payload, err := c.respond(ctx, call)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: payload}},
				StructuredContent: map[string]string{"result": payload},
			}, nil
		},
	}
}

// call is one call of respond.
type call struct {
	seq    int64 // noSeq, or any other negative number: never deduplicated
	key    string
	digest string // of the message, for the records and for comparison
}

// parseCall reads the arguments. An absent seq is not a zero one: zero is a
// position in the conversation. With an error, the call still carries its key.
func parseCall(arguments json.RawMessage) (call, error) {
	c := call{seq: noSeq, key: keys.Key(toolName, arguments)}
	fields, err := refserver.ParseArguments(arguments)
	if err != nil {
		return c, err
	}
	message, err := fields.Text("message")
	if err != nil {
		return c, err
	}
	c.digest = wire.Digest(message)
	if raw, ok := fields["seq"]; ok {
		seq, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return c, fmt.Errorf("%w: seq: %s is not an integer", refserver.ErrArgument, raw)
		}
		c.seq = seq
	}
	return c, nil
}
