package history

import "encoding/json"

// Overrides are what a command line put over the script: with them the run can be
// made again. What the script's environment held is not among them.
type Overrides struct {
	// Flags are those that set options of the script's, as they were given: "--vus 24".
	Flags     []string        `json:"flags,omitempty"`
	Scenarios []string        `json:"scenarios,omitempty"`
	Policies  []string        `json:"policies,omitempty"` // NAME, or SERVER=NAME
	Era       string          `json:"era,omitempty"`
	Reissue   string          `json:"reissue,omitempty"`
	Bugs      []string        `json:"bugs,omitempty"`
	Latency   string          `json:"turn_latency,omitempty"`
	Faults    json.RawMessage `json:"faults,omitempty"`
	Only      []string        `json:"only,omitempty"` // tasks
}
