package client

import (
	"net/http"

	"mcpstorm/history"
)

// Diagnose says what a client writes down of an operation that failed.
type Diagnose string

// What can be written down.
const (
	DiagnoseNothing Diagnose = ""
	// DiagnoseWhole says what is known of every failure.
	DiagnoseWhole Diagnose = "whole"
	// Diagnose2134 says of every failure of the transport the same, whatever the
	// status was, and nothing of an answered error: verifiers pull request 2134 as it
	// was measured (FM-22).
	Diagnose2134 Diagnose = "verifiers-2134"
)

// diagnose writes down why an operation failed, or nothing.
func (c *Client) diagnose(operation string, class history.ReplayClass, r Result) *history.Diagnostics {
	p := c.options.Policy
	switch {
	case p.Diagnose == DiagnoseNothing || r.Cause == nil || r.Told == history.ToldOK || r.Told == history.ToldToolError || r.Told == history.ToldNone:
		return nil
	case p.Diagnose == Diagnose2134 && (r.Cause.Class == classRPC || r.Cause.Status == http.StatusNotFound):
		return nil
	}
	d := &history.Diagnostics{
		CauseType: r.Cause.Class, Delivery: history.ResponseUnknown, Operation: operation, Phase: operation,
		ReplaySafe: class.ReplaySafe(), Server: c.options.Server, Transient: p.transient(r.Cause),
	}
	if !r.Sent {
		d.Delivery, d.Phase, d.ReplaySafe = history.NotStarted, "initialize", true
	}
	if r.Cause.Status != 0 {
		d.StatusCode = &r.Cause.Status
	}
	if p.Diagnose == Diagnose2134 {
		d.CauseType, d.StatusCode, d.Transient = "McpError", nil, true
	}
	d.SessionRetrySafe = d.Transient && d.ReplaySafe
	return d
}
