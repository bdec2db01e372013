package xk6mcp

import (
	"time"

	"mcpstorm/history"
)

// ended is an operation that is over, and what its exchanges have shown.
type ended struct {
	op   history.Op
	seen seen
}

// outcome is the operation as plain data: what the caller was told, in how many
// attempts, and whether a connection ended early meanwhile.
func (e *ended) outcome() map[string]any {
	outcome := map[string]any{
		"op":         e.op.Op,
		"kind":       string(e.op.Kind),
		"told":       string(e.op.Told),
		"attempts":   e.op.Attempts,
		"cutSeen":    e.seen.cut != "",
		"trace":      nil,
		"status":     e.seen.status,
		"cause":      nil,
		"settled":    nil,
		"durationMs": float64(e.op.End-e.op.Start) / float64(time.Millisecond),
	}
	if e.seen.cut != "" {
		outcome["trace"] = e.seen.cut
	}
	if e.op.Settled != "" {
		outcome["settled"] = e.op.Settled
	}
	if e.op.Cause != nil {
		outcome["cause"] = causeOf(e.op.Cause)
	}
	return outcome
}

func causeOf(c *history.Cause) map[string]any {
	return map[string]any{"class": c.Class, "text": c.Text, "status": c.Status, "code": c.Code}
}
