package run

import (
	"fmt"
	"slices"

	"mcpstorm/history"
	refserver "mcpstorm/reference-servers"
	"mcpstorm/toxics/plan"
)

// planNotes say of each rule, and of each bug, what is known before the run to keep it
// from coming about.
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
	return append(notes, a.idleBugs()...)
}

// idleBugs say of each bug planted in the arm that does nothing in the eras of the
// servers that have it, that the arm gives it no occasion.
func (a *arm) idleBugs() (notes []string) {
	for _, bug := range a.storm.Bugs {
		era := refserver.BugEra(bug)
		acts := slices.ContainsFunc(a.storm.Servers, func(s ServerSpec) bool {
			return hasBug(a.kinds[s.Name], bug) && (era == "" || s.Era == era)
		})
		if !acts {
			notes = append(notes, fmt.Sprintf("bug %s does something in the era %s only, and no server that has it speaks that", bug, era))
		}
	}
	return notes
}

// idleBugs are those of every judged arm, by its name.
func (r *run) idleBugs() (notes []string) {
	for _, a := range r.arms {
		if a.spec.Control() {
			continue
		}
		for _, note := range a.idleBugs() {
			notes = append(notes, a.spec.Name+": "+note)
		}
	}
	return notes
}
