// Package xk6mcp is the JavaScript module k6/x/mcp: rollouts, connections, user
// turns, tool calls, lists, resources and prompts for scenario scripts. It drives
// the recording client, numbers the operations, and writes one record for each
// operation and each rollout. It registers with the engine, which knows nothing of
// MCP. What a script can say is in index.d.ts.
package xk6mcp
