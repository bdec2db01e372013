package ledger

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	refserver "mcpstorm/reference-servers"
)

// tool is one of the ledger's tools.
type tool struct {
	spec    *mcp.Tool
	mutates bool // it changes the book, takes its time, and can be settled
	// run does the work and gives the result. It is called with the book locked,
	// after the commit is on record.
	run func(*book, call) any
}

// The annotations of the tools. One that has none is unsafe.
var (
	readOnly   = &mcp.ToolAnnotations{ReadOnlyHint: true}
	idempotent = &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(bool)}
)

// tools are the tools of a ledger with this configuration.
func tools(cfg refserver.Config) []tool {
	var appending *mcp.ToolAnnotations
	if cfg.HasBug(falseHint) {
		appending = idempotent
	}
	return []tool{
		{spec(appendName, appending, "Append an entry to the ledger.", appendSchema), true, (*book).append},
		{spec(putName, idempotent, "Set a value in the ledger.", putSchema), true, (*book).put},
		{spec(getName, readOnly, "Read one value, or the whole ledger.", getSchema), false, (*book).get},
		{spec(lookupName, readOnly, "Tell whether an operation has been executed yet.", aboutSchema("lookup")), false, (*book).lookup},
		{spec(settleName, idempotent, "Decide an operation for good: done, or voided and never to be executed.", aboutSchema("settle")), false, (*book).settle},
	}
}

func spec(name string, hints *mcp.ToolAnnotations, description, schema string) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: description, Annotations: hints, InputSchema: json.RawMessage(schema)}
}

// The schemas are in the form that servers on the Python SDK give to functions
// with these arguments.
const (
	opSchema    = `"op":{"title":"Op","type":"string"}`
	nonceSchema = `"nonce":{"default":"","title":"Nonce","type":"string"}`

	appendSchema = `{"properties":{` + opSchema + `,"text":{"title":"Text","type":"string"},` + nonceSchema + `},` +
		`"required":["op","text"],"title":"appendArguments","type":"object"}`
	putSchema = `{"properties":{` + opSchema + `,"key":{"title":"Key","type":"string"},"value":{"title":"Value","type":"string"},` + nonceSchema + `},` +
		`"required":["op","key","value"],"title":"putArguments","type":"object"}`
	getSchema = `{"properties":{` + opSchema + `,"key":{"title":"Key","type":"string"},` + nonceSchema + `},` +
		`"required":["op"],"title":"getArguments","type":"object"}`
)

// aboutSchema is the schema of a tool whose op names another operation.
func aboutSchema(name string) string {
	return `{"properties":{` + opSchema + `,` + nonceSchema + `},"required":["op"],"title":"` + name + `Arguments","type":"object"}`
}
