package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Resource is one line of resources.ndjson or of resources.<server>.<n>.ndjson:
// how many things of each kind a process held at one moment. A server that runs in
// mcpstorm's own process counts only what is its own, and the process as a whole is
// counted once, under no server's name.
type Resource struct {
	Arm string `json:"arm"`
	// Server is whose counts they are; empty for mcpstorm's own process.
	Server string `json:"server,omitempty"`
	// Process is the ordinal of the server's own process, from 1; 0 in mcpstorm's.
	Process int           `json:"process,omitempty"`
	Phase   ResourcePhase `json:"phase"`
	// Cycle is the ordinal of a cycle of use, from 1, for ResourceCycle.
	Cycle  int64            `json:"cycle,omitempty"`
	Counts map[string]int64 `json:"counts"`
	At     Instant          `json:"at_ns"`
}

// ResourcePhase is when in its life a process was counted.
type ResourcePhase string

// The phases. A cycle of use is as many rollouts as run at once: at its end each
// place of the load has been taken by the next, and the load is what it was.
const (
	ResourceBase  ResourcePhase = "base"  // before the first rollout
	ResourceCycle ResourcePhase = "cycle" // at the end of a cycle, under load
	ResourceEnd   ResourcePhase = "end"   // after the last rollout, once all was quiet
)

// The counts that mcpstorm takes itself. A server may add its own, such as slots.
const (
	CountGoroutines  = "goroutines"
	CountSockets     = "sockets"
	CountChildren    = "children"    // child processes
	CountSessions    = "sessions"    // of MCP
	CountConnections = "connections" // accepted by a server and not closed
)

const resourcesPrefix = "resources."

// ResourcesFile holds what mcpstorm's own process and the servers in it were counted
// to hold.
const ResourcesFile = resourcesPrefix + "ndjson"

func resourcesOf(server string, process int) string {
	return fmt.Sprintf("%s%s.%d%s", resourcesPrefix, server, process, lineSuffix)
}

// ResourceLog is the record of one server process of its own, written through line
// by line as its effects are. It is safe for concurrent use.
type ResourceLog struct {
	log     *EffectLog
	process int
}

// CreateResources starts the record of one server process in a run directory, under
// the first process number that is free.
func CreateResources(dir, server string) (*ResourceLog, error) {
	log, process, err := createNumbered(dir, server, func(process int) string { return resourcesOf(server, process) })
	if err != nil {
		return nil, err
	}
	return &ResourceLog{log: log, process: process}, nil
}

// Resource writes one line through, with the number of its process.
func (l *ResourceLog) Resource(r Resource) error {
	r.Process = l.process
	return l.log.put(r)
}

// Close closes the file and returns the first failure of the log's whole life.
func (l *ResourceLog) Close() error { return l.log.Close() }

// Resource records how much a process held. Counts must not change afterwards.
func (w *Writer) Resource(r Resource) { w.put(ResourcesFile, r) }

// createNumbered makes the file of one server process under the first number that
// is free.
func createNumbered(dir, server string, name func(process int) string) (*EffectLog, int, error) {
	for process := 1; ; process++ {
		out, err := os.OpenFile(filepath.Join(dir, name(process)), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("history: opening the record of %s: %w", server, err)
		}
		return &EffectLog{out: out, name: name(process)}, process, nil
	}
}
