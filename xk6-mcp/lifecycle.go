package xk6mcp

import (
	"context"
	"errors"
	"fmt"

	"mcpstorm/history"
	"mcpstorm/xk6-mcp/engine"
)

// before opens the rollout of one iteration.
func (m *Module) before(vu *engine.VU) {
	u, ok := vu.Data.(*virtualUser)
	target := m.target.Load()
	if !ok || target == nil {
		return // the script does not import the module, or has no storm
	}
	u.target = *target
	i := vu.Iteration()
	start := history.Instant(u.target.Base().Nanos())
	u.rollout = newRollout(u.target.Arm(), u.target.Task(i.Scenario, i.InTest), i.Run, i.Scenario, i.InTest, vu.ID(), start)
	u.object = nil
}

// after gives up the rollout's connections and records how it ended.
func (m *Module) after(vu *engine.VU, r engine.IterationResult) (again bool) {
	u, ok := vu.Data.(*virtualUser)
	if !ok || u.rollout == nil {
		return false
	}
	ended := u.rollout
	u.rollout, u.object = nil, nil
	ctx := vu.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	for _, c := range ended.conns {
		c.release(ctx)
	}
	ended.record.Outcome, ended.record.Cause = outcome(r)
	if cause := ended.record.Cause; cause != nil {
		cause.Text = m.secrets.Redact(cause.Text) // which may hold a server's words
	}
	ended.record.End = history.Instant(u.target.Base().Nanos())
	u.target.Record().Rollout(ended.record)
	return u.target.Restarts().after(ended)
}

// whyInterrupted says what cut an iteration short.
func whyInterrupted(err error) string {
	switch {
	case errors.Is(err, engine.ErrStopped):
		return history.CauseStopped
	case errors.Is(err, engine.ErrAborted), errors.Is(err, engine.ErrFailed):
		return history.CauseTestEnded
	}
	return history.CauseTimeOver
}

// outcome reads how a rollout ended off how its iteration did. Only an McpError
// and rollout.fail make it failed; any other exception is the script's own.
func outcome(r engine.IterationResult) (history.Outcome, *history.RolloutCause) {
	var failed *failError
	var mcp *Error
	switch {
	case r.Err == nil:
		return history.Completed, nil
	case r.Interrupted:
		return history.Interrupted, &history.RolloutCause{Text: whyInterrupted(r.Err)}
	case errors.As(r.Err, &failed):
		return history.Failed, &history.RolloutCause{Text: failed.reason}
	case errors.As(r.Err, &mcp):
		return history.Failed, &history.RolloutCause{Op: mcp.Op, Told: mcp.Told, Text: mcp.Error()}
	}
	cause := &history.RolloutCause{Text: r.Err.Error()}
	if e := r.Exception; e != nil && e.File != "" {
		cause.Text, cause.At = e.Message, fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	return history.ScriptError, cause
}
