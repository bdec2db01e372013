package reports

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/reports/check"
)

// statusOf is what became of an invariant, in words, and the status by whose colour and
// mark it is shown. Coverage is about the run: where it does not hold, no target failed.
func statusOf(inv history.Invariant) (word string, as history.Status) {
	if inv.ID == coverageID && inv.Status == history.Fail {
		return "not met", history.Inconclusive
	}
	return string(inv.Status), inv.Status
}

// clauseStatus is the same of a clause of the invariant with this id.
func clauseStatus(id string, c history.Clause) (word string, as history.Status) {
	return statusOf(history.Invariant{ID: id, Status: c.Status})
}

// notAsserted names the invariants that the script's list leaves out and, at the end,
// those of them that would be violated. It is empty where none is left out.
func notAsserted(list []history.Invariant) string {
	var names, violated []string
	for _, inv := range list {
		if inv.Status == history.Fail {
			violated = append(violated, fmt.Sprintf("%s (in %s of %s %s)", inv.ID, thousands(inv.Violated), thousands(inv.Evaluated), inv.Unit))
			continue
		}
		names = append(names, inv.ID)
	}
	text := strings.Join(names, ", ")
	if len(violated) == 0 {
		return text
	}
	if text != "" {
		text += "; "
	}
	return text + "would be violated: " + strings.Join(violated, ", ")
}

// remedy says what to do about a machine that was the limit; it is empty where it was not.
func remedy(v history.Verdict) string {
	limited := slices.ContainsFunc(v.Invariants, func(inv history.Invariant) bool {
		return inv.ID == coverageID && slices.ContainsFunc(inv.Clauses, func(c history.Clause) bool {
			return c.Name == check.HostClause && c.Status == history.Fail
		})
	})
	if !limited {
		return ""
	}
	return "this machine was the limit: run fewer rollouts (--vus N); mcpstorm doctor says how many it carries"
}
