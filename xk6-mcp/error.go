package xk6mcp

import (
	"errors"
	"fmt"

	"mcpstorm/history"
)

// Error is the McpError that respond, callTool, connect and close throw when an
// operation ended neither in ok nor in tool_error.
type Error struct {
	Op       string
	Told     history.Told
	Attempts int
	Cause    *history.Cause
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s was told %s after %s", e.Op, e.Told, attempts(e.Attempts))
	if e.Cause != nil {
		text += ": " + e.Cause.Text
	}
	return text
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

// failError is what rollout.fail throws.
type failError struct{ reason string }

// Error implements error.
func (e *failError) Error() string { return e.reason }

// The errors of a script that uses the module wrongly.
var (
	errNoIteration = errors.New("mcp: a rollout belongs in an iteration, not in the init code, setup or teardown")
	errNoStorm     = errors.New("mcp: a rollout needs servers, and the script exports no storm: it says which servers to drive and what to break")
	errNoServer    = errors.New("mcp: connect needs the name of a server of storm.servers")
	errNoTool      = errors.New("mcp: callTool needs {name, arguments}")

	errConnectOptions = errors.New("mcp: connect's options are {policy: NAME}")
	errOtherRollout   = errors.New("mcp: this object belongs to another rollout: call mcp.rollout() and connect in every iteration")
)
