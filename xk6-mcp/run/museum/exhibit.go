// Package museum holds what is known to be broken: each exhibit is a failure mode
// that a real system had, planted in a reference server or in a client, with a
// scenario that provokes it, the invariant that must catch it, and a fixed twin that
// must stay clean under the same plan. The harness is trusted because it passes here.
package museum

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpstorm/internal/near"
)

// ErrUnknown says that the museum has no exhibit of that name.
var ErrUnknown = errors.New("museum: no such exhibit")

// Exhibit is one failure mode and how it is shown.
type Exhibit struct {
	ID   string `json:"id"`   // FM-05
	What string `json:"what"` // in a few words
	// Seen are the real systems that were found to have it.
	Seen string `json:"seen"`
	// Bug is planted in a reference server; empty where a client has the fault.
	Bug string `json:"bug,omitempty"`
	// Policy is the client's that has the fault; empty where a server has it, and
	// then the client is the twin's, which is settle.
	Policy string `json:"policy,omitempty"`
	// Invariant must catch it, by a violation of this kind.
	Invariant string `json:"invariant"`
	Kind      string `json:"kind"`
	// Why says what is wrong with it, for a reader who has never met it.
	Why string `json:"why"`
}

// Script is the scenario that provokes it.
func (e Exhibit) Script() string { return "scenarios/museum/" + e.ID + ".js" }

// Carrier is what has the fault: a bug of a server, or a client's policy.
func (e Exhibit) Carrier() string {
	if e.Bug != "" {
		return "--bug " + e.Bug
	}
	return "--policy " + e.Policy
}

// Find gives the exhibits of these ids, in the order of the museum; none means all.
// Its error wraps ErrUnknown.
func Find(ids []string) ([]Exhibit, error) {
	all := Exhibits()
	var known []string
	for _, e := range all {
		known = append(known, e.ID)
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("%w: %q%s; there are: %s", ErrUnknown, id, near.Suggestion(id, known), strings.Join(known, ", "))
		}
	}
	if len(ids) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(e Exhibit) bool { return !slices.Contains(ids, e.ID) }), nil
}
