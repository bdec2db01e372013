package wire

// MethodRole is the exchange role that a JSON-RPC or HTTP method implies. An
// unknown method has the empty role.
func MethodRole(httpMethod, rpcMethod string) string {
	switch httpMethod {
	case "GET":
		return "get"
	case "DELETE":
		return "delete"
	}
	switch rpcMethod {
	case "initialize":
		return "initialize"
	case "notifications/initialized":
		return "initialized"
	case "notifications/cancelled":
		return "cancelled"
	case "tools/call":
		return "call"
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list":
		return "list"
	case "resources/read", "prompts/get", "ping":
		return "read"
	case "server/discover":
		return "discover"
	}
	return ""
}
