package check

import (
	"fmt"
	"slices"
	"strings"

	"mcpstorm/history"
)

// conclude turns the verdicts on the invariants into the verdict on the run, with
// one line that says why. A violation is a violation whatever the run failed to
// cover, and so is a known failure that is none any more; without one, a run that did
// not measure what it claims says nothing.
func conclude(list []history.Invariant, named, stale []string) (history.Status, string) {
	if violated := append(failed(list), stale...); len(violated) > 0 {
		return history.Fail, lead(list) + strings.Join(violated, "; ")
	}
	if i := slices.IndexFunc(list, isCoverage); i >= 0 && list[i].Status == history.Fail {
		return history.Inconclusive, "coverage does not hold: " + list[i].Reason
	}
	for _, inv := range list {
		if inv.Status == history.NotEvaluated && slices.Contains(named, inv.ID) {
			return history.Inconclusive, fmt.Sprintf("%s, which the script names, is not evaluated: %s", inv.ID, inv.Reason)
		}
	}
	holding, known := withStatus(list, history.Pass), withStatus(list, history.Known)
	var parts []string
	if n := len(holding); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s", enumerate(holding), verb(n, "holds", "hold")))
	}
	if n := len(known); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s as is known", enumerate(known), verb(n, "fails", "fail")))
	}
	if len(parts) == 0 {
		return history.Inconclusive, "no invariant could be evaluated"
	}
	return history.Pass, strings.Join(parts, "; ")
}

// lead says before all else that the target fails without faults, where it does.
func lead(list []history.Invariant) string {
	for _, inv := range list {
		if isCoverage(inv) && slices.ContainsFunc(inv.Clauses, func(c history.Clause) bool { return strings.HasPrefix(c.Text, targetFails) }) {
			return targetFails + ", and "
		}
	}
	return ""
}

func isCoverage(inv history.Invariant) bool { return inv.ID == coverageID }

// failed says for each violated invariant how often it is violated.
func failed(list []history.Invariant) []string {
	var out []string
	for _, inv := range list {
		if inv.Status == history.Fail && !isCoverage(inv) {
			out = append(out, fmt.Sprintf("%s is violated in %d of %d %s", inv.ID, inv.Violated, inv.Evaluated, inv.Unit))
		}
	}
	return out
}

// withStatus names the invariants of one status, coverage apart: it says that the run
// measured something, and not what.
func withStatus(list []history.Invariant, status history.Status) []string {
	var out []string
	for _, inv := range list {
		if inv.Status == status && !isCoverage(inv) {
			out = append(out, inv.ID)
		}
	}
	return out
}
