package xk6mcp

import (
	"slices"

	"mcpstorm/history"
)

// Restarts says when a failed rollout is run again as a whole. A failure goes by
// a name: what its operation was told (not_executed, unknown, none), or fail for
// rollout.fail.
type Restarts struct {
	// Max is the most restarts of one task; zero means none.
	Max int `json:"max"`
	// Include lists the failures to restart after; empty means all of them.
	Include []string `json:"include"`
	// Exclude lists those not to restart after. It wins over Include.
	Exclude []string `json:"exclude"`
}

// failNames are the names that Include and Exclude may hold.
var failNames = []string{string(history.ToldNotExecuted), string(history.ToldUnknown), string(history.ToldNone), string(history.ToldToolError), "fail"}

// Check returns a name that no failure goes by, or nothing.
func (r Restarts) Check() (unknown string, known []string) {
	for _, name := range slices.Concat(r.Include, r.Exclude) {
		if !slices.Contains(failNames, name) {
			return name, failNames
		}
	}
	return "", failNames
}

// after reports whether a rollout that ended so is run again. A mutation whose
// delivery is unknown vetoes it, because a restart would send it once more,
// unless the script included unknown by name (verifiers pull request 2134).
func (r Restarts) after(ended *rollout) bool {
	record := &ended.record
	if record.Outcome != history.Failed || ended.restart > r.Max {
		return false
	}
	name := "fail"
	if record.Cause != nil && record.Cause.Told != "" {
		name = string(record.Cause.Told)
	}
	switch {
	case slices.Contains(r.Exclude, name):
		return false
	case ended.unknown && !slices.Contains(r.Include, string(history.ToldUnknown)):
		return false
	}
	return len(r.Include) == 0 || slices.Contains(r.Include, name)
}
