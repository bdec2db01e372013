package telemetry

import (
	"net"
	"strconv"

	"go.opentelemetry.io/otel/attribute"

	"mcpstorm/history"
)

// The attributes of MCP's semantic conventions that are used here, and the
// harness's own.
const (
	attrMethod        = "mcp.method.name"
	attrVersion       = "mcp.protocol.version"
	attrTool          = "gen_ai.tool.name"
	attrOperation     = "gen_ai.operation.name"
	attrError         = "error.type"
	attrCode          = "rpc.response.status_code"
	attrTransport     = "network.transport"
	attrProtocol      = "network.protocol.name"
	attrAddress       = "server.address"
	attrPort          = "server.port"
	attrHTTPMethod    = "http.request.method"
	attrHTTPStatus    = "http.response.status_code"
	attrArm           = "mcpstorm.arm"
	attrServer        = "mcpstorm.server"
	attrPolicy        = "mcpstorm.policy"
	attrTold          = "mcpstorm.told"
	attrKind          = "mcpstorm.kind"
	attrAttempt       = "mcpstorm.attempt"
	attrOp            = "mcpstorm.op"      // spans only
	attrRollout       = "mcpstorm.rollout" // spans only
	attrAttempts      = "mcpstorm.attempts"
	attrRole          = "mcpstorm.role"
	attrTrace         = "mcpstorm.trace"
	attrFault         = "mcpstorm.fault"
	toolError         = "tool_error"
	timedOut          = "timeout"
	executeTool       = "execute_tool"
	methodCall        = "tools/call"
	classDeadline     = "deadline"
	classHTTPStatus   = "http_status"
	methodInit        = "initialize"
	methodDiscover    = "server/discover"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
)

// place is where a server of an arm is.
type place struct {
	arm, server string
	attributes  []attribute.KeyValue
}

func newPlace(arm, server, addr string) place {
	p := place{arm: arm, server: server}
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return p
	}
	p.attributes = append(p.attributes, attribute.String(attrAddress, host))
	if port, err := strconv.Atoi(text); err == nil {
		p.attributes = append(p.attributes, attribute.Int(attrPort, port))
	}
	return p
}

// methods are the JSON-RPC methods of the roles that have one of their own.
var methods = map[history.ExchangeRole]string{
	history.RoleInitialize:  methodInit,
	history.RoleInitialized: methodInitialized,
	history.RoleCancelled:   methodCancelled,
	history.RoleDiscover:    methodDiscover,
	history.RoleCall:        methodCall,
	history.RoleSettle:      methodCall,
	history.RoleLookup:      methodCall,
}

// kinds are the JSON-RPC methods of the operations whose exchanges do not tell
// them by their roles.
var kinds = map[history.Kind]string{
	history.KindTurn:          methodCall,
	history.KindTool:          methodCall,
	history.KindListTools:     "tools/list",
	history.KindListResources: "resources/list",
	history.KindListTemplates: "resources/templates/list",
	history.KindReadResource:  "resources/read",
	history.KindListPrompts:   "prompts/list",
	history.KindGetPrompt:     "prompts/get",
	history.KindPing:          "ping",
}

// methodOf is the JSON-RPC method of an exchange; empty for one that carries no
// message, as a GET or a DELETE.
func methodOf(role history.ExchangeRole, kind history.Kind) string {
	if role == history.RoleList || role == history.RoleRead {
		return kinds[kind]
	}
	return methods[role]
}

// failureOf is error.type: the JSON-RPC code, an HTTP status, timeout, or the word
// of the cause; empty for what went well.
func failureOf(c *history.Cause) string {
	switch {
	case c == nil:
		return ""
	case c.Code != 0:
		return strconv.Itoa(c.Code)
	case c.Class == classDeadline:
		return timedOut
	case c.Class == classHTTPStatus && c.Status != 0:
		return strconv.Itoa(c.Status)
	}
	return c.Class
}

// exchange are the attributes that an exchange has in metrics and spans alike. A
// tool error is the tool's own answer, which only its operation tells.
func (w *worker) exchange(a history.Attempt, o *history.Op, toolFailed bool) []attribute.KeyValue {
	method := methodOf(a.Role, o.Kind)
	set := []attribute.KeyValue{
		attribute.String(attrTransport, "tcp"), attribute.String(attrProtocol, "http"),
		attribute.String(attrArm, a.Arm), attribute.String(attrServer, a.Server),
		attribute.String(attrTold, string(a.Told)), attribute.Int(attrAttempt, a.Attempt),
	}
	set = append(set, w.places[placeKey{a.Arm, a.Server}]...)
	set = add(set, attrMethod, method)
	set = add(set, attrVersion, a.Era)
	set = add(set, attrPolicy, o.Policy)
	if method == methodCall {
		set = add(set, attrTool, toolOf(a, o))
		set = append(set, attribute.String(attrOperation, executeTool))
	}
	failure := failureOf(a.Cause)
	if failure == "" && toolFailed {
		failure = toolError
	}
	set = add(set, attrError, failure)
	if a.Cause != nil && a.Cause.Code != 0 {
		set = add(set, attrCode, strconv.Itoa(a.Cause.Code))
	}
	return set
}

// toolOf is the tool that an exchange called. A settle or a look-up calls another
// than its operation.
func toolOf(a history.Attempt, o *history.Op) string {
	if a.Tool == "" && a.Role == history.RoleCall {
		return o.Tool
	}
	return a.Tool
}

// operation are the attributes of a whole operation.
func (w *worker) operation(o *history.Op) []attribute.KeyValue {
	set := []attribute.KeyValue{
		attribute.String(attrArm, o.Arm), attribute.String(attrServer, o.Server), attribute.String(attrPolicy, o.Policy),
		attribute.String(attrKind, string(o.Kind)), attribute.String(attrTold, string(o.Told)),
	}
	set = append(set, w.places[placeKey{o.Arm, o.Server}]...)
	set = add(set, attrTool, o.Tool)
	failure := failureOf(o.Cause)
	if failure == "" && o.Told != history.ToldOK {
		failure = string(o.Told)
	}
	return add(set, attrError, failure)
}

// add appends an attribute that has a value.
func add(set []attribute.KeyValue, name, value string) []attribute.KeyValue {
	if value == "" {
		return set
	}
	return append(set, attribute.String(name, value))
}
