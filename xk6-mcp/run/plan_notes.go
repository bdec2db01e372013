package run

import (
	"fmt"

	"mcpstorm/history"
	"mcpstorm/toxics/plan"
)

// planNotes say of each rule what is known before the run to keep it from coming about.
// C7 leaves an answer without its end, and one whose length is told has no end to leave
// out: net/http tells that of every short answer that is no event stream.
func (a *arm) planNotes() (notes []string) {
	const text = "%s C7 needs an answer whose length is not told, and %s answers with JSON, which tells it below 2 KB: write sse: true"
	json := map[string]bool{}
	for _, s := range a.storm.Servers {
		json[s.Name] = s.Reference != "" && !s.SSE && !s.Resumable
	}
	noted := map[string]bool{} // a sweep has one rule many times
	for _, r := range a.plan.Rules() {
		if r.Cut == plan.C7 && r.At != history.RoleGet && json[r.On] && !noted[r.ID] {
			noted[r.ID] = true
			notes = append(notes, fmt.Sprintf(text, r.ID, r.On))
		}
	}
	return notes
}
