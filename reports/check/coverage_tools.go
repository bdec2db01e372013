package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpstorm/history"
	"mcpstorm/internal/near"
)

// UncalledClause is the clause of coverage that names the tools of a server of the user's own
// which were declared and never called. The run holds all the same.
const UncalledClause = "tools never called"

// toolUse is which tools of one server of the user's own were called, and which class
// each was declared to have.
type toolUse struct {
	declared map[string]history.ReplayClass
	about    []string // which a client calls by itself, to settle an operation
	called   map[string]bool
}

// declaredTools are the clauses about tools that were declared and never called, none
// where each was called. Where one that was called is not declared, and its name is nearly
// that of such a one, it was judged as unsafe though another class was meant.
func declaredTools(ix *index) []history.Clause {
	var mistaken, uncalled []string
	uses := ix.toolUses()
	for _, server := range slices.Sorted(maps.Keys(uses)) {
		use := uses[server]
		for _, tool := range use.uncalled() {
			if meant := near.Nearest(tool, use.undeclared()); meant != "" {
				mistaken = append(mistaken, fmt.Sprintf("%s was called on %s and has no class among its tools, so that it was held to be %s; %s, which is declared %s, was never called: which is misspelt?",
					meant, server, history.Unsafe, tool, use.declared[tool]))
				continue
			}
			uncalled = append(uncalled, fmt.Sprintf("%s of %s is declared %s, and was never called", tool, server, use.declared[tool]))
		}
	}
	var clauses []history.Clause
	if len(mistaken) > 0 {
		clauses = append(clauses, clause("declared tools", false, strings.Join(mistaken, "; ")))
	}
	if len(uncalled) > 0 {
		clauses = append(clauses, notEvaluated(UncalledClause, strings.Join(uncalled, "; ")))
	}
	return clauses
}

// toolUses are those of the judged arms together, by server, without the servers on which
// no tool was called.
func (ix *index) toolUses() map[string]toolUse {
	uses := map[string]toolUse{}
	for _, a := range ix.judged {
		for _, s := range a.serverOrder {
			if s.Reference != "" || len(s.Classes) == 0 {
				continue
			}
			if _, known := uses[s.Name]; !known {
				uses[s.Name] = toolUse{s.Classes, s.About, map[string]bool{}}
			}
		}
		for _, op := range a.ops {
			if use, own := uses[op.Server]; own && op.Tool != "" {
				use.called[op.Tool] = true
			}
		}
	}
	maps.DeleteFunc(uses, func(_ string, use toolUse) bool { return len(use.called) == 0 })
	return uses
}

// uncalled are the tools that are declared and that a script never called, sorted.
func (u toolUse) uncalled() (tools []string) {
	for _, tool := range slices.Sorted(maps.Keys(u.declared)) {
		if !u.called[tool] && !slices.Contains(u.about, tool) {
			tools = append(tools, tool)
		}
	}
	return tools
}

// undeclared are the tools that were called and are not declared, sorted.
func (u toolUse) undeclared() (tools []string) {
	for _, tool := range slices.Sorted(maps.Keys(u.called)) {
		if _, ok := u.declared[tool]; !ok {
			tools = append(tools, tool)
		}
	}
	return tools
}
