package history

import "encoding/json"

// Diagnostics are what a client says of an operation that failed, in the form that
// verifiers pull request 2134 gives them: the last line of a program's errors, from
// which its parent decides what may be tried again. They are the client's own words,
// and are judged.
type Diagnostics struct {
	CauseType string   `json:"cause_type"`
	Delivery  Delivery `json:"delivery"`
	Operation string   `json:"operation"` // call_tool or list_tools
	Phase     string   `json:"phase"`     // initialize, or the operation
	// ReplaySafe says that a repeat does no harm, and SessionRetrySafe that it also
	// has a chance.
	ReplaySafe       bool   `json:"replay_safe"`
	Server           string `json:"server"`
	SessionRetrySafe bool   `json:"session_retry_safe"`
	StatusCode       *int   `json:"status_code"` // nil: none came, or it was lost
	Transient        bool   `json:"transient"`
}

// Delivery is how far an operation is said to have come.
type Delivery string

// The two things that are said of a delivery.
const (
	NotStarted      Delivery = "operation_not_started"
	ResponseUnknown Delivery = "response_unknown"
)

// DiagnosticsPrefix begins the line in which diagnostics are printed.
const DiagnosticsPrefix = "VF_MCP_ERROR="

// Marker is the line: the prefix, and compact JSON with its keys in order.
func (d Diagnostics) Marker() string {
	text, _ := json.Marshal(d) // plain fields always encode
	return DiagnosticsPrefix + string(text)
}
