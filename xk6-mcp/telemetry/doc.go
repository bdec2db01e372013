// Package telemetry tells an OpenTelemetry collector what the clients of a run did:
// as metrics and spans under the semantic conventions for MCP, whose home is
// open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md. The names stand
// here and not in a library, because the conventions are still in development.
//
// One span is one operation, with a child for each exchange that its attempts took.
// What belongs to the harness, and not to MCP, is named mcpstorm.*. Nothing that a
// client sends is changed: no traceparent travels.
package telemetry
