package run

import (
	"maps"
	"slices"

	"mcpstorm/internal/near"
	"mcpstorm/toxics/plan"
)

// checkTools refuses a rule about a tool that its reference server does not have. The
// tools of a server of the user's own are not known before it is asked: a rule that
// never met its tool is named by coverage.
func (a *arm) checkTools(rules []plan.Rule) error {
	for _, r := range rules {
		kind, reference := a.kinds[r.On]
		if _, known := kind.Classes[r.Tool]; known || !reference || r.Tool == "" {
			continue
		}
		names := slices.Sorted(maps.Keys(kind.Classes))
		return stormError("faults: %s is about the tool %q of %s, and %s has no such tool; known: %s%s",
			r.ID, r.Tool, r.On, kind.Name, joined(names), near.Suggestion(r.Tool, names))
	}
	return nil
}
