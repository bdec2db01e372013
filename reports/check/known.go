package check

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mcpstorm/history"
)

// applyKnown holds the verdicts against the list of known failures. A failure that the
// list has becomes history.Known and fails the run no more; an entry that was judged
// in this run and fails no more is stale, and fails it; a run that did not measure what
// it claims cannot tell that. Entries of other runs are left
// out of the verdict.
func applyKnown(ix *index, list []history.Invariant, known []history.KnownFailure) []history.KnownResult {
	var results []history.KnownResult
	fails := ix.failingArms(list, known)
	unmeasured := slices.ContainsFunc(list, func(inv history.Invariant) bool { return isCoverage(inv) && inv.Status == history.Fail })
	for _, entry := range known {
		arms := ix.armsOf(entry)
		i := slices.IndexFunc(list, func(inv history.Invariant) bool { return inv.ID == entry.Invariant })
		if len(arms) == 0 || i < 0 {
			continue
		}
		state := history.KnownStale
		switch {
		case entry.Expired(ix.run.Manifest.Wall):
			state = history.KnownExpired
		case list[i].Status == history.NotEvaluated, list[i].Status == history.Pass && unmeasured:
			state = history.KnownUntold
		case slices.ContainsFunc(arms, func(a *arm) bool { return fails[entry.Invariant][a] }):
			state = history.KnownFails
		}
		results = append(results, history.KnownResult{KnownFailure: entry, State: state})
	}
	for i := range list {
		if list[i].Status == history.Fail && ix.excused(list[i].ID, fails[list[i].ID], results) {
			list[i].Status = history.Known
		}
	}
	return results
}

// failingArms are the judged arms in which each failed invariant that the list names
// is violated.
func (ix *index) failingArms(list []history.Invariant, known []history.KnownFailure) map[string]map[*arm]bool {
	fails := map[string]map[*arm]bool{}
	for _, inv := range list {
		named := slices.ContainsFunc(known, func(k history.KnownFailure) bool { return k.Invariant == inv.ID })
		if inv.Status != history.Fail || !named || isCoverage(inv) {
			continue
		}
		at := slices.IndexFunc(ix.asked, func(row invariant) bool { return row.ID == inv.ID })
		fails[inv.ID] = map[*arm]bool{}
		for _, a := range ix.judged {
			if len(ix.judged) == 1 || ix.asked[at].judge(ix.only(a)).Status == history.Fail {
				fails[inv.ID][a] = true
			}
		}
	}
	return fails
}

// excused reports whether every arm in which an invariant is violated has an entry
// that is in force.
func (ix *index) excused(id string, fails map[*arm]bool, results []history.KnownResult) bool {
	for a := range fails {
		listed := slices.ContainsFunc(results, func(r history.KnownResult) bool {
			return r.State == history.KnownFails && r.Invariant == id && slices.Contains(ix.armsOf(r.KnownFailure), a)
		})
		if !listed {
			return false
		}
	}
	return len(fails) > 0
}

// armsOf are the judged arms that an entry is about: none where the entry is about
// another run.
func (ix *index) armsOf(k history.KnownFailure) (arms []*arm) {
	if k.Script != "" && !SameScript(k.Script, ix.run.Manifest.Script.Path) {
		return nil
	}
	for _, a := range ix.judged {
		if about(k.Arm, a.Name) && aboutOne(k.Policy, policyNames(a.Arm)) && aboutOne(k.Bug, a.Bugs) {
			arms = append(arms, a)
		}
	}
	return arms
}

// SameScript reports whether the script of an entry of known failures is that of the run:
// its path, or any end of it, so that it does not matter from where it was run.
func SameScript(entry, run string) bool {
	entry, run = path.Clean(filepath.ToSlash(entry)), path.Clean(filepath.ToSlash(run))
	return entry == run || strings.HasSuffix(run, "/"+entry)
}

func about(entry, name string) bool { return entry == "" || entry == name }

func aboutOne(entry string, names []string) bool { return entry == "" || slices.Contains(names, entry) }

// policyNames are the policies of an arm, and all of them as the table names them.
func policyNames(a *history.Arm) []string {
	names := []string{policyOf(a)}
	for _, name := range a.Policies {
		names = append(names, name)
	}
	return names
}

// stale says which entries must be taken off the list, or nothing.
func stale(results []history.KnownResult) []string {
	var out []string
	for _, r := range results {
		if r.State == history.KnownStale {
			out = append(out, fmt.Sprintf("%s is listed as a known failure (%s) and holds: take it off the list", r.Invariant, r.Reason))
		}
	}
	return out
}
