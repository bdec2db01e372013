package xk6mcp

import (
	"fmt"
	"strings"

	"github.com/grafana/sobek"

	"mcpstorm/history"
	"mcpstorm/internal/near"
)

// Error is the McpError that a connection's functions throw when an operation
// ended neither in ok nor, where a tool may say so, in tool_error.
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

// throwUnlessAnswered throws unless a turn or tool call was answered.
func (u *virtualUser) throwUnlessAnswered(o history.Op) {
	if thrown := u.unlessAnswered(o); thrown != nil {
		panic(thrown)
	}
}

// throwUnlessOK throws unless a request brought its result: there is no tool whose
// error would be a result.
func (u *virtualUser) throwUnlessOK(o history.Op) {
	if o.Told != history.ToldOK {
		panic(u.mcpError(o))
	}
}

// unlessAnswered is the McpError of an operation that was not answered, else nil.
func (u *virtualUser) unlessAnswered(o history.Op) *sobek.Object {
	if o.Told == history.ToldOK || o.Told == history.ToldToolError {
		return nil
	}
	return u.mcpError(o)
}

func (u *virtualUser) mcpError(o history.Op) *sobek.Object {
	e := &Error{Op: o.Op, Told: o.Told, Attempts: o.Attempts, Cause: o.Cause}
	properties := map[string]any{"told": string(o.Told), "op": o.Op, "attempts": o.Attempts}
	if o.Cause != nil {
		properties["cause"] = causeOf(o.Cause)
	}
	return u.vu.NewError(e, "McpError", properties)
}

// UnknownServerError says that a script connects to a server that its storm does
// not have.
type UnknownServerError struct {
	Name  string
	Known []string // sorted
}

// Error implements error.
func (e *UnknownServerError) Error() string {
	text := fmt.Sprintf("storm.servers has no %q; it has: %s", e.Name, strings.Join(e.Known, ", "))
	if len(e.Known) > 1 { // the only one stands there already
		text += near.Suggestion(e.Name, e.Known)
	}
	return text
}
